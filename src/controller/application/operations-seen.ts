interface Seen {
  readonly startedAt: string;
  /** Milliseconds since 1970, by our own clock. */
  readonly at: number;
  readonly begun: boolean;
}

/**
 * So long an operation is left to another controller that was just seen to take it further: what that one has done may not
 * have come to us yet, and would look like an object or a hook that somebody has deleted.
 */
const othersTurnMs = 10_000;

/**
 * What this process itself knows of operations under way, by the keys of their Applications. Whoever may write an
 * Application may write its status: when an operation began is believed only where we began it.
 */
export class OperationsSeen {
  readonly #seen = new Map<string, Seen>();
  readonly #pauses = new Map<string, number>();
  /** When somebody else was last seen to take an operation further. */
  readonly #elsewhere = new Map<string, number>();

  /** We begin it now. */
  begin(key: string, startedAt: string, at: number): void {
    this.#seen.set(key, { startedAt, at, begun: true });
  }

  /** No operation is under way any more. */
  over(key: string): void {
    this.#seen.delete(key);
    this.#pauses.delete(key);
    this.#elsewhere.delete(key);
  }

  /** Somebody else took it further, or ended it. */
  movedElsewhere(key: string, at: number): void {
    this.#elsewhere.set(key, at);
  }

  /** How long it is still somebody else's; 0 where it is not. */
  elsewhereFor(key: string, now: number): number {
    const left = (this.#elsewhere.get(key) ?? Number.NEGATIVE_INFINITY) + othersTurnMs - now;
    if (left <= 0) this.#elsewhere.delete(key);
    return Math.max(0, left);
  }

  /** It goes on at this time at the earliest. */
  pause(key: string, until: number): void {
    this.#pauses.set(key, until);
  }

  /** How long it still pauses; 0 where it does not. */
  pausesFor(key: string, now: number): number {
    return Math.max(0, (this.#pauses.get(key) ?? 0) - now);
  }

  /** When it began, where we know that; undefined where only the status says so. */
  begunAt(key: string, startedAt: string): number | undefined {
    const seen = this.#seen.get(key);
    return seen?.begun === true && seen.startedAt === startedAt ? seen.at : undefined;
  }

  /** Since when it is under way at the latest: a time in the future tells nothing, and nothing is later than our first look. */
  since(key: string, startedAt: string, now: number): number {
    const known = this.#seen.get(key);
    const seen = known?.startedAt === startedAt ? known : { startedAt, at: now, begun: false };
    this.#seen.set(key, seen);
    const written = Date.parse(startedAt);
    return Number.isNaN(written) ? seen.at : Math.min(seen.at, written);
  }
}
