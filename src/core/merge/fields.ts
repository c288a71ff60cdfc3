import { isObject, type Json, type JsonObject } from '../json/index.ts';
import { compareElements, fieldElement, normalElement, type PathElement } from './path.ts';

/** A set of paths into an object, as a tree: what a manager owns, or what differs. */
export interface FieldSet {
  readonly members: ReadonlySet<PathElement>;
  readonly children: ReadonlyMap<PathElement, FieldSet>;
}

/** A set under construction. */
export class FieldSetBuilder implements FieldSet {
  readonly members = new Set<PathElement>();
  readonly children = new Map<PathElement, FieldSetBuilder>();

  /** Adds a path; the empty path names nothing and is left out. */
  insert(path: readonly PathElement[]): void {
    const last = path.at(-1);
    if (last === undefined) return;
    const parents = path.slice(0, -1);
    const node = parents.reduce<FieldSetBuilder>((parent, element) => parent.child(element), this);
    node.members.add(last);
  }

  child(element: PathElement): FieldSetBuilder {
    let child = this.children.get(element);
    if (child === undefined) {
      child = new FieldSetBuilder();
      this.children.set(element, child);
    }
    return child;
  }
}

/** The set that holds no path. */
export const emptySet: FieldSet = new FieldSetBuilder();

/** A set of these field paths. */
export function setOf(...paths: readonly (readonly string[])[]): FieldSet {
  const set = new FieldSetBuilder();
  for (const path of paths) set.insert(path.map(fieldElement));
  return set;
}

/** Tells whether a set holds no path at all; no set ever keeps a child without any. */
export function isEmpty(set: FieldSet): boolean {
  return set.members.size === 0 && set.children.size === 0;
}

/** Tells whether a set holds exactly this path. */
export function has(set: FieldSet, path: readonly PathElement[]): boolean {
  let node: FieldSet | undefined = set;
  for (let i = 0; i < path.length - 1; i++) node = node?.children.get(path[i] ?? '');
  return node?.members.has(path.at(-1) ?? '') ?? false;
}

/** All paths of either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a)) return b;
  if (isEmpty(b)) return a;
  const children = new Map(a.children);
  for (const [element, theirs] of b.children) {
    const mine = children.get(element);
    children.set(element, mine === undefined ? theirs : union(mine, theirs));
  }
  return { members: new Set([...a.members, ...b.members]), children };
}

/** The paths of the first set that the second does not hold. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  const members = new Set<PathElement>();
  for (const member of a.members) if (!b.members.has(member)) members.add(member);
  const children = new Map<PathElement, FieldSet>();
  for (const [element, mine] of a.children) {
    const theirs = b.children.get(element);
    const rest = theirs === undefined ? mine : difference(mine, theirs);
    if (!isEmpty(rest)) children.set(element, rest);
  }
  return { members, children };
}

/** Like `difference`, but a path of the second set takes everything below it along. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  const members = new Set<PathElement>();
  for (const member of a.members) if (!b.members.has(member)) members.add(member);
  const children = new Map<PathElement, FieldSet>();
  for (const [element, mine] of a.children) {
    if (b.members.has(element)) continue;
    const theirs = b.children.get(element);
    const rest = theirs === undefined ? mine : recursiveDifference(mine, theirs);
    if (!isEmpty(rest)) children.set(element, rest);
  }
  return { members, children };
}

/** The paths both sets hold. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const members = new Set<PathElement>();
  for (const member of a.members) if (b.members.has(member)) members.add(member);
  const children = new Map<PathElement, FieldSet>();
  for (const [element, mine] of a.children) {
    const theirs = b.children.get(element);
    if (theirs === undefined) continue;
    const both = intersection(mine, theirs);
    if (!isEmpty(both)) children.set(element, both);
  }
  return { members, children };
}

/** Tells whether two sets hold the same paths. */
export function sameSet(a: FieldSet, b: FieldSet): boolean {
  return isEmpty(difference(a, b)) && isEmpty(difference(b, a));
}

/** Every path of a set in the order Kubernetes lists them: members first, then what is below each child. */
export function pathsOf(set: FieldSet, prefix: readonly PathElement[] = []): PathElement[][] {
  const own = [...set.members].sort(compareElements).map((element) => [...prefix, element]);
  const below = [...set.children.keys()].sort(compareElements).flatMap((element) => {
    const child = set.children.get(element);
    return child === undefined ? [] : pathsOf(child, [...prefix, element]);
  });
  return [...own, ...below];
}

const readBefore = new WeakMap<JsonObject, FieldSet>();
const printedBefore = new WeakMap<FieldSet, JsonObject>();

/** Reads FieldsV1; undefined where it is none. Stored objects are shared, so what was read once is known. */
export function parseFields(fields: Json | undefined): FieldSet | undefined {
  if (fields === undefined || fields === null) return emptySet;
  if (!isObject(fields)) return undefined;
  const known = readBefore.get(fields);
  if (known !== undefined) return known;
  const set = readFields(fields, 0);
  if (set !== undefined) {
    readBefore.set(fields, set);
    printedBefore.set(set, fields);
  }
  return set;
}

function readFields(fields: JsonObject, depth: number): FieldSet | undefined {
  if (depth > 200) return undefined;
  const members = new Set<PathElement>();
  const children = new Map<PathElement, FieldSet>();
  for (const key of Object.keys(fields)) {
    if (key === '.') continue;
    const element = normalElement(key);
    const below = fields[key];
    if (element === undefined || !isObject(below)) return undefined;
    const names = Object.keys(below);
    const isMarked = Object.hasOwn(below, '.');
    if (names.length === 0 || isMarked) members.add(element);
    if (names.length === 0 || (names.length === 1 && isMarked)) continue;
    const child = readFields(below, depth + 1);
    if (child === undefined) return undefined;
    children.set(element, child);
  }
  return { members, children };
}

/** Writes a set as FieldsV1, keys in Kubernetes' order; a set that was read and did not change as it was written. */
export function printFields(set: FieldSet): JsonObject {
  return printedBefore.get(set) ?? writeFields(set);
}

function writeFields(set: FieldSet): JsonObject {
  const elements = [...new Set([...set.members, ...set.children.keys()])].sort(compareElements);
  return Object.fromEntries(
    elements.map((element) => {
      const child = set.children.get(element);
      const below = child === undefined ? {} : writeFields(child);
      return [element, child !== undefined && set.members.has(element) ? { '.': {}, ...below } : below];
    }),
  );
}
