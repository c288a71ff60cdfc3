import type { Json } from '../json/index.ts';

/**
 * Parses JSON that must not be ambiguous: a key given twice refuses the text, since two readers could choose
 * differently. Undefined where it is no such JSON; no part of the text ever becomes a message.
 */
export function parseStrictJson(text: string, maxDepth = 32): Json | undefined {
  if (!isUnambiguous(text, maxDepth)) return undefined;
  try {
    return JSON.parse(text) as Json; // JSON.parse answers JSON
  } catch {
    return undefined;
  }
}

/** One pass over the text: depth and repeated keys. What is no JSON at all is left to JSON.parse. */
function isUnambiguous(text: string, maxDepth: number): boolean {
  const open: (Set<string> | undefined)[] = [];
  const token = /"(?:[^"\\]|\\.)*"|[{}[\]]/gsu;
  for (const { 0: found, index } of text.matchAll(token)) {
    if (found === '{' || found === '[') {
      open.push(found === '{' ? new Set() : undefined);
      if (open.length > maxDepth) return false;
    } else if (found === '}' || found === ']') {
      open.pop();
    } else if (isKey(text, index + found.length)) {
      const keys = open.at(-1);
      const key = unescaped(found);
      if (keys?.has(key)) return false;
      keys?.add(key);
    }
  }
  return true;
}

function isKey(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at++;
  return text[at] === ':';
}

/** `"a"` and `"\u0061"` are one key. */
function unescaped(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}
