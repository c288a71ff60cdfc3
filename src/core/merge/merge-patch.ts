import { isObject, type Json, own } from '../json/index.ts';

/** JSON merge patch (RFC 7386): keys replace, null removes, lists are replaced whole. */
export function mergePatch(doc: Json, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const entries = new Map<string, Json>(isObject(doc) ? Object.entries(doc) : []);
  for (const key of Object.keys(patch)) {
    const value = own(patch, key) ?? null;
    if (value === null) entries.delete(key);
    else entries.set(key, mergePatch(entries.get(key) ?? null, value));
  }
  return Object.fromEntries(entries);
}
