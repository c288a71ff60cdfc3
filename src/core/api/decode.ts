import { isArray, isObject, type Json, type JsonObject } from '../json/index.ts';
import type { Problem } from './parsed.ts';

/** Hostile objects may be wrong in a million places; this many are worth telling. */
const maxProblems = 20;

/** Longest list the house looks at; the API server's own size limit comes first for all but the smallest items. */
const maxItems = 20_000;

/** Collects what is wrong while an object is read. */
export class Notes {
  readonly problems: Problem[] = [];

  add(path: string, message: string): undefined {
    if (this.problems.length < maxProblems) this.problems.push({ path, message });
    return undefined;
  }
}

/**
 * Reads a JSON value as a T. Answers the value itself where nothing has to be left out, so unknown fields survive and
 * nothing is copied; `undefined` where it is no T (a note says why).
 */
export type Decode<T> = (value: Json, path: string, notes: Notes) => T | undefined;

function typeName(value: Json): string {
  if (value === null) return 'null';
  if (isArray(value)) return 'a list';
  return isObject(value) ? 'an object' : `a ${typeof value}`;
}

function primitive<T extends Json>(wanted: string, is: (value: Json) => value is T): Decode<T> {
  return (value, path, notes) => (is(value) ? value : notes.add(path, `must be ${wanted}, not ${typeName(value)}`));
}

export const text = primitive('a string', (value): value is string => typeof value === 'string');
export const flag = primitive('true or false', (value): value is boolean => typeof value === 'boolean');
export const integer = primitive(
  'an integer',
  (value): value is number => typeof value === 'number' && Number.isSafeInteger(value),
);
export const integerOrText = primitive(
  'an integer or a string',
  (value): value is number | string => typeof value === 'string' || Number.isSafeInteger(value),
);
export const anyObject = primitive('an object', (value): value is JsonObject => isObject(value));
/** Anything: kept as it is, for parts that only pass through. */
export const anything: Decode<Json> = (value) => value;

/** A list; an item that is no T is left out with a note. Null stays absent, an empty list stays an empty list. */
export function list<T>(item: Decode<T>): Decode<readonly T[]> {
  return (value, path, notes) => {
    if (!isArray(value)) return notes.add(path, `must be a list, not ${typeName(value)}`);
    if (value.length > maxItems) return notes.add(path, `has ${value.length} items, more than ${maxItems}`);
    let kept: T[] | undefined;
    for (const [index, each] of value.entries()) {
      const read = item(each, `${path}[${index}]`, notes);
      if (!Object.is(read, each)) kept ??= value.slice(0, index) as unknown as T[]; // each was answered as itself
      if (read !== undefined) kept?.push(read);
    }
    return kept ?? (value as unknown as readonly T[]); // every item was answered as itself, so the list is a T[]
  };
}

/** A map with values of one type; whoever reads it must ask for own keys only, for the keys are a tenant's. */
export function map<T>(item: Decode<T>): Decode<{ readonly [key: string]: T }> {
  return (value, path, notes) => {
    if (!isObject(value)) return notes.add(path, `must be an object, not ${typeName(value)}`);
    return rebuilt(value, (key, each) => item(each, `${path}.${key}`, notes)) as { readonly [key: string]: T };
  };
}

/** How to read each field of a T. */
export type Fields<T> = { readonly [K in keyof T]-?: Decode<Exclude<T[K], undefined>> };

/** An object with known fields; null counts as absent, unknown fields stay, absent ones are filled from `defaults`. */
export function shape<T extends object>(fields: Fields<T>, defaults?: Partial<T>): Decode<T> {
  const decoders = new Map<string, Decode<unknown>>(Object.entries(fields));
  return (value, path, notes) => {
    if (!isObject(value)) return notes.add(path, `must be an object, not ${typeName(value)}`);
    const prefix = path === '' ? '' : `${path}.`;
    const read = rebuilt(value, (key, each) => {
      const decode = decoders.get(key);
      if (decode === undefined) return each;
      return each === null ? undefined : decode(each, `${prefix}${key}`, notes);
    });
    return withDefaults(read, defaults) as T; // each known field was answered by its own decoder
  };
}

function withDefaults(read: object, defaults: object | undefined): object {
  if (defaults === undefined) return read;
  const missing = Object.keys(defaults).some((key) => !Object.hasOwn(read, key));
  return missing ? { ...defaults, ...read } : read;
}

/** The object itself if every field is kept as it is, else a copy; `Object.fromEntries` keeps `__proto__` a plain key. */
function rebuilt(value: JsonObject, field: (key: string, each: Json) => unknown): object {
  const keys = Object.keys(value);
  let entries: [string, unknown][] | undefined;
  for (const [index, key] of keys.entries()) {
    const each = value[key] ?? null;
    const kept = field(key, each);
    // Nearly all objects are right as they are: a copy is begun only at the first difference.
    if (!Object.is(kept, each)) entries ??= keys.slice(0, index).map((before) => [before, value[before]]);
    if (kept !== undefined) entries?.push([key, kept]);
  }
  return entries === undefined ? value : Object.fromEntries(entries);
}
