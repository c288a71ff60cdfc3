import type { Node } from './automaton.ts';
import { BadRegex } from './bad-regex.ts';
import { isDigit, isSpace, isWord } from './regex-anchors.ts';

type Test = (code: number) => boolean;

const dash = 45;

const classes: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['d', isDigit],
  ['D', (code) => !isDigit(code)],
  ['w', isWord],
  ['W', (code) => !isWord(code)],
  ['s', isSpace],
  ['S', (code) => !isSpace(code)],
]);

/** The class an escape stands for, such as `\d`. */
export function escapedClass(char: string): Test | undefined {
  return classes.get(char);
}

const controls: ReadonlyMap<string, number> = new Map([
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
  ['a', 7],
  ['e', 27],
]);

/** The character an escape stands for; `at` is where its letter is. */
export function escapedCode(chars: readonly string[], at: number): { readonly code: number; readonly end: number } {
  const char = chars[at] ?? '';
  const control = controls.get(char);
  if (control !== undefined) return { code: control, end: at + 1 };
  const digits = char === 'x' ? 2 : char === 'u' ? 4 : 0;
  if (digits > 0) {
    const hex = chars.slice(at + 1, at + 1 + digits).join('');
    if (hex.length !== digits || !/^[0-9a-f]+$/i.test(hex)) throw new BadRegex(`has a malformed \\${char}`);
    return { code: Number.parseInt(hex, 16), end: at + 1 + digits };
  }
  if (/^[\p{L}\p{Nd}_]$/u.test(char)) throw new BadRegex(`uses \\${char}, which is not supported`);
  return { code: char.codePointAt(0) ?? 0, end: at + 1 };
}

/** Reads a class; `start` is behind its opening bracket. */
export function readClass(chars: readonly string[], start: number): { readonly node: Node; readonly end: number } {
  const negative = chars[start] === '^';
  const first = negative ? start + 1 : start;
  const tests: Test[] = [];
  let at = first;
  while (chars[at] !== ']' || at === first) {
    const low = readMember(chars, at);
    if (low.member === dash && at !== first && chars[low.end] === '[') {
      throw new BadRegex('subtracts classes, which is not supported');
    }
    at = low.end;
    const next = chars[at + 1];
    if (chars[at] !== '-' || next === ']' || next === undefined) {
      tests.push(testOf(low.member));
      continue;
    }
    if (next === '[') throw new BadRegex('subtracts classes, which is not supported');
    const high = readMember(chars, at + 1);
    at = high.end;
    tests.push(rangeOf(low.member, high.member));
  }
  const is: Test = (code) => tests.some((test) => test(code)) !== negative;
  return { node: { type: 'char', is }, end: at + 1 };
}

type Member = number | Test;

function readMember(chars: readonly string[], at: number): { readonly member: Member; readonly end: number } {
  const char = chars[at];
  if (char === undefined) throw new BadRegex('has a class that is not closed');
  if (char !== '\\') return { member: char.codePointAt(0) ?? 0, end: at + 1 };
  const letter = chars[at + 1];
  if (letter === undefined) throw new BadRegex('ends with a backslash');
  if (letter === 'b') return { member: 8, end: at + 2 };
  const set = escapedClass(letter);
  if (set !== undefined) return { member: set, end: at + 2 };
  const { code, end } = escapedCode(chars, at + 1);
  return { member: code, end };
}

function testOf(member: Member): Test {
  return typeof member === 'number' ? (code) => code === member : member;
}

function rangeOf(low: Member, high: Member): Test {
  if (typeof low !== 'number' || typeof high !== 'number') throw new BadRegex('has a class inside a range');
  if (low > high) throw new BadRegex('has a range that runs backwards');
  return (code) => code >= low && code <= high;
}
