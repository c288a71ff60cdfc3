import { ArgosyError } from '../../core/errors/index.ts';

/** One import of a Jsonnet text. */
export interface JsonnetImport {
  readonly path: string;
  /** Read as code, so that it may import in its turn; the others are read as they are. */
  readonly isCode: boolean;
}

const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const indentation = /[ \t]*/y;
const blank = /(?:\s+|\/\/[^\n]*|#[^\n]*|\/\*[\s\S]*?(?:\*\/|$))+/y;

/**
 * Finds the imports of a Jsonnet text. The language allows nothing but a plain string behind `import`, so they can all be
 * known before anything is run; whatever else stands there is refused.
 */
export function jsonnetImports(text: string, file: string): readonly JsonnetImport[] {
  const found: JsonnetImport[] = [];
  let at = 0;
  while (at < text.length) {
    at = skipBlank(text, at);
    const string = stringAt(text, at);
    if (string !== undefined) {
      at = string.end;
      continue;
    }
    word.lastIndex = at;
    const name = word.exec(text)?.[0];
    at += name?.length ?? 1;
    if (name !== 'import' && name !== 'importstr' && name !== 'importbin') continue;
    at = skipBlank(text, at);
    const path = stringAt(text, at);
    if (path === undefined)
      throw new ArgosyError('render-refused', `${file}: an import needs a plain string`, { subject: file });
    found.push({ path: path.value, isCode: name === 'import' });
    at = path.end;
  }
  return found;
}

function skipBlank(text: string, at: number): number {
  blank.lastIndex = at;
  return at + (blank.exec(text)?.[0].length ?? 0);
}

interface Text {
  readonly value: string;
  readonly end: number;
}

function stringAt(text: string, at: number): Text | undefined {
  if (text.startsWith('|||', at)) return textBlock(text, at);
  const verbatim = text[at] === '@';
  const quote = text[verbatim ? at + 1 : at];
  if (quote !== '"' && quote !== "'") return undefined;
  return verbatim ? verbatimString(text, at + 2, quote) : quotedString(text, at + 1, quote);
}

function quotedString(text: string, from: number, quote: string): Text {
  let value = '';
  let at = from;
  for (; at < text.length && text[at] !== quote; at += 1) {
    if (text[at] !== '\\') value += text[at];
    else if (text[at + 1] === 'u') {
      value += String.fromCharCode(Number.parseInt(text.slice(at + 2, at + 6), 16) || 0);
      at += 5;
    } else {
      const escaped = text[at + 1] ?? '';
      value += { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }[escaped] ?? escaped;
      at += 1;
    }
  }
  return { value, end: at + 1 };
}

function verbatimString(text: string, from: number, quote: string): Text {
  let value = '';
  let at = from;
  for (; at < text.length; at += 1) {
    if (text[at] === quote && text[at + 1] !== quote) break;
    if (text[at] === quote) at += 1;
    value += text[at];
  }
  return { value, end: at + 1 };
}

/** A block goes on as long as its lines are indented as its first one is, or are empty. */
function textBlock(text: string, at: number): Text {
  const first = text.indexOf('\n', at);
  if (first < 0) return { value: '', end: text.length };
  let line = first + 1;
  while (text[line] === '\n') line += 1;
  indentation.lastIndex = line;
  const indent = indentation.exec(text)?.[0] ?? '';
  while (line < text.length && indent !== '' && (text.startsWith(indent, line) || text[line] === '\n')) {
    const end = text.indexOf('\n', line);
    line = end < 0 ? text.length : end + 1;
  }
  const close = text.indexOf('|||', line);
  // What is imported by a block is refused by the language itself; an impossible path says so here.
  return { value: '\0', end: close < 0 ? text.length : close + 3 };
}
