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

  /** Files an item under its pattern; without one (it could match anything) it is offered for every text. */
  add(pattern: Matcher | undefined, item: T): void {
    if (pattern?.literal !== undefined) push(this.#exact, pattern.literal, item);
    else if (pattern === undefined || pattern.prefix === '') this.#open.push(item);
    else {
      push(this.#byPrefix, extend(seed, pattern.prefix, 0, pattern.prefix.length), item);
      const { length } = pattern.prefix;
      if (!this.#lengths.includes(length)) this.#lengths = [...this.#lengths, length].sort((a, b) => a - b);
    }
  }

  /** The first candidate that passes the test, in no particular order. */
  find(text: string, test: (item: T) => boolean): T | undefined {
    const exact = this.#exact.size === 0 ? undefined : this.#exact.get(text);
    return firstOf(exact, test) ?? firstOf(this.#open, test) ?? this.#findByPrefix(text, test);
  }

  #findByPrefix(text: string, test: (item: T) => boolean): T | undefined {
    let hash = seed;
    let at = 0;
    for (const length of this.#lengths) {
      if (length > text.length) return undefined;
      hash = extend(hash, text, at, length);
      at = length;
      const found = firstOf(this.#byPrefix.get(hash), test);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Shows every candidate, in no particular order. */
  each(text: string, visit: (item: T) => void): void {
    this.find(text, (item) => {
      visit(item);
      return false;
    });
  }
}

/** One item as it is, several as a list: most patterns begin like no other, and a list of one is two more places to read. */
type Slot<T extends object> = T | T[];

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

function firstOf<T extends object>(slot: Slot<T> | undefined, test: (item: T) => boolean): T | undefined {
  if (slot === undefined) return undefined;
  if (!Array.isArray(slot)) return test(slot) ? slot : undefined;
  for (let i = 0; i < slot.length; i++) {
    const item = slot[i];
    if (item !== undefined && test(item)) return item;
  }
  return undefined;
}
