import type { Application } from '../../core/api/index.ts';
import type { ArgosyError } from '../../core/errors/index.ts';
import { equal, type Json } from '../../core/json/index.ts';
import { timeText } from '../application/time.ts';
import type { Unread } from '../application/world.ts';

/** An Application whose sources could not be read, from the first failure to the first success. */
interface Failing {
  readonly since: number;
  readonly error: ArgosyError;
  /** Once said, it stays said until the sources read again. */
  readonly told: boolean;
  readonly attempts: number;
  /** What the sources led to when they failed; undefined where they led nowhere. */
  readonly seen: string | undefined;
  /** When the Application wants to be looked at again, if nothing happens before; never is infinite. */
  readonly lookAt: number;
}

/** What went wrong with an Application's sources. */
export interface Failure {
  readonly error: ArgosyError;
  /** Since when, where the repository as a whole cannot be read: then the repository also brings it back. */
  readonly since: number | undefined;
  /** Somebody waits for an answer: no grace. */
  readonly asked: boolean;
  /** What the sources lead to, though it could not be rendered. */
  readonly seen: string | undefined;
  /** It may be over without any change that somebody would tell of. */
  readonly passes: boolean;
}

export interface UnreadsOptions {
  readonly now: () => number;
  /** How long a failure goes unsaid. */
  readonly graceMs: () => number;
  readonly againMs: () => number;
}

/** Remembers which Applications' sources cannot be read, since when, and whether that was said. */
export class Unreads {
  readonly #options: UnreadsOptions;
  readonly #failing = new Map<string, Failing>();

  constructor(options: UnreadsOptions) {
    this.#options = options;
  }

  has(key: string): boolean {
    return this.#failing.has(key);
  }

  /** Those who failed because something about their cluster was not known. */
  waitingToKnow(): string[] {
    return [...this.#failing].flatMap(([key, { error }]) => (error.code === 'unknown' ? [key] : []));
  }

  /** Tells whether there is no use in trying again where the sources now lead. */
  isInVain(key: string, now: string | undefined): boolean {
    const failing = this.#failing.get(key);
    return failing !== undefined && failing.seen === now;
  }

  forget(key: string): void {
    this.#failing.delete(key);
  }

  /** Takes a failure in; answers what is to be said, and when to look again. */
  note(
    key: string,
    { error, since, asked, seen, passes }: Failure,
  ): { readonly unread: Unread; readonly lookAt: number } {
    const { now, graceMs } = this.#options;
    const before = this.#failing.get(key);
    const isSame = before?.error.code === error.code;
    const began = since ?? before?.since ?? now();
    const told = asked || before?.told === true || isFinal(error) || now() - began >= graceMs();
    const attempts = (before?.attempts ?? 0) + 1;
    const retryAt = since === undefined && passes ? now() + this.#pause(attempts) : never;
    const lookAt = told ? retryAt : Math.min(retryAt, began + graceMs());
    // The first words for a cause stay, so that a status that names them stays, too.
    const said = isSame && isSayable(before.error, error) ? before.error : error;
    this.#failing.set(key, { since: began, error: said, told, attempts, seen, lookAt });
    return { unread: { since: began, message: messageOf(said, began), told }, lookAt };
  }

  /** Those of these Applications whose time has come; each is named once. */
  due(keys: readonly string[]): string[] {
    const now = this.#options.now();
    return keys.filter((key) => (this.#failing.get(key)?.lookAt ?? never) <= now);
  }

  #pause(attempts: number): number {
    return Math.min(longestPauseMs, this.#options.againMs() * 2 ** Math.min(attempts - 1, 8));
  }
}

const never = Number.POSITIVE_INFINITY;
const longestPauseMs = 5 * 60_000;

/** What was read and cannot be rendered stays so until somebody changes it: waiting would only keep it from them. */
function isFinal({ fault, code }: ArgosyError): boolean {
  return !code.startsWith('git-') && (fault === 'user' || fault === 'denied');
}

/** Words of tools about one fault may differ from time to time, but what a person wrote wrong is told as it is now. */
function isSayable(before: ArgosyError, now: ArgosyError): boolean {
  return now.fault === 'outside' || before.message === now.message;
}

function messageOf({ message }: ArgosyError, since: number): string {
  return `${message}; not readable since ${timeText(since)}, nothing is synced, pruned or healed until it is`;
}

/** Tells whether the Application asks for other sources than those its status was last told of. */
export function hasNewSources({ spec, status }: Application): boolean {
  return !equal(asked(spec), asked(status?.sync?.comparedTo ?? {}));
}

/** Tells whether there is no good status to be kept: then waiting would only leave the words of an older trouble standing. */
export function saysNothing({ status }: Application): boolean {
  return status?.sync?.status === 'Unknown';
}

type Asked = Pick<Application['spec'], 'source' | 'sources'>;

function asked({ source, sources = [] }: Asked): Json {
  // Both were read from JSON; fields that were left out are no difference.
  return JSON.parse(JSON.stringify(sources.length > 0 ? { sources } : { source })) as Json;
}
