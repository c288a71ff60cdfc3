import { isArray, isObject, type Json } from '../json/index.ts';
import { declaredField, fieldSchema, itemSchema } from './deref.ts';
import { type FieldSet, FieldSetBuilder } from './fields.ts';
import { fieldElement, type PathElement } from './path.ts';
import type { ResolveRef, Schema } from './schema.ts';
import { elementOrNone, isAtomic, shapeOf } from './shape.ts';

/** The paths an object sets: its leaves, the items of its keyed lists and sets, the keys of its maps. */
export function fieldSetOf(value: Json, schema: Schema, resolve: ResolveRef): FieldSet {
  const set = new FieldSetBuilder();
  collectInside(value, schema, resolve, set);
  return set;
}

interface Spot {
  readonly parent: FieldSetBuilder;
  readonly element: PathElement;
}

function collect(value: Json, schema: Schema, resolve: ResolveRef, { parent, element }: Spot): void {
  if (isAtomic(schema, shapeOf(value, schema))) {
    parent.members.add(element);
    return;
  }
  const inside = new FieldSetBuilder();
  collectInside(value, schema, resolve, inside);
  if (inside.members.size > 0 || inside.children.size > 0) parent.children.set(element, inside);
}

function collectInside(value: Json, schema: Schema, resolve: ResolveRef, set: FieldSetBuilder): void {
  if (isArray(value)) collectItems(value, schema, resolve, set);
  else if (isObject(value)) collectKeys(value, schema, resolve, set);
}

function collectItems(list: readonly Json[], schema: Schema, resolve: ResolveRef, set: FieldSetBuilder): void {
  const items = itemSchema(schema, resolve);
  const repeated = new Set<PathElement>();
  for (const item of list) {
    const element = elementOrNone(schema, item, resolve);
    if (element === undefined) continue;
    if (set.members.has(element)) repeated.add(element);
    set.members.add(element);
    collect(item, items, resolve, { parent: set, element });
  }
  // Items that share their keys are owned as one.
  for (const element of repeated) set.children.delete(element);
}

function collectKeys(
  map: { readonly [key: string]: Json },
  schema: Schema,
  resolve: ResolveRef,
  set: FieldSetBuilder,
): void {
  for (const key of Object.keys(map)) {
    const value = map[key] ?? null;
    const element = fieldElement(key);
    collect(value, fieldSchema(schema, key, resolve), resolve, { parent: set, element });
    const isBare = value === null || (isObject(value) && Object.keys(value).length === 0);
    if (isBare || declaredField(schema, key) === undefined) set.members.add(element);
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
