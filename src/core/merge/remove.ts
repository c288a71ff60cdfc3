import { isArray, isObject, type Json } from '../json/index.ts';
import { fieldSchema, itemSchema } from './deref.ts';
import { type FieldSet, isEmpty } from './fields.ts';
import { fieldElement } from './path.ts';
import type { ResolveRef, Schema } from './schema.ts';
import { elementOrNone, isAtomic, shapeOf } from './shape.ts';

/** The value without the paths of a set; undefined where nothing of it is left. */
export function removeFields(value: Json, set: FieldSet, schema: Schema, resolve: ResolveRef): Json | undefined {
  if (isEmpty(set)) return value;
  const shape = shapeOf(value, schema);
  if (shape === 'scalar') return value;
  if (isAtomic(schema, shape)) return undefined;
  if (isArray(value)) return removeItems(value, set, schema, resolve);
  return isObject(value) ? removeKeys(value, set, schema, resolve) : undefined;
}

function removeItems(
  list: readonly Json[],
  set: FieldSet,
  schema: Schema,
  resolve: ResolveRef,
): readonly Json[] | undefined {
  const items = itemSchema(schema, resolve);
  const left: Json[] = [];
  for (const item of list) {
    const element = elementOrNone(schema, item, resolve);
    if (element !== undefined && set.members.has(element)) continue;
    const below = element === undefined ? undefined : set.children.get(element);
    const rest = below === undefined ? item : removeFields(item, below, items, resolve);
    if (rest !== undefined) left.push(rest);
  }
  return left.length > 0 ? left : undefined;
}

function removeKeys(
  map: { readonly [key: string]: Json },
  set: FieldSet,
  schema: Schema,
  resolve: ResolveRef,
): Json | undefined {
  const left: [string, Json][] = [];
  for (const key of Object.keys(map)) {
    const element = fieldElement(key);
    if (set.members.has(element)) continue;
    const below = set.children.get(element);
    const value = map[key] ?? null;
    const rest = below === undefined ? value : removeFields(value, below, fieldSchema(schema, key, resolve), resolve);
    // What is emptied below a field that stays is null, as in Kubernetes: whoever owns the field keeps owning it.
    left.push([key, rest ?? null]);
  }
  return left.length > 0 ? Object.fromEntries(left) : undefined;
}
