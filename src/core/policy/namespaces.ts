import { type Matcher, namespaceMatcherOf } from './matcher.ts';

/** A list of namespace patterns, each a glob or a `/regex/`; there is no negation, and what is no pattern matches nothing. */
export class Namespaces {
  readonly patterns: readonly string[];
  readonly #literal = new Map<string, number>();
  readonly #others: { readonly matcher: Matcher; readonly index: number }[] = [];

  constructor(patterns: readonly string[]) {
    this.patterns = patterns;
    for (const [index, pattern] of patterns.entries()) {
      if (/^[-a-z0-9]+$/.test(pattern)) this.#literal.set(pattern, this.#literal.get(pattern) ?? index);
      else this.#addPattern(pattern, index);
    }
  }

  #addPattern(pattern: string, index: number): void {
    const matcher = namespaceMatcherOf(pattern);
    if (matcher !== undefined) this.#others.push({ matcher, index });
  }

  /** The position of an entry that matches, or undefined. */
  match(namespace: string): number | undefined {
    return this.#literal.get(namespace) ?? this.#others.find(({ matcher }) => matcher.matches(namespace))?.index;
  }
}
