import type { ResourcePattern } from '../api/index.ts';
import { type Matcher, pathMatcherOf } from './matcher.ts';
import type { Written } from './origin.ts';
import { TextIndex } from './text-index.ts';

interface Entry {
  readonly rule: Written<ResourcePattern>;
  readonly group: Matcher | undefined;
  readonly kind: Matcher | undefined;
  /** Undefined: every name. */
  readonly name: Matcher | undefined;
  /** One of the patterns is none. */
  readonly broken: boolean;
}

/** One of the four resource lists of a project. In a list that denies, an entry that cannot be read hits everything. */
export class Kinds {
  readonly rules: readonly Written<ResourcePattern>[];
  /** Whether any entry asks for a name, so that the answer may differ between objects of a kind. */
  readonly named: boolean;
  readonly #index = new TextIndex<Entry>();
  readonly #brokenHits: boolean;

  constructor(rules: readonly Written<ResourcePattern>[], effect: 'permit' | 'deny') {
    this.rules = rules;
    this.#brokenHits = effect === 'deny';
    this.named = rules.some(({ value }) => (value.name ?? '') !== '');
    for (const rule of rules) {
      const entry = compile(rule);
      this.#index.add(entry.broken ? undefined : entry.kind, entry);
    }
  }

  /** The entry that hits, or undefined; without a name only entries that ask for none can hit. */
  match(group: string, kind: string, name: string | undefined): Written<ResourcePattern> | undefined {
    return this.#index.find(kind, (entry) => this.#hits(entry, group, kind, name), undefined)?.rule;
  }

  #hits(entry: Entry, group: string, kind: string, name: string | undefined): boolean {
    if (entry.broken) return this.#brokenHits;
    if (entry.group?.matches(group) !== true || entry.kind?.matches(kind) !== true) return false;
    return entry.name === undefined || (name !== undefined && entry.name.matches(name));
  }
}

function compile(rule: Written<ResourcePattern>): Entry {
  const { group, kind, name = '' } = rule.value;
  const [groups, kinds] = [pathMatcherOf(group), pathMatcherOf(kind)];
  const names = name === '' ? undefined : pathMatcherOf(name);
  const broken = groups === undefined || kinds === undefined || (name !== '' && names === undefined);
  return { rule, group: groups, kind: kinds, name: names, broken };
}
