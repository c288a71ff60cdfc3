import { canonical, equal, isArray, isObject, type Json, own } from '../json/index.ts';

/** A program that went wrong on this value; never leaves this room. */
export class JqFailure extends Error {
  constructor(message: string) {
    // Programs fail by the thousand, on each value that `?` is asked about; where in our code is of no interest to anybody.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The type of a value in jq's words. */
export function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (isArray(value)) return 'array';
  return typeof value;
}

/** Only null and false are not. */
export function isTrue(value: Json): boolean {
  return value !== null && value !== false;
}

const order = ['null', 'false', 'true', 'number', 'string', 'array', 'object'];
const rank = (value: Json): number => order.indexOf(typeof value === 'boolean' ? String(value) : typeOf(value));

/** The order of all values: by type, then by value. */
export function compareValues(a: Json, b: Json): number {
  const types = rank(a) - rank(b);
  if (types !== 0) return types;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  if (isArray(a) && isArray(b)) {
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      const found = compareValues(a[i] ?? null, b[i] ?? null);
      if (found !== 0) return found;
    }
    return a.length - b.length;
  }
  const [one, other] = [canonical(a), canonical(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Two values with an operator between them. */
export function combine(sign: string, a: Json, b: Json): Json {
  switch (sign) {
    case '==':
      return equal(a, b);
    case '!=':
      return !equal(a, b);
    case '<':
      return compareValues(a, b) < 0;
    case '<=':
      return compareValues(a, b) <= 0;
    case '>':
      return compareValues(a, b) > 0;
    case '>=':
      return compareValues(a, b) >= 0;
    case '+':
      return sum(a, b);
    default:
      return calculate(sign, a, b);
  }
}

const maxText = 1_000_000;

/** Joins what can be joined: numbers, texts, lists, objects; null adds nothing. */
export function sum(a: Json, b: Json): Json {
  if (a === null) return b;
  if (b === null) return a;
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (typeof a === 'string' && typeof b === 'string') {
    if (a.length + b.length > maxText) throw new JqFailure('a text grows too long');
    return a + b;
  }
  if (isArray(a) && isArray(b)) return [...a, ...b];
  if (isObject(a) && isObject(b)) return { ...a, ...b };
  throw new JqFailure(`${typeOf(a)} and ${typeOf(b)} cannot be added`);
}

function calculate(sign: string, a: Json, b: Json): Json {
  if (sign === '-' && isArray(a) && isArray(b)) return a.filter((item) => !b.some((each) => equal(item, each)));
  if (sign === '/' && typeof a === 'string' && typeof b === 'string') return a.split(b);
  if (typeof a !== 'number' || typeof b !== 'number')
    throw new JqFailure(`${typeOf(a)} and ${typeOf(b)} cannot be combined by ${sign}`);
  if (b === 0 && sign !== '-' && sign !== '*') throw new JqFailure('division by zero');
  if (sign === '-') return a - b;
  if (sign === '*') return a * b;
  return sign === '/' ? a / b : Math.trunc(a) % Math.trunc(b);
}

/** jq's `contains`: texts by part, lists and objects by what they hold. */
export function contains(a: Json, b: Json): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a.includes(b);
  if (isArray(a) && isArray(b))
    return b.every((wanted) => a.some((item) => typeOf(item) === typeOf(wanted) && contains(item, wanted)));
  if (isObject(a) && isObject(b))
    return Object.keys(b).every((key) => {
      const [item, wanted] = [own(a, key), own(b, key)];
      return item !== undefined && wanted !== undefined && typeOf(item) === typeOf(wanted) && contains(item, wanted);
    });
  if (typeOf(a) !== typeOf(b))
    throw new JqFailure(`${typeOf(a)} and ${typeOf(b)} cannot have their containment checked`);
  return equal(a, b);
}

/** Plain assignment would take a key named `__proto__` for something else. */
export function setKey(map: Record<string, Json>, key: string, value: Json): void {
  Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
}
