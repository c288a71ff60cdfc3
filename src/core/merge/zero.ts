import type { Json, JsonObject } from '../json/index.ts';
import { deref } from './deref.ts';
import type { ResolveRef, Schema } from './schema.ts';

/**
 * What Kubernetes prints of an object of a built-in type that nobody has filled in; of a custom type, nothing.
 * Ownership is counted from there: whoever creates a Deployment does not own the bare existence of its `spec`.
 */
export function zeroObject(schema: Schema, resolve: ResolveRef): JsonObject {
  const isBuiltIn = Object.values(deref(schema, resolve).properties ?? {}).some(({ always }) => always === true);
  return isBuiltIn ? zeroOf(schema, resolve) : {};
}

function zeroOf(schema: Schema, resolve: ResolveRef): JsonObject {
  const type = deref(schema, resolve);
  const entries: [string, Json][] = [];
  for (const [name, property] of Object.entries(type.properties ?? {})) {
    if (property.always === true) entries.push([name, zeroOf(property, resolve)]);
    else if (type.required?.includes(name)) entries.push([name, property.default ?? null]);
  }
  return Object.fromEntries(entries);
}
