/** Lets so many at a time; the others wait in the order they came. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Calls `begin` when there is room, with the way to give the room back; answers how to give up waiting or holding. */
  take(begin: (done: () => void) => void): () => void {
    let state: 'waiting' | 'holding' | 'done' = 'waiting';
    const done = (): void => {
      if (state === 'holding') this.#next();
      state = 'done';
    };
    const start = (): void => {
      if (state === 'done') {
        this.#next();
        return;
      }
      state = 'holding';
      begin(done);
    };
    if (this.#free > 0) {
      this.#free--;
      start();
    } else this.#waiting.push(start);
    return done;
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
