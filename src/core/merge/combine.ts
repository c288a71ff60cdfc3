import { isArray, isObject, type Json, own } from '../json/index.ts';
import { fieldSchema, itemSchema } from './deref.ts';
import type { PathElement } from './path.ts';
import type { ResolveRef, Schema } from './schema.ts';
import { elementOrNone, isAtomic, shapeOf } from './shape.ts';

/** Lays an applied configuration over a live object: what it names wins, what it leaves out stays. */
export function combine(live: Json, applied: Json, schema: Schema, resolve: ResolveRef): Json {
  return merge(live, applied, schema, resolve) ?? null;
}

function merge(
  live: Json | undefined,
  applied: Json | undefined,
  schema: Schema,
  resolve: ResolveRef,
): Json | undefined {
  if (applied === undefined) return live;
  if (live === undefined || live === null) return applied;
  const shape = shapeOf(live, schema);
  if (applied !== null && shapeOf(applied, schema) !== shape) return applied;
  if (isAtomic(schema, shape)) return applied;
  if (isArray(live) && (applied === null || isArray(applied)))
    return live.length === 0 ? applied : mergeLists(live, applied ?? [], schema, resolve);
  if (isObject(live) && (applied === null || isObject(applied)))
    return Object.keys(live).length === 0 ? applied : mergeMaps(live, applied ?? {}, schema, resolve);
  return applied;
}

function mergeMaps(
  live: { readonly [key: string]: Json },
  applied: { readonly [key: string]: Json },
  schema: Schema,
  resolve: ResolveRef,
): Json {
  const entries: [string, Json][] = [];
  for (const key of new Set([...Object.keys(live), ...Object.keys(applied)])) {
    const value = merge(own(live, key), own(applied, key), fieldSchema(schema, key, resolve), resolve);
    if (value !== undefined) entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}

interface Indexed {
  readonly element: PathElement;
  readonly item: Json;
}

/**
 * Applied items come in the order of the configuration; items only the live list has keep their place among their
 * neighbours. Live duplicates of an applied item go.
 */
function mergeLists(live: readonly Json[], applied: readonly Json[], schema: Schema, resolve: ResolveRef): Json {
  const items = itemSchema(schema, resolve);
  const [left, right] = [index(live, schema, resolve), index(applied, schema, resolve)];
  const liveBy = single(left);
  const appliedBy = new Map(right.map(({ element, item }) => [element, item]));
  const shared = right.filter(({ element }) => liveBy.has(element)).map(({ element }) => element);
  const out: Json[] = [];
  const done = new Set<PathElement>();
  let [l, r, next] = [0, 0, 0];
  const takeApplied = (): void => {
    const at = right[r++];
    if (at === undefined) return;
    done.add(at.element);
    out.push(merge(liveBy.get(at.element), at.item, items, resolve) ?? null);
    if (shared[next] === at.element) next++;
  };
  while (l < left.length || r < right.length) {
    const mine = left[l];
    if (mine === undefined) {
      takeApplied();
    } else if (!appliedBy.has(mine.element)) {
      out.push(mine.item);
      l++;
    } else if (mine.element === right[r]?.element) {
      takeApplied();
      l++;
    } else if (r < right.length && next < shared.length && shared[next] !== mine.element) {
      l++;
    } else {
      if (done.has(mine.element)) l++;
      takeApplied();
    }
  }
  return out;
}

function index(list: readonly Json[], schema: Schema, resolve: ResolveRef): Indexed[] {
  const indexed: Indexed[] = [];
  for (const item of list) {
    const element = elementOrNone(schema, item, resolve);
    if (element !== undefined) indexed.push({ element, item });
  }
  return indexed;
}

/** Live items by their step; those that occur twice merge with nothing. */
function single(items: readonly Indexed[]): Map<PathElement, Json | undefined> {
  const found = new Map<PathElement, Json | undefined>();
  for (const { element, item } of items) found.set(element, found.has(element) ? undefined : item);
  return found;
}
