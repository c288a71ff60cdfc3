import { canonical, isArray, isObject, type Json, own } from '../json/index.ts';
import { declaredField, deref, itemSchema } from './deref.ts';
import { type Problem, problem } from './problem.ts';
import type { ResolveRef, Schema } from './schema.ts';

/** Items that occur twice in a list that is a set or has keys. */
export function listProblems(value: Json, schema: Schema, resolve: ResolveRef, path = ''): readonly Problem[] {
  if (isArray(value)) {
    const items = itemSchema(schema, resolve);
    const below = value.flatMap((item, index) => listProblems(item, items, resolve, `${path}[${index}]`));
    return [...duplicates(value, schema, path), ...below];
  }
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) => {
    const item = value[key] ?? null;
    const declared = declaredField(schema, key);
    if (declared !== undefined) {
      const below = path === '' ? key : `${path}.${key}`;
      return listProblems(item, deref(declared, resolve), resolve, below);
    }
    const values = schema.additionalProperties;
    if (values === undefined || values === true) return [];
    return listProblems(item, deref(values, resolve), resolve, `${path}[${key}]`);
  });
}

function duplicates(list: readonly Json[], schema: Schema, path: string): readonly Problem[] {
  if (schema.listType === 'set') return repeated(list, path);
  if (schema.listType !== 'map') return [];
  const stranger = list.findIndex((item) => item !== null && !isObject(item));
  if (stranger >= 0) {
    const detail = 'must be an object for an array of list-type map';
    return [problem(`${path}[${stranger}]`, 'Invalid value', { value: list[stranger] ?? null, detail })];
  }
  return repeated(
    list.map((item) => keysOf(item, schema.listMapKeys ?? [])),
    path,
  );
}

function keysOf(item: Json, names: readonly string[]): Json {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = own(item, name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** The second of each group of equal values is the one reported. */
function repeated(values: readonly Json[], path: string): readonly Problem[] {
  const times = new Map<string, number>();
  return values.flatMap((value, index) => {
    const text = canonical(value);
    const count = (times.get(text) ?? 0) + 1;
    times.set(text, count);
    return count === 2 ? [problem(`${path}[${index}]`, 'Duplicate value', { value })] : [];
  });
}
