import {
  type Compiled,
  compileGlob,
  compileNamespacePattern,
  compilePathPattern,
  normalizeRepositoryUrl,
  type PatternProblem,
} from '../match/index.ts';
import { Memo } from './memo.ts';

/**
 * A pattern that can be used. The two forms nearly all patterns have (a text, a text and a star) are answered from its own
 * fields: a check of a project that was not asked for long pays for every object it has to walk to.
 */
export class Matcher {
  /** The text that alone matches, where there is such a one. */
  readonly literal: string | undefined;
  /** Every text that matches begins with this. */
  readonly prefix: string;
  /** Whether everything that begins so matches. */
  readonly open: boolean;
  readonly #compiled: Compiled;

  constructor(compiled: Compiled, open: boolean) {
    this.literal = compiled.literal;
    this.prefix = compiled.prefix;
    this.open = open;
    this.#compiled = compiled;
  }

  /** Tells whether the whole text matches (a regex: whether any part of it does). */
  matches(text: string): boolean {
    if (this.open) return text.startsWith(this.prefix);
    return this.literal === undefined ? this.#compiled.matches(text) : text === this.literal;
  }
}

type Compile = (pattern: string) => Compiled | PatternProblem;

/** Projects repeat each other's patterns; each is compiled once. A pattern that cannot be used is `undefined`. */
function once(compile: Compile, openEnd?: RegExp): (pattern: string) => Matcher | undefined {
  const known = new Memo<string, Matcher | 'broken'>();
  return (pattern) => {
    let found = known.get(pattern);
    if (found === undefined) {
      const compiled = compile(pattern);
      found = known.set(pattern, compiled.ok ? new Matcher(compiled, openEnd?.test(pattern) === true) : 'broken');
    }
    return found === 'broken' ? undefined : found;
  };
}

/** Destinations, service accounts, windows: a glob in which `*` crosses everything. */
export const matcherOf = once((pattern) => compileGlob(pattern), /^[\w.:/@-]*\*$/);

/** Repositories: a glob in which `*` stops at a slash. */
export const sourceMatcherOf = once((pattern) => compileGlob(pattern, { separators: '/' }), /^[\w.:/@-]*\*\*$|^\*$/);

/** Groups, kinds and names of resource lists. */
export const pathMatcherOf = once((pattern) => compilePathPattern(pattern));

/** Namespace lists: a glob or a `/regex/`. */
export const namespaceMatcherOf = once((pattern) => compileNamespacePattern(pattern));

/**
 * Addresses that normalising only lower-cases and cuts, and that have no barer spelling: nearly all there are, and every
 * check begins with it.
 */
const plainAddress = /^https?:\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)*(?:\/[a-z0-9\-_.~]+)*$/;

/** The address of a repository in the form both sides of a comparison take; undefined where it is none. */
export function normalizedRepository(url: string): string | undefined {
  return plainForm(url.toLowerCase()) ?? normalizeRepositoryUrl(url);
}

function plainForm(lower: string): string | undefined {
  const short = lower.endsWith('.git') ? lower.slice(0, -'.git'.length) : lower;
  return lower.length <= 1000 && plainAddress.test(short) && !short.endsWith('.git') ? short : undefined;
}

/**
 * What no address of a repository holds: transports and servers read such texts otherwise than a comparison does. Blanks,
 * options, remote helpers, questions and fragments, dot segments, empty ones, two users, hosts without `//`, and escapes of
 * what needs none.
 */
const tricky = new RegExp(
  [
    /[\p{Cc}\s\\?#]|^-|^[a-z0-9+.-]+::/u,
    /%(?:[01][0-9a-f]|2[5def]|3[0-9]|4[1-9a-f]|5[0-9acf]|6[1-9a-f]|7[0-9aef])/,
    /(?:^|[/:])\.\.?(?:;[^/]*)?(?:\/|$)/,
    /(?<!:|:\/)\/\/|^(?!file:)[a-z0-9+.-]+:\/\/\//,
    /^[a-z0-9+.-]+:\/\/[^/]*@[^/]*@|^[^/@]*:(?!\/\/)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'iu',
);
/** Letters outside ASCII that become ASCII when lower-cased: compared as one name, fetched as another. */
const foldsToAscii = /[\u0130\u212a]/;
const schemes = /^(https?|ssh|git|git\+ssh|oci|file):/i;

/** The address of a source where it is written as nearly all are; it then has no other spelling. */
export function plainSource(url: string): string | undefined {
  const lower = url.toLowerCase();
  const plain = plainForm(lower);
  // Only dot segments and folded letters are left to look for.
  if (plain === undefined || plain.includes('/.')) return undefined;
  return lower !== url && foldsToAscii.test(url) ? undefined : plain;
}

/** The address of a source, or undefined where it cannot be one: it would lead somewhere else than what was compared. */
export function normalizedSource(url: string): string | undefined {
  if (url.length > 4096 || tricky.test(url) || foldsToAscii.test(url)) return undefined;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(url) && !schemes.test(url)) return undefined;
  return normalizedRepository(url);
}
