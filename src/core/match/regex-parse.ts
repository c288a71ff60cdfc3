import type { Node } from './automaton.ts';
import { BadRegex } from './bad-regex.ts';
import { exactly } from './glob-parse.ts';
import { atEnd, atStart, atVeryEnd, betweenWords } from './regex-anchors.ts';
import { escapedClass, escapedCode, readClass } from './regex-class.ts';

const maxNesting = 50;
const maxRepeat = 1000;

/**
 * Reads a regular expression of the dialect that Argo CD takes (.NET's, without options): groups, alternatives, repeats,
 * classes, anchors, lookaheads. What cannot be matched in bounded work, or has no use in names, is refused by name.
 */
export function parseRegex(source: string): Node {
  const reader = new RegexReader(Array.from(source));
  const node = reader.alternatives(0);
  if (!reader.done) throw new BadRegex('has a closing parenthesis too many');
  return node;
}

class RegexReader {
  readonly #chars: readonly string[];
  #at = 0;

  constructor(chars: readonly string[]) {
    this.#chars = chars;
  }

  get done(): boolean {
    return this.#at >= this.#chars.length;
  }

  alternatives(depth: number): Node {
    if (depth > maxNesting) throw new BadRegex('nests groups too deep');
    const choices = [this.#sequence(depth)];
    while (this.#take('|')) choices.push(this.#sequence(depth));
    return choices.length === 1 && choices[0] !== undefined ? choices[0] : { type: 'either', parts: choices };
  }

  #sequence(depth: number): Node {
    const parts: Node[] = [];
    for (;;) {
      const char = this.#chars[this.#at];
      if (char === undefined || char === '|' || char === ')') break;
      this.#at++;
      parts.push(this.#repeated(this.#atom(char, depth)));
    }
    return { type: 'sequence', parts };
  }

  #atom(char: string, depth: number): Node {
    switch (char) {
      case '(':
        return this.#group(depth + 1);
      case '[': {
        const { node, end } = readClass(this.#chars, this.#at);
        this.#at = end;
        return node;
      }
      case '.':
        return { type: 'char', is: (code) => code !== 10 };
      case '^':
        return atStart;
      case '$':
        return atEnd;
      case '\\':
        return this.#escape();
      case '*':
      case '+':
      case '?':
        throw new BadRegex(`repeats nothing with ${char}`);
      default:
        if (char === '{' && this.#countedRepeat(this.#at) !== undefined) throw new BadRegex('repeats nothing with {');
        return exactly(char.codePointAt(0) ?? 0);
    }
  }

  #group(depth: number): Node {
    if (!this.#take('?')) return this.#closed(this.alternatives(depth));
    if (this.#take(':')) return this.#closed(this.alternatives(depth));
    if (this.#take('=')) return { type: 'ahead', part: this.#closed(this.alternatives(depth)), negative: false };
    if (this.#take('!')) return { type: 'ahead', part: this.#closed(this.alternatives(depth)), negative: true };
    const rest = this.#chars.slice(this.#at, this.#at + 64).join('');
    const name = /^<[A-Za-z_]\w*>|^'[A-Za-z_]\w*'/.exec(rest);
    if (name !== null) {
      this.#at += name[0].length;
      return this.#closed(this.alternatives(depth));
    }
    if (/^<[=!]/.test(rest)) throw new BadRegex('uses a lookbehind, which is not supported');
    throw new BadRegex('uses a group construct that is not supported');
  }

  #closed(node: Node): Node {
    if (!this.#take(')')) throw new BadRegex('has an open parenthesis');
    return node;
  }

  #escape(): Node {
    const char = this.#chars[this.#at++];
    if (char === undefined) throw new BadRegex('ends with a backslash');
    if (/[1-9k]/.test(char)) throw new BadRegex('uses a back-reference, which is not supported');
    if (char === 'A') return atStart;
    if (char === 'Z') return atEnd;
    if (char === 'z') return atVeryEnd;
    if (char === 'b' || char === 'B') return betweenWords(char === 'b');
    const set = escapedClass(char);
    if (set !== undefined) return { type: 'char', is: set };
    const { code, end } = escapedCode(this.#chars, this.#at - 1);
    this.#at = end;
    return exactly(code);
  }

  #repeated(part: Node): Node {
    const range = this.#repeat();
    if (range === undefined) return part;
    this.#take('?'); // lazy or greedy: the same texts match
    const [min, max] = range;
    const after = this.#chars[this.#at];
    if (after !== undefined && ('*+?'.includes(after) || this.#countedRepeat(this.#at + 1, after) !== undefined)) {
      throw new BadRegex('repeats a repeat');
    }
    return { type: 'repeat', part, min, max };
  }

  #repeat(): readonly [number, number] | undefined {
    if (this.#take('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.#take('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.#take('?')) return [0, 1];
    const counted = this.#countedRepeat(this.#at + 1, this.#chars[this.#at]);
    if (counted === undefined) return undefined;
    this.#at = counted.end;
    const { min, max } = counted;
    if (min > max) throw new BadRegex('has a repeat that runs backwards');
    if (min > maxRepeat || (max !== Number.POSITIVE_INFINITY && max > maxRepeat)) {
      throw new BadRegex(`repeats more than ${maxRepeat} times`);
    }
    return [min, max];
  }

  /** `{n}`, `{n,}` or `{n,m}`; anything else makes the brace a plain character. */
  #countedRepeat(
    from: number,
    open: string | undefined = '{',
  ): { readonly min: number; readonly max: number; readonly end: number } | undefined {
    if (open !== '{') return undefined;
    const found = /^(\d{1,9})(,(\d{1,9})?)?\}/.exec(this.#chars.slice(from, from + 24).join(''));
    if (found === null) return undefined;
    const min = Number(found[1]);
    const max = found[2] === undefined ? min : found[3] === undefined ? Number.POSITIVE_INFINITY : Number(found[3]);
    return { min, max, end: from + found[0].length };
  }

  #take(char: string): boolean {
    if (this.#chars[this.#at] !== char) return false;
    this.#at++;
    return true;
  }
}
