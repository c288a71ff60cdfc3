import { hash } from 'node:crypto';

const words = new Uint32Array(4);
/** Where the 32 digits stand in the text of a UUID; it has a dash at each place that is left out. */
const places = [...Array(36).keys()].filter((at) => at !== 8 && at !== 13 && at !== 18 && at !== 23);
const dash = 0x2d;

/** A uid as four words, in a place of its own that the next call overwrites. What is no UUID is hashed into one. */
export function uidWords(uid: string): Uint32Array {
  if (!readUuid(uid)) {
    const digits = hash('md5', uid, 'hex');
    for (let i = 0; i < 4; i++) words[i] = Number.parseInt(digits.slice(i * 8, i * 8 + 8), 16);
  }
  return words;
}

/** Reads the digits one by one: every object that comes has a uid, and its owner's, and a pattern costs far more. */
function readUuid(uid: string): boolean {
  if (uid.length !== 36) return false;
  if (uid.charCodeAt(8) !== dash || uid.charCodeAt(13) !== dash) return false;
  if (uid.charCodeAt(18) !== dash || uid.charCodeAt(23) !== dash) return false;
  for (let i = 0, word = 0; i < 32; i++) {
    const digit = digitOf(uid.charCodeAt(places[i] ?? 0));
    if (digit < 0) return false;
    word = (word << 4) | digit;
    if ((i & 7) === 7) words[i >> 3] = word;
  }
  return true;
}

function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  return code >= 0x61 && code <= 0x66 ? code - 0x57 : -1;
}

/** The uid as text again. */
export function uidText(column: Uint32Array, row: number): string {
  let hex = '';
  for (let i = 0; i < 4; i++) hex += (column[row * 4 + i] ?? 0).toString(16).padStart(8, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
