import { hash } from 'node:crypto';

const words = new Uint32Array(4);

/** A uid as four words, in a place of its own that the next call overwrites. What is no UUID is hashed into one. */
export function uidWords(uid: string): Uint32Array {
  const hex = uid.length === 36 ? uid.replaceAll('-', '') : '';
  const digits = /^[0-9a-f]{32}$/.test(hex) ? hex : hash('md5', uid, 'hex');
  for (let i = 0; i < 4; i++) words[i] = Number.parseInt(digits.slice(i * 8, i * 8 + 8), 16);
  return words;
}

/** The uid as text again. */
export function uidText(column: Uint32Array, row: number): string {
  let hex = '';
  for (let i = 0; i < 4; i++) hex += (column[row * 4 + i] ?? 0).toString(16).padStart(8, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
