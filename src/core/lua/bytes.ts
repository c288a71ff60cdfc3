/**
 * Lua's strings are bytes: `#s`, `s:sub` and patterns count them. Inside the evaluator a string therefore holds one byte per
 * character; most texts are ASCII and are the same on both sides.
 */

const beyondAscii = /[\u0080-\uffff]/;

/** A text as the bytes of its UTF-8, one character each. */
export function toBytes(text: string): string {
  if (!beyondAscii.test(text)) return text;
  let bytes = '';
  for (const character of text) bytes += encode(character.codePointAt(0) ?? 0);
  return bytes;
}

function encode(code: number): string {
  if (code < 0x80) return String.fromCharCode(code);
  if (code < 0x800) return String.fromCharCode(0xc0 | (code >> 6), tail(code));
  if (code < 0x10000) return String.fromCharCode(0xe0 | (code >> 12), tail(code >> 6), tail(code));
  return String.fromCharCode(0xf0 | (code >> 18), tail(code >> 12), tail(code >> 6), tail(code));
}

function tail(bits: number): number {
  return 0x80 | (bits & 0x3f);
}

/** The text that bytes spell in UTF-8; a byte that fits nowhere becomes U+FFFD. */
export function fromBytes(bytes: string): string {
  if (!beyondAscii.test(bytes)) return bytes;
  let text = '';
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes.charCodeAt(at));
    const code = decode(bytes, at, length);
    text += code === undefined ? '\ufffd' : String.fromCodePoint(code);
    at += code === undefined ? 1 : length;
  }
  return text;
}

function sequenceLength(first: number): number {
  if (first < 0x80) return 1;
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}

const smallest = [0, 0, 0x80, 0x800, 0x10000];

function decode(bytes: string, at: number, length: number): number | undefined {
  const first = bytes.charCodeAt(at);
  if (length === 1) return first;
  if (first < 0xc0 || first > 0xf7 || at + length > bytes.length) return undefined;
  let code = first & (0xff >> (length + 1));
  for (let i = 1; i < length; i++) {
    const next = bytes.charCodeAt(at + i);
    if ((next & 0xc0) !== 0x80) return undefined;
    code = (code << 6) | (next & 0x3f);
  }
  return code < (smallest[length] ?? 0) || code > 0x10ffff ? undefined : code;
}
