import { isArray, isObject, type Json, type JsonObject, own } from '../json/index.ts';
import { deref, fieldSchema, itemSchema } from './deref.ts';
import type { ResolveRef, Schema } from './schema.ts';

/**
 * Fills in what a schema gives by default, as for custom resources: absent fields that have a default get it, and a
 * null where none is allowed counts as absent. Shares with the input all that did not change.
 */
export function applyDefaults(value: Json, schema: Schema, resolve: ResolveRef): Json {
  const type = deref(schema, resolve);
  if (isArray(value)) return defaultItems(value, type, resolve);
  return isObject(value) ? defaultFields(value, type, resolve) : value;
}

function defaultItems(list: readonly Json[], schema: Schema, resolve: ResolveRef): Json {
  const items = itemSchema(schema, resolve);
  const filled = list.map((item) => {
    const given = item === null && items.nullable !== true ? (items.default ?? null) : item;
    return applyDefaults(given, items, resolve);
  });
  return filled.some((item, index) => item !== list[index]) ? filled : list;
}

function defaultFields(object: JsonObject, schema: Schema, resolve: ResolveRef): Json {
  const result = new Map<string, Json>();
  for (const key of Object.keys(object)) {
    const field = fieldSchema(schema, key, resolve);
    const value = given(own(object, key), field);
    if (value !== undefined) result.set(key, applyDefaults(value, field, resolve));
  }
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const field = deref(property, resolve);
    if (field.default !== undefined && !Object.hasOwn(object, key))
      result.set(key, applyDefaults(field.default, field, resolve));
  }
  const same =
    result.size === Object.keys(object).length && [...result].every(([key, value]) => own(object, key) === value);
  return same ? object : Object.fromEntries(result);
}

/** A null that the type neither allows nor replaces is dropped; of a type that says nothing it stays. */
function given(value: Json | undefined, field: Schema): Json | undefined {
  if (value !== null || field.nullable === true) return value;
  if (field.default !== undefined) return field.default;
  return field.type === undefined && field.intOrString !== true ? value : undefined;
}
