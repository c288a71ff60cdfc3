import {
  type Compiled,
  compileGlob,
  compileNamespacePattern,
  compilePathPattern,
  normalizeRepositoryUrl,
  type PatternProblem,
} from '../match/index.ts';
import { Memo } from './memo.ts';

/** A pattern that can be used. */
export type Matcher = Compiled;

type Compile = (pattern: string) => Compiled | PatternProblem;

/** Projects repeat each other's patterns; each is compiled once. A pattern that cannot be used is `undefined`. */
function once(compile: Compile): (pattern: string) => Matcher | undefined {
  const known = new Memo<string, Matcher | 'broken'>();
  return (pattern) => {
    let found = known.get(pattern);
    if (found === undefined) {
      const compiled = compile(pattern);
      found = known.set(pattern, compiled.ok ? compiled : 'broken');
    }
    return found === 'broken' ? undefined : found;
  };
}

/** Destinations, service accounts, windows: a glob in which `*` crosses everything. */
export const matcherOf = once((pattern) => compileGlob(pattern));

/** Repositories: a glob in which `*` stops at a slash. */
export const sourceMatcherOf = once((pattern) => compileGlob(pattern, { separators: '/' }));

/** Groups, kinds and names of resource lists. */
export const pathMatcherOf = once((pattern) => compilePathPattern(pattern));

/** Namespace lists: a glob or a `/regex/`. */
export const namespaceMatcherOf = once((pattern) => compileNamespacePattern(pattern));

/** Addresses that normalising only lower-cases and cuts: nearly all there are, and every check begins with it. */
const plainAddress = /^https?:\/\/[a-z0-9][a-z0-9.-]*(:\d+)?(\/[a-z0-9\-_.~/]*)?$/;

/** The address of a repository in the form both sides of a comparison take; undefined where it is none. */
export function normalizedRepository(url: string): string | undefined {
  const lower = url.toLowerCase();
  const short = lower.endsWith('.git') ? lower.slice(0, -'.git'.length) : lower;
  return lower.length <= 1000 && plainAddress.test(short) ? short : normalizeRepositoryUrl(url);
}
