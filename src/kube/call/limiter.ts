import type { Limit } from '../transport/wire.ts';

/** Bounds of the adaptive limit; the ceiling stays below the streams a session may carry. */
export interface LimiterBounds {
  readonly start: number;
  readonly floor: number;
  readonly ceiling: number;
}

const defaultBounds: LimiterBounds = { start: 16, floor: 1, ceiling: 84 };

/** How a call ended, as far as the server's load can be told from it. */
export type CallEnd = 'fine' | 'overloaded' | 'failed';

/**
 * How many calls may be under way at once on one connection. It grows by one per round of calls while answers come
 * about as fast as ever, stays when they slow down, and halves when the server says it has too much.
 */
export class Limiter {
  readonly #bounds: LimiterBounds;
  readonly #waiting: { readonly go: () => void; dropped: boolean }[] = [];
  #limit: number;
  #active = 0;
  #best = Number.POSITIVE_INFINITY;
  #recent = 0;
  #sinceChange = 0;

  constructor(bounds: LimiterBounds = defaultBounds) {
    this.#bounds = bounds;
    this.#limit = bounds.start;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Waits for a turn, first come, first served. Undefined means the turn is there at once. */
  acquire(limit: Limit): Promise<void> | undefined {
    if (this.#active < this.#limit) {
      this.#active++;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const entry = {
        dropped: false,
        go: (): void => {
          forget();
          resolve();
        },
      };
      const forget = limit.onEnd((error) => {
        entry.dropped = true;
        reject(error);
      });
      this.#waiting.push(entry);
    });
  }

  /** Gives the turn back with how long the server took. */
  release(end: CallEnd, ms: number): void {
    this.#active--;
    if (end === 'overloaded') this.#halve();
    else if (end === 'fine') this.#learn(ms);
    while (this.#active < this.#limit) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      if (next.dropped) continue;
      this.#active++;
      next.go();
    }
  }

  /** One halving per round: the answers of one overload come in a bunch. */
  #halve(): void {
    if (this.#sinceChange < this.#active) return;
    this.#limit = Math.max(this.#bounds.floor, Math.floor(this.#limit / 2));
    this.#sinceChange = 0;
  }

  #learn(ms: number): void {
    this.#recent = this.#recent === 0 ? ms : this.#recent * 0.9 + ms * 0.1;
    // The best drifts up slowly, so that one lucky answer does not hold the limit down for ever.
    this.#best = Math.min(this.#best * 1.002, Math.max(ms, 1));
    if (++this.#sinceChange < this.#limit) return;
    this.#sinceChange = 0;
    const perCall = this.#recent / this.#limit; // queueing grows with what is under way; the server's own pace does not
    if (this.#waiting.length > 0 && perCall < this.#best * 2)
      this.#limit = Math.min(this.#bounds.ceiling, this.#limit + 1);
    else if (this.#recent > this.#best * 2 * this.#limit && this.#limit > this.#bounds.start) this.#limit--;
  }
}
