import { barestRepositoryUrl } from '../match/index.ts';
import { type Matcher, normalizedRepository, normalizedSource, plainSource, sourceMatcherOf } from './matcher.ts';
import type { Written } from './origin.ts';
import { TextIndex } from './text-index.ts';

interface Entry {
  readonly rule: Written<string>;
  /** Undefined where it is no valid pattern. */
  readonly matcher: Matcher | undefined;
  /** The text after which anything may follow, where the pattern is of that form: saves the way to the matcher. */
  readonly open: string | undefined;
  readonly deny: boolean;
  /** The answer it gives, made when it first decides. */
  match: SourceMatch | undefined;
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
  readonly #index = new TextIndex<Entry>();
  #denies = false;

  constructor(rules: readonly Written<string>[]) {
    this.rules = rules;
    for (const rule of rules) this.#add(rule);
  }

  #add(rule: Written<string>): void {
    const deny = rule.value.startsWith('!');
    const pattern = normalizedPattern(deny ? rule.value.slice(1) : rule.value);
    this.#file(rule, pattern, deny);
    if (!deny) return;
    this.#denies = true;
    const bare = pattern === undefined ? undefined : barestPattern(pattern);
    if (bare !== pattern) this.#file(rule, bare, deny);
  }

  #file(rule: Written<string>, pattern: string | undefined, deny: boolean): void {
    const matcher = pattern === undefined ? undefined : sourceMatcherOf(pattern);
    const open = matcher?.open === true ? matcher.prefix : undefined;
    // A deny that cannot be read is met by every address: nobody knows what the admin meant to keep out.
    if (deny || matcher !== undefined) this.#index.add(matcher, { rule, matcher, open, deny, match: undefined });
  }

  /** Holds the address of a source against the entries; both sides are normalised alike. */
  match(url: string): SourceMatch {
    const plain = plainSource(url);
    const address = plain ?? normalizedSource(url);
    if (address === undefined) return malformed;
    const question: Question = { address, permit: undefined };
    const deny = this.#index.find(address, isDenial, question) ?? this.#denyOfBarest(plain, address);
    const decides = deny ?? question.permit;
    return decides === undefined ? none : answerOf(decides);
  }

  /** A deny cannot be got round by another spelling of what it names. */
  #denyOfBarest(plain: string | undefined, address: string): Entry | undefined {
    if (plain !== undefined || !this.#denies) return undefined;
    const bare = barestRepositoryUrl(address);
    return bare === address ? undefined : this.#index.find(bare, isDenial, { address: bare, permit: undefined });
  }
}

interface Question {
  readonly address: string;
  permit: Entry | undefined;
}

/** Both kinds in one walk: a deny that hits ends it, a permit waits for one. */
function isDenial(entry: Entry, question: Question): boolean {
  if (!hits(entry, question.address)) return false;
  if (!entry.deny) question.permit = entry;
  return entry.deny;
}

function hits({ open, matcher }: Entry, address: string): boolean {
  if (open !== undefined) return address.startsWith(open);
  return matcher === undefined || matcher.matches(address);
}

function answerOf(entry: Entry): SourceMatch {
  entry.match ??= { outcome: entry.deny ? 'denied' : 'permitted', rule: entry.rule };
  return entry.match;
}

/** A lone `*` stands for every address and is left as it is. */
function normalizedPattern(pattern: string): string | undefined {
  return pattern === '*' ? pattern : normalizedRepository(pattern);
}

/** A user in the address of a web server was written on purpose: such a deny keeps out that user only. */
function barestPattern(pattern: string): string {
  return /^https?:\/\/[^/]*@/.test(pattern) ? pattern : barestRepositoryUrl(pattern);
}
