const stretchMs = 8;

/** Keeps long work from holding the main loop: after a stretch of work it asks for a rest. */
export class Pace {
  #worked = 0;
  #began = 0;

  begin(): void {
    this.#began = performance.now();
  }

  /** A rest to wait for, when this and the last pieces of work have been long enough together. */
  end(): Promise<void> | undefined {
    this.#worked += performance.now() - this.#began;
    if (this.#worked < stretchMs) return undefined;
    this.#worked = 0;
    return new Promise((resolve) => setImmediate(resolve));
  }
}
