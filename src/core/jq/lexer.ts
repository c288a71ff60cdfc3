/** One word of a program. */
export type Token =
  | { readonly type: 'field'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'number'; readonly value: number }
  /** Names, keywords and `$variables`. */
  | { readonly type: 'word'; readonly text: string }
  | { readonly type: 'sign'; readonly text: string };

/** A program that is none we can run; never leaves this room. */
export class JqSyntax extends Error {}

const maxLength = 10_000;
const blank = /[ \t\r\n]*(?:#[^\n]*)?/y;
const patterns: readonly [Token['type'], RegExp][] = [
  ['number', /\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?/y],
  ['field', /\.[A-Za-z_][A-Za-z0-9_]*/y],
  ['word', /\$?[A-Za-z_][A-Za-z0-9_]*/y],
  ['sign', /\?\/\/|\.\.|==|!=|<=|>=|\/\/=?|[|+*/%-]?=|[.[\](){}|,:;<>+*/%?-]/y],
];

/** Splits a program into words. */
export function tokens(source: string): Token[] {
  if (source.length > maxLength) throw new JqSyntax(`is longer than ${maxLength} characters`);
  const found: Token[] = [];
  for (let at = skip(source, 0); at < source.length; at = skip(source, at)) {
    const [token, end] = source[at] === '"' ? readText(source, at) : readToken(source, at);
    found.push(token);
    at = end;
  }
  return found;
}

function skip(source: string, from: number): number {
  for (let at = from; ; ) {
    blank.lastIndex = at;
    blank.exec(source);
    if (blank.lastIndex <= at) return at;
    at = blank.lastIndex;
  }
}

function readToken(source: string, at: number): [Token, number] {
  for (const [type, pattern] of patterns) {
    pattern.lastIndex = at;
    const text = pattern.exec(source)?.[0];
    if (text === undefined) continue;
    const end = at + text.length;
    if (type === 'number') return [{ type, value: Number(text) }, end];
    return [{ type, text: type === 'field' ? text.slice(1) : text }, end];
  }
  throw new JqSyntax(`unexpected ${JSON.stringify(source[at])} at character ${at + 1}`);
}

function readText(source: string, start: number): [Token, number] {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') {
      if (source[at + 1] === '(') throw new JqSyntax('texts with \\(…) in them are not supported');
      at++;
    } else if (source[at] === '"') return [{ type: 'text', text: unquote(source.slice(start, at + 1)) }, at + 1];
  }
  throw new JqSyntax('a text has no end');
}

function unquote(quoted: string): string {
  try {
    // Line breaks may stand in a text of jq as they are.
    const text: unknown = JSON.parse(quoted.replace(/[\n\r\t]/g, (char) => JSON.stringify(char).slice(1, -1)));
    if (typeof text === 'string') return text;
  } catch {
    // Said below.
  }
  throw new JqSyntax(`${quoted} is no text`);
}
