import type { ResolveRef, Schema } from './schema.ts';

const anything: Schema = {};
const resolved = new WeakMap<Schema, Schema>();
/** A chain of names longer than this is a circle in the table. */
const maxChain = 32;

/** The schema behind a `ref`; what stands beside the `ref` (a default, a list type) wins over the named type. */
export function deref(schema: Schema | undefined, resolve: ResolveRef): Schema {
  if (schema === undefined) return anything;
  if (schema.ref === undefined) return schema;
  const known = resolved.get(schema);
  if (known !== undefined) return known;
  const found = follow(schema, resolve);
  if (found === undefined) return anything;
  resolved.set(schema, found);
  return found;
}

function follow(schema: Schema, resolve: ResolveRef): Schema | undefined {
  let current = schema;
  for (let step = 0; step < maxChain; step++) {
    if (current.ref === undefined) return current;
    const target = resolve(current.ref);
    if (target === undefined) return undefined;
    const { ref: _, ...beside } = current;
    current = Object.keys(beside).length === 0 ? target : { ...target, ...beside, ref: target.ref };
  }
  return undefined;
}

/** The declared field of an object type, or undefined where the type does not name it. */
export function declaredField(schema: Schema, name: string): Schema | undefined {
  const properties = schema.properties;
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The schema of the value under a key: a declared field, else the values of the map, else anything. */
export function fieldSchema(schema: Schema, name: string, resolve: ResolveRef): Schema {
  const declared = declaredField(schema, name);
  if (declared !== undefined) return deref(declared, resolve);
  const values = schema.additionalProperties;
  return values === undefined || values === true ? anything : deref(values, resolve);
}

/** The schema of a list's items. */
export function itemSchema(schema: Schema, resolve: ResolveRef): Schema {
  return deref(schema.items, resolve);
}
