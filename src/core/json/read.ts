import { isObject, type Json, type JsonObject } from './value.ts';

/** The value of an own key; inherited names such as `constructor` are absent, as they are in JSON. */
export function own(object: Json | undefined, key: string): Json | undefined {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The value under a path of own keys, or undefined where the path ends early. */
export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let current = value;
  for (const key of path) current = own(current, key);
  return current;
}

/** The text under a path, or undefined where there is none or it is no text. */
export function stringAt(value: Json | undefined, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

/** The object under a path, or undefined where there is none or it is no object. */
export function objectAt(value: Json | undefined, ...path: readonly string[]): JsonObject | undefined {
  const found = at(value, ...path);
  return isObject(found) ? found : undefined;
}
