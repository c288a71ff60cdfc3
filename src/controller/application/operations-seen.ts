interface Seen {
  readonly startedAt: string;
  /** Milliseconds since 1970, by our own clock. */
  readonly at: number;
  readonly begun: boolean;
}

/**
 * What this process itself knows of operations under way, by the keys of their Applications. Whoever may write an
 * Application may write its status: when an operation began is believed only where we began it.
 */
export class OperationsSeen {
  readonly #seen = new Map<string, Seen>();
  readonly #pauses = new Map<string, number>();

  /** We begin it now. */
  begin(key: string, startedAt: string, at: number): void {
    this.#seen.set(key, { startedAt, at, begun: true });
  }

  /** No operation is under way any more. */
  over(key: string): void {
    this.#seen.delete(key);
    this.#pauses.delete(key);
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
