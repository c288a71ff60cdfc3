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

/** Remembers answers under two keys, bounded as a whole. */
export class PairMemo<A, B, V> {
  readonly #answers = new Map<A, Map<B, V>>();
  #size = 0;

  get(a: A, b: B): V | undefined {
    return this.#answers.get(a)?.get(b);
  }

  set(a: A, b: B, value: V): V {
    if (this.#size >= limit) {
      this.#answers.clear();
      this.#size = 0;
    }
    let inner = this.#answers.get(a);
    if (inner === undefined) {
      inner = new Map();
      this.#answers.set(a, inner);
    }
    if (!inner.has(b)) this.#size += 1;
    inner.set(b, value);
    return value;
  }
}
