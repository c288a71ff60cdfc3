import type { Node } from './automaton.ts';

/** One part of a glob. `*` stops at separators, `**` does not. */
export type GlobPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'star' | 'super' | 'one' }
  | { readonly type: 'set'; readonly is: (code: number) => boolean }
  | { readonly type: 'either'; readonly choices: readonly (readonly GlobPart[])[] };

const maxNesting = 64;

/**
 * Reads a glob as gobwas/glob 0.2.3 does, answering its parts or what is wrong. Its ways worth knowing: a class is
 * either one range `[a-z]` or a list `[abc]`, never both; `,` and `}` are plain outside braces; a backslash at the end is
 * nothing. A brace that stays open is refused here: there, it sometimes matches and sometimes ends the process.
 */
export function parseGlob(pattern: string): readonly GlobPart[] | string {
  const reader = new GlobReader(Array.from(pattern));
  const parts = reader.sequence(0);
  return reader.problem ?? parts;
}

class GlobReader {
  problem: string | undefined;
  readonly #chars: readonly string[];
  #at = 0;

  constructor(chars: readonly string[]) {
    this.#chars = chars;
  }

  /** Parts up to the end, or inside braces up to the `,` or `}` that ends a choice. */
  sequence(depth: number): readonly GlobPart[] {
    const parts: GlobPart[] = [];
    let text = '';
    const flush = (): void => {
      if (text !== '') parts.push({ type: 'text', text });
      text = '';
    };
    while (this.problem === undefined) {
      const char = this.#chars[this.#at];
      if (char === undefined || (depth > 0 && (char === ',' || char === '}'))) break;
      this.#at++;
      if (char === '\\') {
        text += this.#chars[this.#at++] ?? '';
      } else if ('*?[{'.includes(char)) {
        flush();
        parts.push(this.#special(char, depth));
      } else {
        text += char;
      }
    }
    flush();
    return parts;
  }

  #special(char: string, depth: number): GlobPart {
    if (char === '[') return this.#class();
    if (char === '{') return this.#choices(depth + 1);
    if (char === '?') return { type: 'one' };
    if (this.#chars[this.#at] !== '*') return { type: 'star' };
    this.#at++;
    return { type: 'super' };
  }

  #choices(depth: number): GlobPart {
    const choices: (readonly GlobPart[])[] = [];
    if (depth > maxNesting) this.problem = 'nests braces too deep';
    while (this.problem === undefined) {
      choices.push(this.sequence(depth));
      const end = this.#chars[this.#at++];
      if (end === undefined) this.problem ??= 'has an open brace';
      if (end !== ',') break;
    }
    return { type: 'either', choices };
  }

  #class(): GlobPart {
    const negative = this.#chars[this.#at] === '!';
    if (negative) this.#at++;
    const [low, dash, high, close] = this.#chars.slice(this.#at, this.#at + 4);
    if (low !== undefined && low !== '\\' && low !== ']' && dash === '-' && low !== '-') {
      return this.#range(low, high, close, negative);
    }
    return this.#list(negative);
  }

  #range(low: string, high: string | undefined, close: string | undefined, negative: boolean): GlobPart {
    this.#at += 4;
    const [from, to] = [code(low), code(high ?? '')];
    if (close !== ']' || high === undefined || high === ']') this.problem = 'has a range that is not closed';
    else if (from > to) this.problem = 'has a range that runs backwards';
    return { type: 'set', is: (each) => (each >= from && each <= to) !== negative };
  }

  #list(negative: boolean): GlobPart {
    const members = new Set<number>();
    for (;;) {
      const char = this.#chars[this.#at++];
      if (char === ']') break;
      const member = char === '\\' ? this.#chars[this.#at++] : char;
      if (member === undefined) {
        this.problem = 'has a class that is not closed';
        break;
      }
      members.add(code(member));
    }
    if (members.size === 0) this.problem ??= 'has an empty class';
    return { type: 'set', is: (each) => members.has(each) !== negative };
  }
}

function code(char: string): number {
  return char.codePointAt(0) ?? 0;
}

/** The parts as a pattern over characters; `separators` are what `*` and `?` stop at. */
export function globNode(parts: readonly GlobPart[], separators: string): Node {
  const stops = new Set(Array.from(separators, code));
  const free = (each: number): boolean => !stops.has(each);
  const nodeOf = (part: GlobPart): Node => {
    switch (part.type) {
      case 'text':
        return { type: 'sequence', parts: Array.from(part.text, (char) => exactly(code(char))) };
      case 'one':
        return { type: 'char', is: free };
      case 'star':
        return { type: 'repeat', part: { type: 'char', is: free }, min: 0, max: Number.POSITIVE_INFINITY };
      case 'super':
        return { type: 'repeat', part: { type: 'char', is: () => true }, min: 0, max: Number.POSITIVE_INFINITY };
      case 'set':
        return { type: 'char', is: part.is };
      case 'either':
        return { type: 'either', parts: part.choices.map((choice) => globNode(choice, separators)) };
    }
  };
  return { type: 'sequence', parts: parts.map(nodeOf) };
}

/** Exactly one character. */
export function exactly(wanted: number): Node {
  return { type: 'char', is: (each) => each === wanted };
}
