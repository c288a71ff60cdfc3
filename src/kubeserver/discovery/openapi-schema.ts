import type { Json, JsonObject, MutableJsonObject } from '../../core/json/index.ts';
import type { Schema } from '../../core/merge/index.ts';

const refPrefix = '#/components/schemas/';
const copied = ['type', 'format', 'pattern', 'required', 'enum', 'nullable', 'default'] as const;
const renamed = {
  listType: 'x-kubernetes-list-type',
  listMapKeys: 'x-kubernetes-list-map-keys',
  mapType: 'x-kubernetes-map-type',
  patchMergeKey: 'x-kubernetes-patch-merge-key',
  patchStrategy: 'x-kubernetes-patch-strategy',
} as const;

/** A type of the generated table as an OpenAPI v3 schema. */
export function openApiSchema(schema: Schema): JsonObject {
  const result: MutableJsonObject = {};
  const set = (key: string, value: Json | undefined): void => {
    if (value !== undefined) result[key] = value as MutableJsonObject; // goes into a document that is only read
  };
  for (const key of copied) set(key, schema[key] as Json | undefined); // all JSON
  for (const [key, name] of Object.entries(renamed)) set(name, schema[key as keyof typeof renamed] as Json | undefined); // all JSON
  if (schema.intOrString === true) set('x-kubernetes-int-or-string', true);
  if (schema.preserveUnknownFields === true) set('x-kubernetes-preserve-unknown-fields', true);
  if (schema.properties !== undefined)
    set(
      'properties',
      Object.fromEntries(Object.entries(schema.properties).map(([key, part]) => [key, openApiSchema(part)])),
    );
  if (schema.items !== undefined) set('items', openApiSchema(schema.items));
  if (schema.additionalProperties !== undefined)
    set(
      'additionalProperties',
      schema.additionalProperties === true ? true : openApiSchema(schema.additionalProperties),
    );
  // As in the real documents: next to other keys a reference stands in `allOf`.
  if (schema.ref !== undefined) {
    const ref = { $ref: `${refPrefix}${schema.ref}` };
    if (Object.keys(result).length === 0) return ref;
    set('allOf', [ref]);
  }
  return result;
}

/** The names of all types a schema refers to, directly. */
export function refsOf(schema: Schema): string[] {
  const parts = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  const below = parts.flatMap((part) => (part === undefined || part === true ? [] : refsOf(part)));
  return schema.ref === undefined ? below : [schema.ref, ...below];
}
