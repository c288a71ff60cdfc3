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
 * How many calls may be under way at once on one connection. It grows while answers come about as fast as ever,
 * stays when they slow down, and halves when the server says it has too much.
 */
export class Limiter {
  readonly #bounds: LimiterBounds;
  readonly #waiting: { readonly go: () => void; dropped: boolean }[] = [];
  #limit: number;
  #active = 0;
  #best = Number.POSITIVE_INFINITY;
  #sum = 0;
  #sinceChange = 0;
  #sentBefore = 0;

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
    if (this.#sentBefore > 0) this.#sentBefore--;
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

  /** Calls sent before a halving say nothing about the new limit: only those sent since count. */
  #halve(): void {
    if (this.#sentBefore > 0) return;
    this.#limit = Math.max(this.#bounds.floor, Math.floor(this.#limit / 2));
    this.#sentBefore = this.#active;
    this.#nextRound();
  }

  /** Grows by one per round of calls while they wait and the mean stays within twice the best; shrinks beyond four times. */
  #learn(ms: number): void {
    const floor = Math.max(ms, 1);
    // A call that ran alone shows the server's own pace, be it slower than it was; in a crowd only a better time counts.
    if (this.#active < 2 && this.#best !== Number.POSITIVE_INFINITY) this.#best += (floor - this.#best) / 8;
    else this.#best = Math.min(this.#best, floor);
    this.#sum += ms;
    if (++this.#sinceChange < this.#limit) return;
    const mean = this.#sum / this.#sinceChange;
    if (mean <= this.#best * 2 && this.#waiting.length > 0)
      this.#limit = Math.min(this.#bounds.ceiling, this.#limit + 1);
    else if (mean > this.#best * 4 && this.#limit > this.#bounds.start) this.#limit--;
    this.#nextRound();
  }

  #nextRound(): void {
    this.#sinceChange = 0;
    this.#sum = 0;
  }
}
