import { isArray, isObject, type Json, type JsonObject, own, stringAt } from '../json/index.ts';
import { objectMetaSchema } from './object-meta.ts';
import type { Schema } from './schema.ts';

type Draft = { -readonly [Key in keyof Schema]: Schema[Key] };

/** A CRD's `openAPIV3Schema` with what every object has: `apiVersion`, `kind` and the fields of `metadata`. */
export function schemaFromOpenApi(json: Json): Schema {
  return withTypeMeta(convertSchema(json));
}

/** The schema with the fields every Kubernetes object has. */
export function withTypeMeta(schema: Schema): Schema {
  return {
    ...schema,
    type: 'object',
    properties: {
      ...schema.properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: objectMetaSchema,
    },
  };
}

const types = ['object', 'array', 'string', 'integer', 'number', 'boolean'] as const;
const numbers = [
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
] as const;
const flags = ['nullable', 'exclusiveMinimum', 'exclusiveMaximum', 'uniqueItems'] as const;
const extensionFlags = {
  'x-kubernetes-int-or-string': 'intOrString',
  'x-kubernetes-preserve-unknown-fields': 'preserveUnknownFields',
  'x-kubernetes-embedded-resource': 'embeddedResource',
} as const;

/** Any OpenAPI v3 schema, nested ones included, as `Schema`; `$ref` becomes the last part of its address. */
export function convertSchema(json: Json): Schema {
  if (!isObject(json)) return {};
  const draft: Draft = {};
  const type = own(json, 'type');
  const known = types.find((name) => name === type);
  if (known !== undefined) draft.type = known;
  const ref = stringAt(json, '$ref');
  if (ref !== undefined) draft.ref = ref.slice(ref.lastIndexOf('/') + 1);
  scalars(json, draft);
  structure(json, draft);
  extensions(json, draft);
  return draft;
}

function scalars(json: JsonObject, draft: Draft): void {
  for (const key of numbers) {
    const value = own(json, key);
    if (typeof value === 'number') draft[key] = value;
  }
  for (const key of flags) if (own(json, key) === true) draft[key] = true;
  const [format, pattern] = [stringAt(json, 'format'), stringAt(json, 'pattern')];
  if (format !== undefined) draft.format = format;
  if (pattern !== undefined) draft.pattern = pattern;
  if (Object.hasOwn(json, 'default')) draft.default = json['default'] ?? null;
  const choices = own(json, 'enum');
  if (isArray(choices)) draft.enum = choices;
}

function structure(json: JsonObject, draft: Draft): void {
  const properties = own(json, 'properties');
  if (isObject(properties))
    draft.properties = Object.fromEntries(
      Object.entries(properties).map(([key, value]) => [key, convertSchema(value)]),
    );
  const values = own(json, 'additionalProperties');
  if (values === true) draft.additionalProperties = true;
  else if (isObject(values)) draft.additionalProperties = convertSchema(values);
  const items = own(json, 'items');
  if (isObject(items)) draft.items = convertSchema(items);
  const required = texts(own(json, 'required'));
  if (required.length > 0) draft.required = required;
  for (const key of ['allOf', 'anyOf', 'oneOf'] as const) {
    const list = own(json, key);
    if (isArray(list)) draft[key] = list.map(convertSchema);
  }
  const not = own(json, 'not');
  if (isObject(not)) draft.not = convertSchema(not);
}

function extensions(json: JsonObject, draft: Draft): void {
  for (const [key, name] of Object.entries(extensionFlags)) if (own(json, key) === true) draft[name] = true;
  const listType = own(json, 'x-kubernetes-list-type');
  if (listType === 'atomic' || listType === 'set' || listType === 'map') draft.listType = listType;
  const keys = texts(own(json, 'x-kubernetes-list-map-keys'));
  if (keys.length > 0) draft.listMapKeys = keys;
  const mapType = own(json, 'x-kubernetes-map-type');
  if (mapType === 'atomic' || mapType === 'granular') draft.mapType = mapType;
  const mergeKey = stringAt(json, 'x-kubernetes-patch-merge-key');
  if (mergeKey !== undefined) draft.patchMergeKey = mergeKey;
  const strategy = own(json, 'x-kubernetes-patch-strategy');
  if (strategy === 'merge' || strategy === 'replace' || strategy === 'retainKeys' || strategy === 'merge,retainKeys')
    draft.patchStrategy = strategy;
  const rules = own(json, 'x-kubernetes-validations');
  if (isArray(rules)) draft.validations = rules.map(convertRule);
}

function convertRule(json: Json): NonNullable<Schema['validations']>[number] {
  return {
    rule: stringAt(json, 'rule') ?? '',
    message: stringAt(json, 'message'),
    messageExpression: stringAt(json, 'messageExpression'),
    reason: stringAt(json, 'reason'),
    fieldPath: stringAt(json, 'fieldPath'),
    ...(own(json, 'optionalOldSelf') === true ? { optionalOldSelf: true } : {}),
  };
}

function texts(value: Json | undefined): string[] {
  return isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
