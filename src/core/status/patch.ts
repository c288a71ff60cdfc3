import { equal, isObject, type Json, type JsonObject, own } from '../json/index.ts';

/** The merge patch that turns one object into another; undefined where they mean the same, so nothing is written. */
export function patchBetween(before: JsonObject, after: JsonObject): JsonObject | undefined {
  const patch: Record<string, Json> = {};
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) patch[key] = null;
  for (const key of Object.keys(after)) {
    const [old, now] = [own(before, key), after[key] ?? null];
    if (equal(old, now)) continue;
    const inner = isObject(old) && isObject(now) ? patchBetween(old, now) : now;
    if (inner !== undefined) patch[key] = inner;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
