import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJson,
  type MutableJsonObject,
} from '../../core/json/index.ts';
import type { ResolveRef, Schema } from '../../core/merge/index.ts';
import { leavesOutZero } from '../protobuf/index.ts';
import { canonicalQuantity } from './defaults.ts';

/** What reading a body into a built-in type found besides the object. */
export interface Decoded {
  readonly object: MutableJsonObject;
  /** Paths of fields the type does not have; they are gone from the object. */
  readonly unknown: readonly string[];
  /** The first value of a wrong type, in Go's words. */
  readonly problem: string | undefined;
}

interface Reading {
  readonly resolve: ResolveRef;
  readonly unknown: string[];
  problem: string | undefined;
}

/** Reads JSON the way Go reads it into the struct of a built-in kind: unknown fields and nulls go, types must fit. */
export function decodeTyped(object: JsonObject, schema: Schema, resolve: ResolveRef, type: string): Decoded {
  const reading: Reading = { resolve, unknown: [], problem: undefined };
  const name = type.slice(type.lastIndexOf('.') + 1);
  const value = struct(object, schema, { path: '', field: '', struct: name, type }, reading);
  return { object: value, unknown: reading.unknown, problem: reading.problem };
}

interface Place {
  /** With indexes, for unknown fields. */
  readonly path: string;
  /** Without indexes, for Go's type errors. */
  readonly field: string;
  /** The innermost Go struct. */
  readonly struct: string;
  /** The name of its type in the table. */
  readonly type: string;
}

function read(value: Json, schema: Schema, place: Place, reading: Reading): MutableJson | undefined {
  if (value === null) return undefined;
  const resolved = schema.ref === undefined ? schema : { ...reading.resolve(schema.ref), ...schema };
  const inner =
    schema.ref === undefined
      ? place
      : { ...place, struct: shortName(schema.ref, place.struct, resolved), type: schema.ref };
  if (resolved.format === 'quantity') return quantity(value, inner, reading);
  if (resolved.intOrString === true)
    return scalarOf(value, ['string', 'number'], { go: 'intstr.IntOrString', place: inner }, reading);
  if (resolved.properties !== undefined) {
    if (!isObject(value)) return wrong(value, { go: goStruct(schema.ref ?? ''), place }, reading);
    return struct(value, resolved, inner, reading);
  }
  if (resolved.type === 'array') return list(value, resolved, inner, reading);
  if (resolved.type === 'object') return map(value, resolved, inner, reading);
  return scalar(value, resolved, inner, reading);
}

function struct(value: JsonObject, schema: Schema, place: Place, reading: Reading): MutableJsonObject {
  const result: MutableJsonObject = {};
  for (const key of Object.keys(value)) {
    const property = own(schema.properties, key);
    const path = place.path === '' ? key : `${place.path}.${key}`;
    if (property === undefined) {
      reading.unknown.push(path);
      continue;
    }
    const field = place.field === '' ? key : `${place.field}.${key}`;
    const read_ = read(value[key] ?? null, property, { ...place, path, field }, reading);
    if (read_ === undefined || isEmptyCollection(read_, property, reading)) continue;
    if (isZero(read_) && leavesOutZero(place.type, key)) continue;
    result[key] = read_;
  }
  return result;
}

function isZero(value: MutableJson): boolean {
  return value === '' || value === 0 || value === false;
}

/** Go leaves out empty maps and slices (`omitempty`); an empty struct behind a pointer stays. */
function isEmptyCollection(value: MutableJson, schema: Schema, reading: Reading): boolean {
  if (isArray(value)) return value.length === 0;
  if (!isObject(value) || Object.keys(value).length > 0) return false;
  const resolved = schema.ref === undefined ? schema : reading.resolve(schema.ref);
  return resolved?.properties === undefined && resolved?.additionalProperties !== undefined;
}

function list(value: Json, schema: Schema, place: Place, reading: Reading): MutableJson | undefined {
  const items = schema.items ?? {};
  if (!isArray(value)) return wrong(value, { go: `[]${goType(items)}`, place }, reading);
  return value.map((item, index) => {
    const read_ = read(item, items, { ...place, path: `${place.path}[${index}]` }, reading);
    return read_ ?? zero(items, reading);
  });
}

/** A null in a list becomes the zero value of its type. */
function zero(schema: Schema, reading: Reading): MutableJson {
  const resolved = schema.ref === undefined ? schema : reading.resolve(schema.ref);
  if (resolved?.type === 'string') return '';
  if (resolved?.type === 'integer' || resolved?.type === 'number') return 0;
  if (resolved?.type === 'boolean') return false;
  return resolved?.type === 'array' ? [] : {};
}

function map(value: Json, schema: Schema, place: Place, reading: Reading): MutableJson | undefined {
  const values = schema.additionalProperties;
  const element = values === undefined || values === true ? undefined : values;
  if (!isObject(value)) {
    // RawExtension and FieldsV1 take anything.
    if (element === undefined) return structuredCopy(value);
    return wrong(value, { go: `map[string]${goType(element)}`, place }, reading);
  }
  const result: MutableJsonObject = {};
  for (const key of Object.keys(value)) {
    const item = value[key] ?? null;
    const path = `${place.path}.${key}`;
    const read_ = element === undefined ? structuredCopy(item) : read(item, element, { ...place, path }, reading);
    const kept = read_ ?? (element === undefined ? null : zero(element, reading));
    Object.defineProperty(result, key, { value: kept, enumerable: true, writable: true, configurable: true });
  }
  return result;
}

function structuredCopy(value: Json): MutableJson {
  return structuredClone(value) as MutableJson; // the copy is ours
}

function scalar(value: Json, schema: Schema, place: Place, reading: Reading): MutableJson | undefined {
  if (schema.type === undefined) return structuredCopy(value);
  if (schema.type === 'string') return text(value, schema, place, reading);
  if (schema.type === 'boolean') return scalarOf(value, ['boolean'], { go: 'bool', place }, reading);
  if (schema.type === 'integer' && typeof value === 'number' && !Number.isInteger(value))
    return wrong(value, { go: goType(schema), place }, reading, `number ${value}`);
  return scalarOf(value, ['number'], { go: goType(schema), place }, reading);
}

function text(value: Json, schema: Schema, place: Place, reading: Reading): MutableJson | undefined {
  if (typeof value === 'string' && schema.format === 'date-time' && Number.isNaN(Date.parse(value))) {
    const quoted = JSON.stringify(value);
    reading.problem ??= `parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`;
    return value;
  }
  if (typeof value === 'string' && schema.format === 'byte') return base64(value, reading);
  return scalarOf(value, ['string'], { go: 'string', place }, reading);
}

function base64(value: string, reading: Reading): string {
  const compact = value.replace(/[\r\n]/g, '');
  const bad =
    /[^A-Za-z0-9+/=]/.exec(compact)?.index ?? (compact.length % 4 === 0 ? -1 : compact.length - (compact.length % 4));
  if (bad >= 0) reading.problem ??= `illegal base64 data at input byte ${bad}`;
  return compact;
}

/** Quantities take numbers too, and are kept as the text Kubernetes would write. */
function quantity(value: Json, place: Place, reading: Reading): MutableJson | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  const valid = typeof text === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/.test(text);
  if (valid) return canonicalQuantity(text) ?? text;
  if (typeof text !== 'string') return wrong(value, { go: 'resource.Quantity', place }, reading);
  reading.problem ??= `quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`;
  return text;
}

/** The type in Go that is wanted, and where. */
interface Wanted {
  readonly go: string;
  readonly place: Place;
}

function scalarOf(value: Json, allowed: readonly string[], wanted: Wanted, reading: Reading): MutableJson | undefined {
  if (allowed.includes(typeof value)) return value as MutableJson; // a scalar has no parts to freeze
  return wrong(value, wanted, reading);
}

function wrong(value: Json, { go, place }: Wanted, reading: Reading, saw?: string): undefined {
  const kind =
    saw ?? (isArray(value) ? 'array' : isObject(value) ? 'object' : typeof value === 'boolean' ? 'bool' : typeof value);
  reading.problem ??= `json: cannot unmarshal ${kind} into Go struct field ${place.struct}.${place.field} of type ${go}`;
  return undefined;
}

function goType(schema: Schema): string {
  if (schema.ref !== undefined) return goStruct(schema.ref);
  if (schema.type === 'integer') return schema.format === 'int64' ? 'int64' : 'int32';
  if (schema.type === 'number') return 'float64';
  if (schema.type === 'boolean') return 'bool';
  if (schema.type === 'array') return `[]${goType(schema.items ?? {})}`;
  if (schema.type === 'object') return 'map[string]string';
  return 'string';
}

/** `io.k8s.api.core.v1.Container` is `v1.Container` in Go. */
function goStruct(ref: string): string {
  return ref.split('.').slice(-2).join('.');
}

function shortName(ref: string, outer: string, schema: Schema): string {
  return schema.properties === undefined ? outer : ref.slice(ref.lastIndexOf('.') + 1);
}

function own(properties: Schema['properties'], key: string): Schema | undefined {
  return properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
}
