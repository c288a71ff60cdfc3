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
  /** Makes sure that a repository was asked, now if `fresh`; answers why it cannot be read. */
  ask(read: Read, fresh: boolean): Promise<Trouble | undefined>;
  /** Tells the users of a repository at this time, too. */
  lookAt(input: SourceInput, time: number): void;
  /** Asks all repositories of this address for news now. */
  poll(url: string): Promise<void>;
  /** What somebody reads at the moment. */
  inUse(): Read[];
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
/** Timers hold no more. */
const longestMs = 2 ** 31 - 1;

/** Follows nothing yet. */
export function createMirrors(options: MirrorsOptions): Mirrors {
  const mirrors = new Map<string, Mirror>();
  const followed = new Map<string, readonly string[]>();
  let stopped = false;

  const take = (read: Read): Mirror => {
    const key = mirrorKey(read.input);
    const mirror = mirrors.get(key) ?? begin(key, read);
    mirror.read = read;
    mirrors.set(key, mirror);
    return mirror;
  };
  const schedule = (mirror: Mirror): void => {
    clearTimeout(mirror.timer);
    mirror.timer = undefined;
    const at = Math.min(mirror.pollAt, mirror.lookAt);
    if (stopped || mirror.users.size === 0 || at === Number.POSITIVE_INFINITY) return;
    const wait = Math.min(longestMs, Math.max(0, at - options.now()));
    mirror.timer = setTimeout(() => void wake(mirror), wait);
    mirror.timer.unref();
  };
  const wake = async (mirror: Mirror): Promise<void> => {
    const now = options.now();
    if (mirror.lookAt <= now) {
      mirror.lookAt = Number.POSITIVE_INFINITY;
      options.onDue([...mirror.users]);
    }
    if (mirror.pollAt <= now) {
      mirror.pollAt = Number.POSITIVE_INFINITY;
      // A defect of ours must not end the polling; the passes meet it, too, and tell of it.
      await news(mirror).catch(() => undefined);
      planPoll(mirror);
    }
    schedule(mirror);
  };
  const planPoll = (mirror: Mirror): void => {
    const poll = options.pollMs();
    const { attempts = 0 } = mirror.trouble ?? {};
    const base = attempts === 0 ? poll : (poll || againMs) * Math.min(2 ** (attempts - 1), maxPatience);
    const spread = 0.9 + options.random() * 0.2;
    mirror.pollAt = base === 0 ? Number.POSITIVE_INFINITY : options.now() + base * spread;
  };
  const news = async (mirror: Mirror): Promise<void> => {
    if ((await fetch(mirror)) && !stopped) await options.onNews([...mirror.users]);
  };
  /** Tells whether others than the one who asks should look. */
  const fetch = async (mirror: Mirror): Promise<boolean> => {
    const settings = options.settingsRevision();
    try {
      const { changed } = await mirror.read.open().fetch();
      // Those who follow it for the first time look by themselves.
      const isNews = mirror.trouble !== undefined || (changed && mirror.fetched);
      mirror.fetched = true;
      mirror.trouble = undefined;
      return isNews;
    } catch (error) {
      if (!isArgosyError(error) || error.fault === 'bug') throw error;
      failed(mirror, error, settings);
      return false;
    }
  };
  const failed = (mirror: Mirror, error: ArgosyError, settings: number): void => {
    const before = mirror.trouble;
    const isSame = before?.error.code === error.code;
    const attempts = (before?.attempts ?? 0) + 1;
    // The first words for a cause stay, so that a status that names them stays, too.
    mirror.trouble = {
      since: before?.since ?? options.now(),
      error: isSame ? before.error : error,
      attempts,
      settings,
    };
    if (mirror.pollAt === Number.POSITIVE_INFINITY) {
      planPoll(mirror);
      schedule(mirror);
    }
    if (!isSame && !stopped) options.onFailed([...mirror.users]);
  };
  const leave = (user: string, mirror: Mirror | undefined): void => {
    mirror?.users.delete(user);
    if (mirror?.users.size === 0) drop(mirror);
  };
  const drop = (mirror: Mirror): void => {
    clearTimeout(mirror.timer);
    mirrors.delete(mirror.key);
  };

  return {
    follow(user, reads) {
      const wanted = reads.map(({ input }) => mirrorKey(input));
      for (const read of reads) {
        const mirror = take(read);
        mirror.users.add(user);
        if (mirror.pollAt === Number.POSITIVE_INFINITY) planPoll(mirror);
        if (mirror.timer === undefined) schedule(mirror);
      }
      for (const key of followed.get(user) ?? []) if (!wanted.includes(key)) leave(user, mirrors.get(key));
      if (wanted.length === 0) followed.delete(user);
      else followed.set(user, wanted);
    },
    async ask(read, fresh) {
      const mirror = take(read);
      const { trouble, fetched } = mirror;
      const isTried = trouble === undefined ? fetched : trouble.settings === options.settingsRevision();
      // The others look later; whoever asks need not wait for them.
      if ((fresh || !isTried) && (await fetch(mirror))) void options.onNews([...mirror.users]);
      return mirror.trouble;
    },
    lookAt(input, time) {
      const mirror = mirrors.get(mirrorKey(input));
      if (mirror === undefined || mirror.lookAt <= time) return;
      mirror.lookAt = time;
      schedule(mirror);
    },
    async poll(url) {
      await Promise.all([...mirrors.values()].filter(({ read }) => read.input.url === url).map(news));
    },
    inUse: () => [...mirrors.values()].map(({ read }) => read),
    stop() {
      stopped = true;
      for (const mirror of [...mirrors.values()]) drop(mirror);
    },
  };
}

function begin(key: string, read: Read): Mirror {
  const [pollAt, lookAt] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  return { key, read, users: new Set(), fetched: false, trouble: undefined, pollAt, lookAt, timer: undefined };
}
