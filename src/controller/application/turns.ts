import { setImmediate as nextTurn } from 'node:timers/promises';

const turnMs = 8;

/** Long work cut into turns: an Application may have thousands of objects, and everybody's work is done on one loop. */
export class Turns {
  #since = performance.now();

  /** To be waited for between two pieces of the work; undefined while the turn lasts. */
  over(): Promise<void> | undefined {
    return performance.now() - this.#since < turnMs ? undefined : this.#next();
  }

  async #next(): Promise<void> {
    await nextTurn();
    this.#since = performance.now();
  }
}
