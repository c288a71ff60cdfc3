/** Beyond this many answers a memo starts anew: whoever invents names without end gets slower, not bigger. */
const limit = 20_000;

/** Remembers answers under a key, bounded. */
export class Memo<K, V> {
  readonly #answers = new Map<K, V>();

  get(key: K): V | undefined {
    return this.#answers.get(key);
  }

  set(key: K, value: V): V {
    if (this.#answers.size >= limit) this.#answers.clear();
    this.#answers.set(key, value);
    return value;
  }
}

/** Remembers answers under two keys, bounded as a whole. The first key rarely changes from one question to the next. */
export class PairMemo<A, B, V> {
  readonly #answers = new Map<A, Map<B, V>>();
  #size = 0;
  #last: A | undefined;
  #lastAnswers: Map<B, V> | undefined;

  get(a: A, b: B): V | undefined {
    return this.#of(a)?.get(b);
  }

  set(a: A, b: B, value: V): V {
    if (this.#size >= limit) this.#clear();
    let inner = this.#of(a);
    if (inner === undefined) {
      inner = new Map();
      this.#answers.set(a, inner);
      this.#lastAnswers = inner;
    }
    const before = inner.size;
    inner.set(b, value);
    this.#size += inner.size - before;
    return value;
  }

  #of(a: A): Map<B, V> | undefined {
    if (this.#lastAnswers !== undefined && this.#last === a) return this.#lastAnswers;
    this.#last = a;
    this.#lastAnswers = this.#answers.get(a);
    return this.#lastAnswers;
  }

  #clear(): void {
    this.#answers.clear();
    this.#lastAnswers = undefined;
    this.#size = 0;
  }
}
