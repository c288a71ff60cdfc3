/** Any JSON value, not to be changed by whoever receives it. */
export type Json = null | boolean | number | string | JsonArray | JsonObject;
export type JsonArray = readonly Json[];
export interface JsonObject {
  readonly [key: string]: Json;
}

/** A JSON value under construction: only its maker may hold it as this type. */
export type MutableJson = null | boolean | number | string | MutableJson[] | MutableJsonObject;
export interface MutableJsonObject {
  [key: string]: MutableJson;
}

/** Tells whether a value is a JSON object (neither null nor a list). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Tells whether a value is a JSON list. */
export function isArray(value: unknown): value is JsonArray {
  return Array.isArray(value);
}

/** A deep copy that the caller may change. */
export function thaw(value: JsonObject): MutableJsonObject;
export function thaw(value: JsonArray): MutableJson[];
export function thaw(value: Json): MutableJson;
export function thaw(value: Json): MutableJson {
  if (isArray(value)) return value.map((item) => thaw(item));
  if (!isObject(value)) return value;
  const copy: MutableJsonObject = {};
  for (const key of Object.keys(value)) define(copy, key, thaw(value[key] ?? null));
  return copy;
}

/** Sets a key as data, also `__proto__`, which plain assignment would turn into a change of prototype. */
function define(target: MutableJsonObject, key: string, value: MutableJson): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}
