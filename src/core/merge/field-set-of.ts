import { isArray, isObject, type Json } from '../json/index.ts';
import { declaredField, fieldSchema, itemSchema } from './deref.ts';
import { type FieldSet, FieldSetBuilder } from './fields.ts';
import { fieldElement, type PathElement } from './path.ts';
import type { ResolveRef, Schema } from './schema.ts';
import { elementOrNone, isAtomic, shapeOf } from './shape.ts';

/** The paths an object sets: its leaves, the items of its keyed lists and sets, the keys of its maps. */
export function fieldSetOf(value: Json, schema: Schema, resolve: ResolveRef): FieldSet {
  const set = new FieldSetBuilder();
  collect(value, schema, { resolve, set }, []);
  return set;
}

interface Walk {
  readonly resolve: ResolveRef;
  readonly set: FieldSetBuilder;
}

function collect(value: Json, schema: Schema, walk: Walk, path: readonly PathElement[]): void {
  const shape = shapeOf(value, schema);
  if (isAtomic(schema, shape)) walk.set.insert(path);
  else if (isArray(value)) collectItems(value, schema, walk, path);
  else if (isObject(value)) collectKeys(value, schema, walk, path);
}

function collectItems(list: readonly Json[], schema: Schema, walk: Walk, path: readonly PathElement[]): void {
  const elements = list.map((item) => elementOrNone(schema, item, walk.resolve));
  const items = itemSchema(schema, walk.resolve);
  const seen = new Map<PathElement, number>();
  for (const element of elements) if (element !== undefined) seen.set(element, (seen.get(element) ?? 0) + 1);
  list.forEach((item, index) => {
    const element = elements[index];
    if (element === undefined) return;
    const below = [...path, element];
    walk.set.insert(below);
    // Items that share their keys are owned as one.
    if (seen.get(element) === 1) collect(item, items, walk, below);
  });
}

function collectKeys(
  map: { readonly [key: string]: Json },
  schema: Schema,
  walk: Walk,
  path: readonly PathElement[],
): void {
  for (const key of Object.keys(map)) {
    const value = map[key] ?? null;
    const below = [...path, fieldElement(key)];
    collect(value, fieldSchema(schema, key, walk.resolve), walk, below);
    const isBare = value === null || (isObject(value) && Object.keys(value).length === 0);
    if (isBare || declaredField(schema, key) === undefined) walk.set.insert(below);
  }
}

/** The set together with the declared fields on the way to its paths: removing those removes the parents that hold nothing else. */
export function withNamedFields(set: FieldSet, schema: Schema, resolve: ResolveRef): FieldSet {
  const members = new Set(set.members);
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of set.children) {
    if (element.startsWith('f:') && declaredField(schema, element.slice(2)) !== undefined) members.add(element);
    children.set(element, withNamedFields(child, below(schema, element, resolve), resolve));
  }
  return { members, children };
}

function below(schema: Schema, element: PathElement, resolve: ResolveRef): Schema {
  if (element.startsWith('f:')) return fieldSchema(schema, element.slice(2), resolve);
  return itemSchema(schema, resolve);
}
