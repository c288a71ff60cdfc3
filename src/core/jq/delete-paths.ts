import { isArray, isObject, type Json } from '../json/index.ts';

/** What to remove from a value, as a tree; `whole` removes the value itself. */
interface Removal {
  whole: boolean;
  readonly below: Map<string | number, Removal>;
}

/** The value without what these paths lead to; shares everything else with it. A path that leads nowhere is passed over. */
export function withoutPaths(value: Json, paths: readonly (readonly (string | number)[])[]): Json {
  if (paths.length === 0) return value;
  const root: Removal = { whole: false, below: new Map() };
  for (const path of paths) {
    let node = root;
    for (const step of path) {
      let next = node.below.get(step);
      if (next === undefined) {
        next = { whole: false, below: new Map() };
        node.below.set(step, next);
      }
      node = next;
    }
    node.whole = true;
  }
  return root.whole ? null : cut(value, root);
}

function cut(value: Json, removal: Removal): Json {
  if (isArray(value)) {
    return value.flatMap((item, i) => {
      const below = removal.below.get(i);
      if (below === undefined) return [item];
      return below.whole ? [] : [cut(item, below)];
    });
  }
  if (!isObject(value)) return value;
  const copy: Record<string, Json> = { ...value };
  for (const [key, below] of removal.below) {
    if (typeof key !== 'string' || !Object.hasOwn(copy, key)) continue;
    if (below.whole) delete copy[key];
    else
      Object.defineProperty(copy, key, {
        value: cut(copy[key] ?? null, below),
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }
  return copy;
}
