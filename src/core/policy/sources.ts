import { type Matcher, normalizedRepository, normalizedSource, sourceMatcherOf } from './matcher.ts';
import type { Written } from './origin.ts';
import { TextIndex } from './text-index.ts';

interface Entry {
  readonly rule: Written<string>;
  /** Undefined where it is no valid pattern. */
  readonly matcher: Matcher | undefined;
}

/** What settled a source: the entry that permits or denies, none, or an address that is none. */
export interface SourceMatch {
  readonly outcome: 'permitted' | 'denied' | 'none' | 'malformed';
  readonly rule?: Written<string>;
}

const none: SourceMatch = Object.freeze({ outcome: 'none' });
const malformed: SourceMatch = Object.freeze({ outcome: 'malformed' });

/** The repositories of a project: permitted is what an entry permits and no `!` entry denies, in any order. */
export class Sources {
  readonly rules: readonly Written<string>[];
  readonly #permits = new TextIndex<Entry>();
  readonly #denies = new TextIndex<Entry>();

  constructor(rules: readonly Written<string>[]) {
    this.rules = rules;
    for (const rule of rules) this.#add(rule);
  }

  #add(rule: Written<string>): void {
    const deny = rule.value.startsWith('!');
    const pattern = normalizedPattern(deny ? rule.value.slice(1) : rule.value);
    const entry: Entry = { rule, matcher: pattern === undefined ? undefined : sourceMatcherOf(pattern) };
    if (deny) this.#denies.add(entry.matcher, entry);
    else if (entry.matcher !== undefined) this.#permits.add(entry.matcher, entry);
  }

  /** Holds the address of a source against the entries; both sides are normalised alike. */
  match(url: string): SourceMatch {
    const address = normalizedSource(url);
    if (address === undefined) return malformed;
    // A deny that cannot be read denies everything: nobody knows what the admin meant to keep out.
    const deny = this.#denies.find(address, ({ matcher }) => matcher?.matches(address) ?? true);
    if (deny !== undefined) return { outcome: 'denied', rule: deny.rule };
    const permit = this.#permits.find(address, ({ matcher }) => matcher?.matches(address) ?? false);
    return permit === undefined ? none : { outcome: 'permitted', rule: permit.rule };
  }
}

/** A lone `*` stands for every address and is left as it is. */
function normalizedPattern(pattern: string): string | undefined {
  return pattern === '*' ? pattern : normalizedRepository(pattern);
}
