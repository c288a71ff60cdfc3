import { Automaton, codesOf, type Node } from './automaton.ts';
import { exactly } from './glob-parse.ts';
import { bad, type Compiled, literalPattern, type PatternProblem, tooLong } from './pattern.ts';

const slash = 47;

/** Compiles a pattern of Go's `path.Match`, as resource lists use it: `*` and `?` stop at `/`, `[^…]` negates, no braces. */
export function compilePathPattern(pattern: string): Compiled | PatternProblem {
  const problem = tooLong(pattern);
  if (problem !== undefined) return problem;
  if (!/[*?[\\]/.test(pattern)) return literalPattern(pattern);
  if (pattern === '*') return notSlash;
  const nodes = parse(Array.from(pattern));
  if (typeof nodes === 'string') return bad(nodes);
  const machine = Automaton.of({ type: 'sequence', parts: nodes });
  if (machine === undefined) return bad('is too large');
  const prefix = /^[^*?[\\]*/.exec(pattern)?.[0] ?? '';
  return { ok: true, prefix, matches: (text, counter) => machine.matchesWhole(codesOf(text), counter) };
}

const notSlash: Compiled = {
  ok: true,
  prefix: '',
  matches: (text, counter) => {
    if (counter !== undefined) counter.steps += text.length;
    return !text.includes('/');
  },
};

const notASlash: Node = { type: 'char', is: (code) => code !== slash };

function parse(chars: readonly string[]): readonly Node[] | string {
  const nodes: Node[] = [];
  let at = 0;
  while (at < chars.length) {
    const char = chars[at++] ?? '';
    if (char === '*') {
      nodes.push({ type: 'repeat', part: notASlash, min: 0, max: Number.POSITIVE_INFINITY });
    } else if (char === '?') {
      nodes.push(notASlash);
    } else if (char === '[') {
      const read = readClass(chars, at);
      if (typeof read === 'string') return read;
      nodes.push(read.node);
      at = read.end;
    } else {
      const literal = char === '\\' ? chars[at++] : char;
      if (literal === undefined) return 'ends with a backslash';
      nodes.push(exactly(literal.codePointAt(0) ?? 0));
    }
  }
  return nodes;
}

function readClass(chars: readonly string[], start: number): { readonly node: Node; readonly end: number } | string {
  const negative = chars[start] === '^';
  const ranges: [number, number][] = [];
  let at = negative ? start + 1 : start;
  const member = (): number | undefined => {
    const char = chars[at++];
    if (char === undefined || char === '-' || char === ']') return undefined;
    return (char === '\\' ? chars[at++] : char)?.codePointAt(0);
  };
  while (chars[at] !== ']' || ranges.length === 0) {
    const low = member();
    if (low === undefined) return 'has a malformed class';
    let high: number | undefined = low;
    if (chars[at] === '-') {
      at++;
      high = member();
    }
    if (high === undefined) return 'has a malformed class';
    ranges.push([low, high]);
  }
  // A class may match a slash: path.Match stops only `*` and `?` there.
  const is = (code: number): boolean => ranges.some(([low, high]) => code >= low && code <= high) !== negative;
  return { node: { type: 'char', is }, end: at + 1 };
}
