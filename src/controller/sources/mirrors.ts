import { type ArgosyError, isArgosyError } from '../../core/errors/index.ts';
import type { Followed } from './followed.ts';
import { mirrorKey, type SourceInput } from './inputs.ts';

/** Why a repository cannot be read, and since when. */
export interface Trouble {
  readonly since: number;
  readonly error: ArgosyError;
}

export interface MirrorsOptions {
  /** How often each repository is asked for news, spread a little so that hundreds do not ask at once; 0: only when told to. */
  readonly pollMs: () => number;
  readonly random: () => number;
  readonly now: () => number;
  /** Grows with every change of the settings: another credential or host may be what a repository waits for. */
  readonly settingsRevision: () => number;
  /** The repository holds something new, or reads again. */
  readonly onNews: (users: readonly string[]) => Promise<void>;
  /** The repository has begun to fail, or fails in another way. */
  readonly onFailed: (users: readonly string[]) => void;
  /** A time that `lookAt` was told of has come. */
  readonly onDue: (users: readonly string[]) => void;
}

/** The repositories somebody reads, each with one timer and with what is wrong with it. */
export interface Mirrors {
  /** These and no others are read by this user. */
  follow(user: string, read: readonly Read[]): void;
  /** Makes sure that a repository was asked, now if somebody refreshes; answers why it cannot be read. */
  ask(read: Read, refresh?: 'normal' | 'hard'): Promise<Trouble | undefined>;
  /** Tells the users of a repository at this time, too. */
  lookAt(input: SourceInput, time: number): void;
  /** Asks all repositories of this address for news now. */
  poll(url: string): Promise<void>;
  /** What somebody reads at the moment. */
  inUse(): SourceInput[];
  stop(): void;
}

/** One repository as somebody reads it, and the way to it. */
export interface Read {
  readonly input: SourceInput;
  readonly open: () => Followed;
}

interface Mirror {
  readonly key: string;
  read: Read;
  readonly users: Set<string>;
  fetched: boolean;
  trouble: (Trouble & { readonly attempts: number; readonly settings: number }) | undefined;
  /** When to ask for news, and when somebody wants to be told; never is infinite. */
  pollAt: number;
  lookAt: number;
  timer: NodeJS.Timeout | undefined;
}

/** How often a repository that cannot be read is asked where nobody polls. */
const againMs = 10_000;
/** A repository that keeps failing is asked up to so many times more rarely. */
const maxPatience = 6;
const never = Number.POSITIVE_INFINITY;
/** Timers hold no more. */
const longestMs = 2 ** 31 - 1;

/** Follows nothing yet. */
export function createMirrors(options: MirrorsOptions): Mirrors {
  return new Following(options);
}

class Following implements Mirrors {
  readonly #options: MirrorsOptions;
  readonly #mirrors = new Map<string, Mirror>();
  readonly #followed = new Map<string, readonly string[]>();
  #stopped = false;

  constructor(options: MirrorsOptions) {
    this.#options = options;
  }

  follow(user: string, reads: readonly Read[]): void {
    const wanted = reads.map(({ input }) => mirrorKey(input));
    for (const read of reads) {
      const mirror = this.#take(read);
      mirror.users.add(user);
      if (mirror.pollAt === never) this.#planPoll(mirror);
      if (mirror.timer === undefined) this.#schedule(mirror);
    }
    for (const key of this.#followed.get(user) ?? []) if (!wanted.includes(key)) this.#leave(user, key);
    if (wanted.length === 0) this.#followed.delete(user);
    else this.#followed.set(user, wanted);
  }

  async ask(read: Read, refresh?: 'normal' | 'hard'): Promise<Trouble | undefined> {
    const mirror = this.#take(read);
    const { trouble, fetched } = mirror;
    const isTried = trouble === undefined ? fetched : trouble.settings === this.#options.settingsRevision();
    // The others look later; whoever asks need not wait for them.
    if ((refresh !== undefined || !isTried) && (await this.#fetch(mirror, refresh)))
      void this.#options.onNews([...mirror.users]);
    return mirror.trouble;
  }

  lookAt(input: SourceInput, time: number): void {
    const mirror = this.#mirrors.get(mirrorKey(input));
    if (mirror === undefined || mirror.lookAt <= time) return;
    mirror.lookAt = time;
    this.#schedule(mirror);
  }

  async poll(url: string): Promise<void> {
    const named = [...this.#mirrors.values()].filter(({ read }) => read.input.url === url);
    await Promise.all(named.map((mirror) => this.#news(mirror)));
  }

  inUse(): SourceInput[] {
    return [...this.#mirrors.values()].filter(({ users }) => users.size > 0).map(({ read }) => read.input);
  }

  stop(): void {
    this.#stopped = true;
    for (const mirror of [...this.#mirrors.values()]) this.#drop(mirror);
  }

  #take(read: Read): Mirror {
    const key = mirrorKey(read.input);
    const mirror = this.#mirrors.get(key) ?? begin(key, read);
    mirror.read = read;
    this.#mirrors.set(key, mirror);
    return mirror;
  }

  #leave(user: string, key: string): void {
    const mirror = this.#mirrors.get(key);
    mirror?.users.delete(user);
    if (mirror?.users.size === 0) this.#drop(mirror);
  }

  #drop(mirror: Mirror): void {
    clearTimeout(mirror.timer);
    this.#mirrors.delete(mirror.key);
  }

  #planPoll(mirror: Mirror): void {
    const { pollMs, random, now } = this.#options;
    const poll = pollMs();
    const { attempts = 0 } = mirror.trouble ?? {};
    const base = attempts === 0 ? poll : (poll || againMs) * Math.min(2 ** (attempts - 1), maxPatience);
    mirror.pollAt = base === 0 ? never : now() + base * (0.9 + random() * 0.2);
  }

  #schedule(mirror: Mirror): void {
    clearTimeout(mirror.timer);
    mirror.timer = undefined;
    const at = Math.min(mirror.pollAt, mirror.lookAt);
    if (this.#stopped || mirror.users.size === 0 || at === never) return;
    const wait = Math.min(longestMs, Math.max(0, at - this.#options.now()));
    mirror.timer = setTimeout(() => void this.#wake(mirror), wait);
    mirror.timer.unref();
  }

  async #wake(mirror: Mirror): Promise<void> {
    const now = this.#options.now();
    if (mirror.lookAt <= now) {
      mirror.lookAt = never;
      this.#options.onDue([...mirror.users]);
    }
    if (mirror.pollAt <= now) {
      mirror.pollAt = never;
      // A defect of ours must not end the polling; the passes meet it, too, and tell of it.
      await this.#news(mirror).catch(() => undefined);
      this.#planPoll(mirror);
    }
    this.#schedule(mirror);
  }

  async #news(mirror: Mirror): Promise<void> {
    if ((await this.#fetch(mirror)) && !this.#stopped) await this.#options.onNews([...mirror.users]);
  }

  /** Tells whether others than the one who asks should look. */
  async #fetch(mirror: Mirror, refresh?: 'normal' | 'hard'): Promise<boolean> {
    const settings = this.#options.settingsRevision();
    try {
      const { changed } = await mirror.read.open().fetch(refresh);
      // Those who follow it for the first time look by themselves.
      const isNews = mirror.trouble !== undefined || (changed && mirror.fetched);
      mirror.fetched = true;
      mirror.trouble = undefined;
      return isNews;
    } catch (error) {
      if (!isArgosyError(error) || error.fault === 'bug') throw error;
      this.#failed(mirror, error, settings);
      return false;
    }
  }

  #failed(mirror: Mirror, error: ArgosyError, settings: number): void {
    const before = mirror.trouble;
    const isSame = before?.error.code === error.code;
    // The first words for a cause stay, so that a status that names them stays, too.
    mirror.trouble = {
      since: before?.since ?? this.#options.now(),
      error: isSame ? before.error : error,
      attempts: (before?.attempts ?? 0) + 1,
      settings,
    };
    if (mirror.pollAt === never) {
      this.#planPoll(mirror);
      this.#schedule(mirror);
    }
    if (!isSame && !this.#stopped) this.#options.onFailed([...mirror.users]);
  }
}

function begin(key: string, read: Read): Mirror {
  const idle = { fetched: false, trouble: undefined, pollAt: never, lookAt: never, timer: undefined };
  return { key, read, users: new Set(), ...idle };
}
