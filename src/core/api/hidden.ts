const inspect = Symbol.for('nodejs.util.inspect.custom');

/**
 * A secret text. It prints, serialises and inspects as stars; only `reveal` answers it, so every place that
 * handles a credential can be found by that word.
 */
export class Hidden {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The secret itself, for the wire and nothing else. */
  reveal(): string {
    return this.#value;
  }

  equals(other: Hidden | undefined): boolean {
    return other !== undefined && this.#value === other.#value;
  }

  get isEmpty(): boolean {
    return this.#value === '';
  }

  toString(): string {
    return '***';
  }

  toJSON(): string {
    return '***';
  }

  [inspect](): string {
    return '***';
  }
}
