import { canonical, isArray, isObject, type Json, own } from '../json/index.ts';
import { compileRegex } from '../match/index.ts';
import { combine, compareValues, contains, isTrue, JqFailure, setKey, sum, typeOf } from './values.ts';

/** Functions of one value (and of the values of their arguments) that know nothing of paths. */
type Plain = (value: Json, args: readonly Json[]) => Json;

const text = (value: Json, name: string): string => {
  if (typeof value === 'string') return value;
  throw new JqFailure(`${name} cannot be applied to: ${typeOf(value)}`);
};
const list = (value: Json, name: string): readonly Json[] => {
  if (isArray(value)) return value;
  throw new JqFailure(`${name} cannot be applied to: ${typeOf(value)}`);
};

const plain: Readonly<Record<string, Plain>> = {
  'not/0': (value) => !isTrue(value),
  'length/0': lengthOf,
  'keys/0': (value) => keysOf(value).sort(compareValues),
  'keys_unsorted/0': keysOf,
  'type/0': typeOf,
  'tostring/0': (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  'tojson/0': (value) => JSON.stringify(value),
  'tonumber/0': numberOf,
  'ascii_downcase/0': (value) => text(value, 'ascii_downcase').replace(/[A-Z]/g, (char) => char.toLowerCase()),
  'ascii_upcase/0': (value) => text(value, 'ascii_upcase').replace(/[a-z]/g, (char) => char.toUpperCase()),
  'add/0': (value) => (isObject(value) ? Object.values(value) : list(value, 'add')).reduce<Json>(sum, null),
  'any/0': (value) => list(value, 'any').some(isTrue),
  'all/0': (value) => list(value, 'all').every(isTrue),
  'unique/0': (value) =>
    [...new Map(list(value, 'unique').map((item) => [canonical(item), item])).values()].sort(compareValues),
  'sort/0': (value) => [...list(value, 'sort')].sort(compareValues),
  'reverse/0': (value) => [...list(value, 'reverse')].reverse(),
  'flatten/0': (value) =>
    list(value, 'flatten').flatMap(function flat(item): readonly Json[] {
      return isArray(item) ? item.flatMap(flat) : [item];
    }),
  'to_entries/0': entriesOf,
  'from_entries/0': fromEntries,
  'has/1': (value, [key = null]) => hasKey(value, key),
  'in/1': (value, [whole = null]) => hasKey(whole, value),
  'contains/1': (value, [part = null]) => contains(value, part),
  'inside/1': (value, [whole = null]) => contains(whole, value),
  'startswith/1': (value, [part = null]) => text(value, 'startswith').startsWith(text(part, 'startswith')),
  'endswith/1': (value, [part = null]) => text(value, 'endswith').endsWith(text(part, 'endswith')),
  'ltrimstr/1': (value, [part = null]) =>
    typeof value === 'string' && typeof part === 'string' && value.startsWith(part) ? value.slice(part.length) : value,
  'rtrimstr/1': (value, [part = null]) =>
    typeof value === 'string' && typeof part === 'string' && part !== '' && value.endsWith(part)
      ? value.slice(0, -part.length)
      : value,
  'split/1': (value, [part = null]) => text(value, 'split').split(text(part, 'split')),
  'join/1': (value, [part = null]) =>
    list(value, 'join')
      .map((item) => (item === null ? '' : typeof item === 'string' ? item : JSON.stringify(item)))
      .join(text(part, 'join')),
  'index/1': (value, [part = null]) => {
    const at = text(value, 'index').indexOf(text(part, 'index'));
    return at < 0 ? null : at;
  },
  'test/1': (value, [pattern = null]) => matches(text(value, 'test'), text(pattern, 'test')),
  'error/0': (value) => {
    throw new JqFailure(typeof value === 'string' ? value : JSON.stringify(value));
  },
};

/** Functions that pass the value itself on, if it is one of these. */
const filters: Readonly<Record<string, (value: Json) => boolean>> = {
  'values/0': (value) => value !== null,
  'nulls/0': (value) => value === null,
  'objects/0': isObject,
  'arrays/0': isArray,
  'iterables/0': (value) => isObject(value) || isArray(value),
  'strings/0': (value) => typeof value === 'string',
  'numbers/0': (value) => typeof value === 'number',
  'booleans/0': (value) => typeof value === 'boolean',
  'scalars/0': (value) => !isObject(value) && !isArray(value),
};

/** Functions that `run.ts` carries out itself: they need paths, or run their arguments more than once. */
const special = new Set([
  'IN/1',
  'all/1',
  'any/1',
  'del/1',
  'empty/0',
  'first/0',
  'first/1',
  'last/0',
  'map/1',
  'recurse/0',
  'recurse/1',
  'select/1',
  'with_entries/1',
]);

/** Tells whether there is a function of this name with so many arguments. */
export function isKnownCall(name: string, count: number): boolean {
  const id = `${name}/${count}`;
  return special.has(id) || Object.hasOwn(plain, id) || Object.hasOwn(filters, id);
}

export function plainFunction(id: string): Plain | undefined {
  return Object.hasOwn(plain, id) ? plain[id] : undefined;
}

export function filterFunction(id: string): ((value: Json) => boolean) | undefined {
  return Object.hasOwn(filters, id) ? filters[id] : undefined;
}

function lengthOf(value: Json): Json {
  if (value === null) return 0;
  if (typeof value === 'string') return Array.from(value).length;
  if (typeof value === 'number') return Math.abs(value);
  if (isArray(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  throw new JqFailure('boolean has no length');
}

function keysOf(value: Json): Json[] {
  if (isArray(value)) return value.map((_, i) => i);
  if (isObject(value)) return Object.keys(value);
  throw new JqFailure(`${typeOf(value)} has no keys`);
}

function numberOf(value: Json): Json {
  if (typeof value === 'number') return value;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  if (Number.isNaN(number)) throw new JqFailure('a value cannot be parsed as a number');
  return number;
}

function hasKey(value: Json, key: Json): boolean {
  if (isObject(value) && typeof key === 'string') return Object.hasOwn(value, key);
  if (isArray(value) && typeof key === 'number') return key >= 0 && key < value.length;
  throw new JqFailure(`cannot check whether ${typeOf(value)} has a ${typeOf(key)} key`);
}

/** The pairs of an object as `{key, value}`. */
export function entriesOf(value: Json): Json[] {
  if (!isObject(value)) throw new JqFailure(`to_entries cannot be applied to: ${typeOf(value)}`);
  return Object.keys(value).map((key) => ({ key, value: value[key] ?? null }));
}

/** The object of such pairs; keys may be named `key`, `k`, `name`. */
export function fromEntries(value: Json): Json {
  const map: Record<string, Json> = {};
  for (const entry of list(value, 'from_entries')) {
    const key = own(entry, 'key') ?? own(entry, 'k') ?? own(entry, 'name') ?? null;
    if (typeof key === 'object') throw new JqFailure('from_entries: a key is no text');
    setKey(map, String(key), own(entry, 'value') ?? own(entry, 'v') ?? null);
  }
  return map;
}

const compiled = new Map<string, (text: string) => boolean>();

function matches(value: string, pattern: string): boolean {
  let test = compiled.get(pattern);
  if (test === undefined) {
    const regex = compileRegex(pattern);
    if (!regex.ok) throw new JqFailure(`the pattern of test ${regex.message}`);
    test = (each) => regex.matches(each);
    // Patterns may be made up from values: those that were used before are few.
    if (compiled.size > 200) compiled.clear();
    compiled.set(pattern, test);
  }
  return test(value);
}

/** The binary operators other than `and`, `or` and `//`. */
export const operate = combine;
