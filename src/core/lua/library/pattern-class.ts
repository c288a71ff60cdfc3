import type { Machine } from '../machine.ts';

/** Where the single-character class that begins at `p` ends: after `x`, `.`, `%a` or `[set]`. */
export function classEnd(machine: Machine, pattern: string, p: number): number {
  const first = pattern[p];
  if (first === '%') {
    if (p + 1 >= pattern.length) throw machine.fault("malformed pattern (ends with '%')");
    return p + 2;
  }
  return first === '[' ? setEnd(machine, pattern, p) : p + 1;
}

function setEnd(machine: Machine, pattern: string, p: number): number {
  let at = p + 1;
  if (pattern[at] === '^') at += 1;
  // A `]` in the first place stands for itself.
  do {
    if (at >= pattern.length) throw machine.fault("malformed pattern (missing ']')");
    at += pattern[at] === '%' ? 2 : 1;
  } while (pattern[at] !== ']');
  return at + 1;
}

/** Tells whether a byte belongs to the class between `p` and `end`. */
export function matchesClass(pattern: string, p: number, end: number, code: number): boolean {
  switch (pattern[p]) {
    case '.':
      return true;
    case '%':
      return isOf(pattern[p + 1] ?? '', code);
    case '[':
      return inSet(pattern, p, end - 1, code);
    default:
      return pattern.charCodeAt(p) === code;
  }
}

function inSet(pattern: string, p: number, close: number, code: number): boolean {
  const negated = pattern[p + 1] === '^';
  for (let at = negated ? p + 2 : p + 1; at < close; at++) {
    if (pattern[at] === '%') {
      at += 1;
      if (isOf(pattern[at] ?? '', code)) return !negated;
    } else if (pattern[at + 1] === '-' && at + 2 < close) {
      if (pattern.charCodeAt(at) <= code && code <= pattern.charCodeAt(at + 2)) return !negated;
      at += 2;
    } else if (pattern.charCodeAt(at) === code) {
      return !negated;
    }
  }
  return negated;
}

const upper = (code: number): boolean => code >= 65 && code <= 90;
const lower = (code: number): boolean => code >= 97 && code <= 122;
const digit = (code: number): boolean => code >= 48 && code <= 57;
const printed = (code: number): boolean => code > 32 && code < 127;

const classes: Readonly<Record<string, (code: number) => boolean>> = {
  a: (code) => upper(code) || lower(code),
  c: (code) => code < 32 || code === 127,
  d: digit,
  g: printed,
  l: lower,
  p: (code) => printed(code) && !upper(code) && !lower(code) && !digit(code),
  s: (code) => code === 32 || (code >= 9 && code <= 13),
  u: upper,
  w: (code) => upper(code) || lower(code) || digit(code),
  x: (code) => digit(code) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102),
  z: (code) => code === 0,
};

/** `%a` and its kin; an upper-case letter means the opposite, anything else stands for itself. */
function isOf(letter: string, code: number): boolean {
  const small = letter.toLowerCase();
  const test = Object.hasOwn(classes, small) ? classes[small] : undefined;
  if (test === undefined) return letter.charCodeAt(0) === code;
  return test(code) !== (small !== letter);
}
