import { isArray, isObject, type Json, type JsonObject, own } from '../json/index.ts';
import { declaredField, deref } from './deref.ts';
import { objectMetaSchema } from './object-meta.ts';
import type { ResolveRef, Schema } from './schema.ts';

/** A value without the fields its schema does not know, and the paths of those. */
export interface Pruned {
  readonly value: Json;
  /** Paths such as `spec.list[0].foo`, sorted. */
  readonly unknown: readonly string[];
}

/** Structural pruning: drops what the schema does not specify, except where it says to preserve it. */
export function prune(value: Json, schema: Schema, resolve: ResolveRef): Pruned {
  const walk: Walk = { resolve, unknown: [] };
  const kept = visit(value, deref(schema, resolve), '', walk);
  return { value: kept, unknown: walk.unknown.sort() };
}

/** What the API server answers to unknown fields when asked to be strict; undefined where there are none. */
export function strictDecodingError(unknown: readonly string[]): string | undefined {
  if (unknown.length === 0) return undefined;
  return `strict decoding error: ${unknown.map((path) => `unknown field ${JSON.stringify(path)}`).join(', ')}`;
}

interface Walk {
  readonly resolve: ResolveRef;
  readonly unknown: string[];
}

function visit(value: Json, schema: Schema | undefined, path: string, walk: Walk): Json {
  if (isArray(value)) {
    const items = schema?.items === undefined ? preserved(schema) : deref(schema.items, walk.resolve);
    const kept = value.map((item, index) => visit(item, items, `${path}[${index}]`, walk));
    return kept.some((item, index) => item !== value[index]) ? kept : value;
  }
  return isObject(value) ? visitFields(value, schema, path, walk) : value;
}

function preserved(schema: Schema | undefined): Schema | undefined {
  return schema?.preserveUnknownFields === true ? { preserveUnknownFields: true } : undefined;
}

function visitFields(object: JsonObject, schema: Schema | undefined, path: string, walk: Walk): Json {
  const kept: [string, Json][] = [];
  let changed = false;
  for (const key of Object.keys(object)) {
    const below = path === '' ? key : `${path}.${key}`;
    const before = own(object, key) ?? null;
    const field = knownField(schema, key, walk.resolve);
    if (field === 'unknown') {
      walk.unknown.push(below);
      changed = true;
    } else {
      const after = field === 'kept' ? before : visit(before, field, below, walk);
      changed ||= after !== before;
      kept.push([key, after]);
    }
  }
  return changed ? Object.fromEntries(kept) : object;
}

function knownField(schema: Schema | undefined, key: string, resolve: ResolveRef): Schema | 'kept' | 'unknown' {
  if (schema === undefined) return 'unknown';
  if (schema.embeddedResource === true) {
    if (key === 'apiVersion' || key === 'kind') return 'kept';
    if (key === 'metadata') return objectMetaSchema;
  }
  const declared = declaredField(schema, key);
  if (declared !== undefined) return deref(declared, resolve);
  const values = schema.additionalProperties;
  // A map of anything specifies nothing about its values: scalars stay, what they hold goes.
  if (values !== undefined) return values === true ? {} : deref(values, resolve);
  return schema.preserveUnknownFields === true ? 'kept' : 'unknown';
}
