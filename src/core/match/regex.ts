import { Automaton, codesOf } from './automaton.ts';
import { BadRegex } from './bad-regex.ts';
import { bad, type Compiled, type PatternProblem, tooLong } from './pattern.ts';
import { parseRegex } from './regex-parse.ts';

/** Compiles a regular expression (without its slashes). It matches anywhere in a text unless it is anchored. */
export function compileRegex(source: string): Compiled | PatternProblem {
  const problem = tooLong(source);
  if (problem !== undefined) return problem;
  try {
    const machine = Automaton.of(parseRegex(source));
    if (machine === undefined) return bad('is too large once its repeats are written out');
    return { ok: true, prefix: '', matches: (text, counter) => machine.matchesWithin(codesOf(text), counter) };
  } catch (error) {
    if (error instanceof BadRegex) return bad(error.message);
    throw error;
  }
}
