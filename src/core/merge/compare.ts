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

type Change = keyof FieldComparison;

/** A place in the walk; the sets grow a branch to it only when something is found there. */
class Spot {
  readonly #up: Spot | undefined;
  readonly #element: PathElement;
  readonly #inside: { [change in Change]?: FieldSetBuilder } = {};

  constructor(up: Spot | undefined, element: PathElement) {
    this.#up = up;
    this.#element = element;
  }

  /** Notes that this place was added, modified or removed. */
  note(change: Change): void {
    this.#up?.inside(change).members.add(this.#element);
  }

  /** The set of what is below this place. */
  inside(change: Change): FieldSetBuilder {
    const known = this.#inside[change];
    if (known !== undefined) return known;
    const made = this.#up === undefined ? new FieldSetBuilder() : this.#up.inside(change).child(this.#element);
    this.#inside[change] = made;
    return made;
  }
}

/** Compares two objects field by field, the way ownership is counted. */
export function compareFields(before: Json, after: Json, schema: Schema, resolve: ResolveRef): FieldComparison {
  const root = new Spot(undefined, '');
  visit({ before, after, schema, spot: root }, resolve);
  return { added: root.inside('added'), modified: root.inside('modified'), removed: root.inside('removed') };
}

interface Pair {
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  readonly schema: Schema;
  readonly spot: Spot;
}

function visit(pair: Pair, resolve: ResolveRef): void {
  const { before, after, schema, spot } = pair;
  if (before === after) return;
  const shape = shapeOf(after === undefined || after === null ? before : after, schema);
  const other = before === undefined || before === null ? shape : shapeOf(before, schema);
  if (shape !== other) {
    spot.note('modified');
    inside({ ...pair, after: undefined }, other, resolve);
    inside({ ...pair, before: undefined }, shape, resolve);
    return;
  }
  if (isAtomic(schema, shape) || (isBare(before) && isBare(after))) {
    leaf(pair);
    return;
  }
  inside(pair, shape, resolve);
  if (before === undefined) spot.note('added');
  else if (after === undefined) spot.note('removed');
}

function isBare(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

function leaf({ before, after, spot }: Pair): void {
  if (before === undefined) spot.note('added');
  else if (after === undefined) spot.note('removed');
  else if (!equal(before, after)) spot.note('modified');
}

function inside(pair: Pair, shape: Shape, resolve: ResolveRef): void {
  if (isAtomic(pair.schema, shape)) return;
  if (shape === 'list') visitItems(pair, resolve);
  else visitKeys(pair, resolve);
}

function visitKeys({ before, after, schema, spot }: Pair, resolve: ResolveRef): void {
  const left = isObject(before) ? before : {};
  const right = isObject(after) ? after : {};
  const visitKey = (key: string): void => {
    const [old, fresh] = [own(left, key), own(right, key)];
    if (old === fresh) return;
    const field = fieldSchema(schema, key, resolve);
    visit({ before: old, after: fresh, schema: field, spot: new Spot(spot, fieldElement(key)) }, resolve);
  };
  for (const key of Object.keys(left)) visitKey(key);
  for (const key of Object.keys(right)) if (!Object.hasOwn(left, key)) visitKey(key);
}

function visitItems({ before, after, schema, spot }: Pair, resolve: ResolveRef): void {
  const left = group(before, schema, resolve);
  const right = group(after, schema, resolve);
  const items = itemSchema(schema, resolve);
  const visitItem = (element: PathElement): void => {
    const [olds, news] = [left.get(element) ?? [], right.get(element) ?? []];
    const here = new Spot(spot, element);
    if (olds.length <= 1 && news.length <= 1)
      visit({ before: olds[0], after: news[0], schema: items, spot: here }, resolve);
    else visitDuplicates({ olds, news, items, spot: here }, resolve);
  };
  for (const element of left.keys()) visitItem(element);
  for (const element of right.keys()) if (!left.has(element)) visitItem(element);
}

/** Items sharing their keys are compared as one value: their order and number count, not their fields. */
function visitDuplicates(
  at: { olds: readonly Json[]; news: readonly Json[]; items: Schema; spot: Spot },
  resolve: ResolveRef,
): void {
  const { olds, news, items: schema, spot } = at;
  if (olds.length >= 2 && news.length >= 2) {
    if (!equal(olds, news)) spot.note('modified');
  } else if (olds.length >= 2) {
    if (news.length === 1) visit({ before: undefined, after: news[0], schema, spot }, resolve);
    spot.note('removed');
  } else {
    if (olds.length === 1) visit({ before: olds[0], after: undefined, schema, spot }, resolve);
    spot.note('added');
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
