import { Automaton, codesOf } from './automaton.ts';
import { type GlobPart, globNode, parseGlob } from './glob-parse.ts';
import { bad, type Compiled, literalPattern, type PatternProblem, type StepCounter, tooLong } from './pattern.ts';

export interface GlobOptions {
  /** Characters that `*` and `?` do not match; none by default, so `*` crosses `/`. */
  readonly separators?: string;
}

/** Compiles a glob of Argo CD's dialect (gobwas/glob). A lone `*` matches every text, separators or not. */
export function compileGlob(pattern: string, options: GlobOptions = {}): Compiled | PatternProblem {
  const separators = options.separators ?? '';
  const problem = tooLong(pattern);
  if (problem !== undefined) return problem;
  const parts = pattern === '*' ? [{ type: 'super' } as const] : parseGlob(pattern);
  if (typeof parts === 'string') return bad(parts);
  const literal = literalOf(parts);
  if (literal !== undefined) return literalPattern(literal);
  const prefix = prefixOf(parts);
  const quick = simpleMatcher(parts, separators);
  if (quick !== undefined) return { ok: true, prefix, matches: counted(quick, pattern) };
  const machine = Automaton.of(globNode(parts, separators));
  if (machine === undefined) return bad('is too large');
  return { ok: true, prefix, matches: (text, counter) => machine.matchesWhole(codesOf(text), counter) };
}

type Test = (text: string) => boolean;

/** The native searches below look at each character of the text at most once per piece of the pattern. */
function counted(test: Test, pattern: string): Compiled['matches'] {
  return (text: string, counter?: StepCounter) => {
    if (counter !== undefined) counter.steps += pattern.length + text.length;
    return test(text);
  };
}

function literalOf(parts: readonly GlobPart[]): string | undefined {
  if (parts.length === 0) return '';
  const [only] = parts;
  return parts.length === 1 && only?.type === 'text' ? only.text : undefined;
}

function prefixOf(parts: readonly GlobPart[]): string {
  const [first] = parts;
  return first?.type === 'text' ? first.text : '';
}

/** Globs that are nothing but texts and stars need no automaton; they are nearly all there are. */
function simpleMatcher(parts: readonly GlobPart[], separators: string): Test | undefined {
  const stars = parts.filter((part) => part.type === 'star' || part.type === 'super');
  const plain = stars.length + parts.filter((part) => part.type === 'text').length;
  if (plain !== parts.length || stars.length === 0) return undefined;
  const crosses = separators === '' || stars.every((part) => part.type === 'super');
  if (crosses) return piecesMatcher(pieces(parts));
  if (stars.length !== 1) return undefined;
  const [before = '', after = ''] = pieces(parts);
  return oneStarMatcher(before, after, separators);
}

/** The texts between the stars, empty where two stars meet or a star stands at an end. */
function pieces(parts: readonly GlobPart[]): readonly string[] {
  const found = [''];
  for (const part of parts) {
    if (part.type === 'text') found[found.length - 1] += part.text;
    else found.push('');
  }
  return found;
}

/** First and last piece are fixed; each one between is taken where it first occurs, which leaves most room to the rest. */
function piecesMatcher(all: readonly string[]): Test {
  const first = all[0] ?? '';
  const last = all.at(-1) ?? '';
  const middle = all.slice(1, -1).filter((piece) => piece !== '');
  const shortest = all.reduce((sum, piece) => sum + piece.length, 0);
  return (text) => {
    if (text.length < shortest || !text.startsWith(first) || !text.endsWith(last)) return false;
    const end = text.length - last.length;
    let from = first.length;
    for (const piece of middle) {
      const found = text.indexOf(piece, from);
      if (found < 0 || found + piece.length > end) return false;
      from = found + piece.length;
    }
    return true;
  };
}

function oneStarMatcher(before: string, after: string, separators: string): Test {
  return (text) => {
    if (text.length < before.length + after.length || !text.startsWith(before) || !text.endsWith(after)) return false;
    for (let at = before.length; at < text.length - after.length; at++) {
      if (separators.includes(text.charAt(at))) return false;
    }
    return true;
  };
}
