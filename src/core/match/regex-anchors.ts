import type { Codes, Node } from './automaton.ts';

const newline = 10;

/** `^` and `\A`. */
export const atStart: Node = { type: 'assert', holds: (_text, at) => at === 0 };

/** `$` and `\Z`: at the end, or before a newline that ends the text. */
export const atEnd: Node = {
  type: 'assert',
  holds: (text, at) => at === text.length || (at === text.length - 1 && text[at] === newline),
};

/** `\z`. */
export const atVeryEnd: Node = { type: 'assert', holds: (text, at) => at === text.length };

/** `\b` and, negated, `\B`. */
export function betweenWords(wanted: boolean): Node {
  return { type: 'assert', holds: (text, at) => (isWordAt(text, at - 1) !== isWordAt(text, at)) === wanted };
}

function isWordAt(text: Codes, at: number): boolean {
  const code = text[at];
  return code !== undefined && isWord(code);
}

const word = /^[\p{L}\p{Mn}\p{Nd}\p{Pc}]$/u;

/** A character of `\w`. */
export function isWord(code: number): boolean {
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || isDigit(code) || code === 95;
  return word.test(String.fromCodePoint(code));
}

const digit = /^\p{Nd}$/u;

/** A character of `\d`. */
export function isDigit(code: number): boolean {
  return code < 128 ? code >= 48 && code <= 57 : digit.test(String.fromCodePoint(code));
}

const space = /^[\s\u0085]$/u;

/** A character of `\s`. */
export function isSpace(code: number): boolean {
  return space.test(String.fromCodePoint(code)) && code !== 0xfeff;
}
