import { JqSyntax } from './lexer.ts';
import type { Node } from './node.ts';
import { parse } from './parser.ts';

/** A program ready to run. */
export interface Jq {
  readonly ok: true;
  readonly source: string;
  readonly program: Node;
}

/** Why a text is no program we can run. */
export interface JqProblem {
  readonly ok: false;
  readonly message: string;
}

/** Reads a program. */
export function compileJq(source: string): Jq | JqProblem {
  try {
    return { ok: true, source, program: parse(source) };
  } catch (error) {
    if (error instanceof JqSyntax) return { ok: false, message: error.message };
    throw error;
  }
}
