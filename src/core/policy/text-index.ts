import type { Matcher } from './matcher.ts';

/**
 * Finds, among many patterns, the few that a text can possibly match: by the whole text for literals, by the literal
 * beginning for the rest. The work grows with the number of different beginnings' lengths, not with the patterns.
 */
export class TextIndex<T extends object> {
  readonly #exact = new Map<string, Slot<T>>();
  /** By a hash of the literal beginning: a collision only adds a candidate, and candidates are always tested. */
  readonly #byPrefix = new Map<number, Slot<T>>();
  #lengths: number[] = [];
  readonly #open: T[] = [];
  #empty = true;

  /** Files an item under its pattern; without one (it could match anything) it is offered for every text. */
  add(pattern: Matcher | undefined, item: T): void {
    this.#empty = false;
    if (pattern?.literal !== undefined) push(this.#exact, pattern.literal, item);
    else if (pattern === undefined || pattern.prefix === '') this.#open.push(item);
    else {
      push(this.#byPrefix, extend(seed, pattern.prefix, 0, pattern.prefix.length), item);
      const { length } = pattern.prefix;
      if (!this.#lengths.includes(length)) this.#lengths = [...this.#lengths, length].sort((a, b) => a - b);
    }
  }

  /** The first candidate that passes the test, in no particular order; `given` is handed to the test. */
  find<G>(text: string, test: Test<T, G>, given: G): T | undefined {
    if (this.#empty) return undefined;
    const exact = this.#exact.size === 0 ? undefined : this.#exact.get(text);
    return firstOf(exact, test, given) ?? firstOf(this.#open, test, given) ?? this.#findByPrefix(text, test, given);
  }

  #findByPrefix<G>(text: string, test: Test<T, G>, given: G): T | undefined {
    let hash = seed;
    let at = 0;
    for (const length of this.#lengths) {
      if (length > text.length) return undefined;
      hash = extend(hash, text, at, length);
      at = length;
      const found = firstOf(this.#byPrefix.get(hash), test, given);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Shows every candidate, in no particular order. */
  each(text: string, visit: (item: T) => void): void {
    this.find(
      text,
      (item) => {
        visit(item);
        return false;
      },
      undefined,
    );
  }
}

/** One item as it is, several as a list: most patterns begin like no other, and a list of one is two more places to read. */
type Slot<T extends object> = T | T[];

/** A test that needs no closure: what it compares with comes along. */
type Test<T, G> = (item: T, given: G) => boolean;

const seed = 0x811c9dc5 | 0;

/** Goes on hashing a text (FNV-1a), so that all its beginnings cost one walk. */
function extend(hash: number, text: string, from: number, to: number): number {
  let value = hash;
  for (let at = from; at < to; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value;
}

function push<K, T extends object>(map: Map<K, Slot<T>>, key: K, item: T): void {
  const slot = map.get(key);
  if (slot === undefined) map.set(key, item);
  else if (Array.isArray(slot)) slot.push(item);
  else map.set(key, [slot, item]);
}

function firstOf<T extends object, G>(slot: Slot<T> | undefined, test: Test<T, G>, given: G): T | undefined {
  if (slot === undefined) return undefined;
  if (!Array.isArray(slot)) return test(slot, given) ? slot : undefined;
  for (let i = 0; i < slot.length; i++) {
    const item = slot[i];
    if (item !== undefined && test(item, given)) return item;
  }
  return undefined;
}
