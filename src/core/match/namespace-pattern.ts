import { compileGlob } from './glob.ts';
import { bad, type Compiled, type PatternProblem, tooLong } from './pattern.ts';
import { compileRegex } from './regex.ts';

/** A pattern of a namespace list. */
export type NamespacePattern =
  | (Compiled & {
      /** A regex without `^…$`: it matches more names than it looks like, which deserves a warning. */
      readonly unanchored: boolean;
    })
  | PatternProblem;

/** True where an entry is written as a regex: `/…/`. */
export function isRegexPattern(pattern: string): boolean {
  return pattern.length > 2 && pattern.startsWith('/') && pattern.endsWith('/');
}

/**
 * Compiles an entry of `application.namespaces` or `sourceNamespaces`: a glob, or a `/regex/`, which is tried as a glob,
 * too, where it does not match. There is no negation: a leading `!` is a plain character.
 */
export function compileNamespacePattern(pattern: string): NamespacePattern {
  const glob = compileGlob(pattern);
  if (!isRegexPattern(pattern)) return glob.ok ? { ...glob, unanchored: false } : glob;
  const long = tooLong(pattern);
  if (long !== undefined) return long;
  const source = pattern.slice(1, -1);
  const regex = compileRegex(source);
  if (!regex.ok) return bad(`regular expression ${regex.message}`);
  return {
    ok: true,
    prefix: '',
    unanchored: !(source.startsWith('^') && source.endsWith('$') && !source.endsWith('\\$')),
    matches: (text, counter) => regex.matches(text, counter) || (glob.ok && glob.matches(text, counter)),
  };
}
