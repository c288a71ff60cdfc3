import type { Matcher } from './matcher.ts';

/**
 * Finds, among many patterns, the few that a text can possibly match: by the whole text for literals, by the literal
 * beginning for the rest. The work grows with the number of different beginnings' lengths, not with the patterns.
 */
export class TextIndex<T> {
  readonly #exact = new Map<string, T[]>();
  readonly #byPrefix = new Map<string, T[]>();
  #lengths: number[] = [];
  readonly #open: T[] = [];

  /** Files an item under its pattern; without one (it could match anything) it is offered for every text. */
  add(pattern: Matcher | undefined, item: T): void {
    if (pattern?.literal !== undefined) push(this.#exact, pattern.literal, item);
    else if (pattern === undefined || pattern.prefix === '') this.#open.push(item);
    else {
      push(this.#byPrefix, pattern.prefix, item);
      const { length } = pattern.prefix;
      if (!this.#lengths.includes(length)) this.#lengths = [...this.#lengths, length].sort((a, b) => a - b);
    }
  }

  /** The first candidate that passes the test, in no particular order. */
  find(text: string, test: (item: T) => boolean): T | undefined {
    return firstOf(this.#exact.get(text), test) ?? firstOf(this.#open, test) ?? this.#findByPrefix(text, test);
  }

  #findByPrefix(text: string, test: (item: T) => boolean): T | undefined {
    for (const length of this.#lengths) {
      if (length > text.length) return undefined;
      const found = firstOf(this.#byPrefix.get(text.slice(0, length)), test);
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

function push<T>(map: Map<string, T[]>, key: string, item: T): void {
  const bucket = map.get(key);
  if (bucket === undefined) map.set(key, [item]);
  else bucket.push(item);
}

function firstOf<T>(items: readonly T[] | undefined, test: (item: T) => boolean): T | undefined {
  if (items === undefined) return undefined;
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (item !== undefined && test(item)) return item;
  }
  return undefined;
}
