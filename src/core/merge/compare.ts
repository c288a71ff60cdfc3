import { equal, isArray, isObject, type Json, own } from '../json/index.ts';
import { fieldSchema, itemSchema } from './deref.ts';
import { type FieldSet, FieldSetBuilder } from './fields.ts';
import { fieldElement, type PathElement } from './path.ts';
import type { ResolveRef, Schema } from './schema.ts';
import { elementOrNone, isAtomic, type Shape, shapeOf } from './shape.ts';

/** How one object differs from another, as sets of paths. */
export interface FieldComparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

interface Walk {
  readonly resolve: ResolveRef;
  readonly added: FieldSetBuilder;
  readonly modified: FieldSetBuilder;
  readonly removed: FieldSetBuilder;
}

/** Compares two objects field by field, the way ownership is counted. */
export function compareFields(before: Json, after: Json, schema: Schema, resolve: ResolveRef): FieldComparison {
  const walk: Walk = {
    resolve,
    added: new FieldSetBuilder(),
    modified: new FieldSetBuilder(),
    removed: new FieldSetBuilder(),
  };
  visit({ before, after, schema, path: [] }, walk);
  return walk;
}

interface Pair {
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  readonly schema: Schema;
  readonly path: readonly PathElement[];
}

function visit(pair: Pair, walk: Walk): void {
  const { before, after, schema } = pair;
  if (before === after) return;
  const shape = shapeOf(after === undefined || after === null ? before : after, schema);
  const other = before === undefined || before === null ? shape : shapeOf(before, schema);
  if (shape !== other) {
    walk.modified.insert(pair.path);
    inside({ ...pair, after: undefined }, other, walk);
    inside({ ...pair, before: undefined }, shape, walk);
    return;
  }
  if (isAtomic(schema, shape) || (isBare(before) && isBare(after))) {
    leaf(pair, walk);
    return;
  }
  inside(pair, shape, walk);
  if (before === undefined) walk.added.insert(pair.path);
  else if (after === undefined) walk.removed.insert(pair.path);
}

function isBare(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

function leaf({ before, after, path }: Pair, walk: Walk): void {
  if (before === undefined) walk.added.insert(path);
  else if (after === undefined) walk.removed.insert(path);
  else if (!equal(before, after)) walk.modified.insert(path);
}

function inside(pair: Pair, shape: Shape, walk: Walk): void {
  if (isAtomic(pair.schema, shape)) return;
  if (shape === 'list') visitItems(pair, walk);
  else visitKeys(pair, walk);
}

function visitKeys({ before, after, schema, path }: Pair, walk: Walk): void {
  const left = isObject(before) ? before : {};
  const right = isObject(after) ? after : {};
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const below = { before: own(left, key), after: own(right, key), schema: fieldSchema(schema, key, walk.resolve) };
    visit({ ...below, path: [...path, fieldElement(key)] }, walk);
  }
}

function visitItems({ before, after, schema, path }: Pair, walk: Walk): void {
  const left = group(before, schema, walk.resolve);
  const right = group(after, schema, walk.resolve);
  const items = itemSchema(schema, walk.resolve);
  for (const element of new Set([...left.keys(), ...right.keys()])) {
    const [olds, news] = [left.get(element) ?? [], right.get(element) ?? []];
    const here = [...path, element];
    if (olds.length <= 1 && news.length <= 1)
      visit({ before: olds[0], after: news[0], schema: items, path: here }, walk);
    else visitDuplicates({ olds, news, items, path: here }, walk);
  }
}

/** Items sharing their keys are compared as one value: their order and number count, not their fields. */
function visitDuplicates(
  at: { olds: readonly Json[]; news: readonly Json[]; items: Schema; path: readonly PathElement[] },
  walk: Walk,
): void {
  const { olds, news, items, path } = at;
  if (olds.length >= 2 && news.length >= 2) {
    if (!equal(olds, news)) walk.modified.insert(path);
  } else if (olds.length >= 2) {
    if (news.length === 1) visit({ before: undefined, after: news[0], schema: items, path }, walk);
    walk.removed.insert(path);
  } else {
    if (olds.length === 1) visit({ before: olds[0], after: undefined, schema: items, path }, walk);
    walk.added.insert(path);
  }
}

function group(list: Json | undefined, schema: Schema, resolve: ResolveRef): Map<PathElement, Json[]> {
  const groups = new Map<PathElement, Json[]>();
  if (!isArray(list)) return groups;
  for (const item of list) {
    const element = elementOrNone(schema, item, resolve);
    if (element === undefined) continue;
    const same = groups.get(element);
    if (same === undefined) groups.set(element, [item]);
    else same.push(item);
  }
  return groups;
}
