import { canonical, isArray, isObject, type Json, own } from '../json/index.ts';
import { declaredField, deref, itemSchema } from './deref.ts';
import { type PathElement, valueElement } from './path.ts';
import type { ResolveRef, Schema } from './schema.ts';

export type Shape = 'map' | 'list' | 'scalar';

/** How a value is walked: by what it is, and where it is null by what its type says. */
export function shapeOf(value: Json | undefined, schema: Schema): Shape {
  if (isArray(value)) return 'list';
  if (isObject(value)) return 'map';
  if (value !== null && value !== undefined) return 'scalar';
  if (schema.type === 'array') return 'list';
  return schema.type === undefined || schema.type === 'object' ? 'map' : 'scalar';
}

/** Tells whether a list or map is owned and replaced as a whole. */
export function isAtomic(schema: Schema, shape: Shape): boolean {
  if (shape === 'list') return schema.listType !== 'set' && schema.listType !== 'map';
  return shape === 'scalar' || schema.mapType === 'atomic';
}

/** Why an item has no place in its list. */
export interface ItemProblem {
  readonly problem: string;
}

/** The step to an item of a set or keyed list; missing keys take their defaults. */
export function itemElement(list: Schema, item: Json, resolve: ResolveRef): PathElement | ItemProblem {
  if (list.listType === 'map' && (list.listMapKeys?.length ?? 0) > 0) return keyedElement(list, item, resolve);
  if (isObject(item)) return { problem: "associative list without keys has an element that's a map type" };
  if (isArray(item)) return { problem: 'not supported: associative list with lists as elements' };
  if (item === null) return { problem: "associative list without keys has an element that's an explicit null" };
  return valueElement(item);
}

function keyedElement(list: Schema, item: Json, resolve: ResolveRef): PathElement | ItemProblem {
  if (item === null) return { problem: 'associative list with keys may not have a null element' };
  if (!isObject(item)) return { problem: 'associative list with keys may not have non-map elements' };
  const keys: string[] = [];
  for (const name of sortedKeys(list)) {
    const value = own(item, name) ?? keyDefault(itemSchema(list, resolve), name, resolve);
    if (value !== undefined) keys.push(`${JSON.stringify(name)}:${canonical(value)}`);
  }
  if (keys.length > 0) return `k:{${keys.join(',')}}`;
  const quoted = (list.listMapKeys ?? []).map((name) => JSON.stringify(name)).join(' ');
  return {
    problem: `associative list with keys has an element that omits all key fields [${quoted}] (and doesn't have default values for any key fields)`,
  };
}

const sorted = new WeakMap<Schema, readonly string[]>();

function sortedKeys(list: Schema): readonly string[] {
  const known = sorted.get(list);
  if (known !== undefined) return known;
  const keys = [...(list.listMapKeys ?? [])].sort();
  sorted.set(list, keys);
  return keys;
}

function keyDefault(items: Schema, name: string, resolve: ResolveRef): Json | undefined {
  const field = declaredField(items, name);
  return field === undefined ? undefined : deref(field, resolve).default;
}

/** The step as text, or undefined for an item that has none. */
export function elementOrNone(list: Schema, item: Json, resolve: ResolveRef): PathElement | undefined {
  const element = itemElement(list, item, resolve);
  return typeof element === 'string' ? element : undefined;
}
