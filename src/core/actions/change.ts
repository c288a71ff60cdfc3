import { isObject, type Json, type JsonObject, own } from '../json/index.ts';

/** The object with another value under a path, which is made where it is missing; undefined takes the key away. */
export function changed(object: JsonObject, path: readonly [string, ...string[]], value: Json | undefined): JsonObject {
  const [key, next, ...rest] = path;
  const before = own(object, key);
  const after = next === undefined ? value : changed(isObject(before) ? before : {}, [next, ...rest], value);
  const entries = Object.entries(object).filter(([each]) => each !== key);
  // From entries, so that a key named __proto__ stays data.
  return Object.fromEntries(after === undefined ? entries : [...entries, [key, after]]);
}
