import { askedBefore, newOwner } from './asked-before.ts';

/** Beyond this many answers a memo starts anew: whoever invents names without end gets slower, not bigger. */
const limit = 20_000;
/** Longer than names and addresses are: a few thousand texts of a megabyte would be all the memory there is. */
const longest = 2048;

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

/** Remembers answers to texts that are asked for more than once, bounded. */
export class AnswerMemo<V> {
  readonly #answers = new Map<string, V>();
  readonly #owner = newOwner();

  get(text: string): V | undefined {
    return this.#answers.get(text);
  }

  /** Answers the value; keeps it if the text was asked for before. */
  offer(text: string, value: V): V {
    if (text.length > longest || !askedBefore(this.#owner, text)) return value;
    if (this.#answers.size >= limit) this.#answers.clear();
    this.#answers.set(text, value);
    return value;
  }
}

/**
 * Remembers answers under two keys that are asked for more than once, bounded as a whole. The first key rarely changes from
 * one question to the next.
 */
export class PairMemo<A extends object, B extends string | undefined, V> {
  readonly #owner = newOwner();
  /** Weak: a cluster whose Secret was replaced must not be kept, credential and all, because somebody once asked for it. */
  #answers = new WeakMap<A, Map<B, V>>();
  #size = 0;
  #last: A | undefined;
  #lastAnswers: Map<B, V> | undefined;

  get(a: A, b: B): V | undefined {
    return this.#of(a)?.get(b);
  }

  /** Answers the value; keeps it if the second key was asked for before. */
  offer(a: A, b: B, value: V): V {
    if (b !== undefined && (b.length > longest || !askedBefore(this.#owner, b))) return value;
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
    this.#answers = new WeakMap();
    this.#lastAnswers = undefined;
    this.#size = 0;
  }
}
