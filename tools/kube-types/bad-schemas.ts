import type { JsonObject } from '../../src/core/json/index.ts';

const text = { type: 'string' };
const spec = (schema: JsonObject): JsonObject => ({ type: 'object', properties: { spec: schema } });

/** Schemas a CRD may not have, or may: each is recorded with the answer of a real API server. */
export const crdSchemas: readonly { readonly title: string; readonly schema: JsonObject }[] = [
  { title: 'nothing wrong', schema: spec({ type: 'object', properties: { a: text } }) },
  { title: 'no type at the root', schema: { properties: { a: text } } },
  { title: 'a root that is no object', schema: text },
  { title: 'a field without a type', schema: spec({ properties: { a: {} } }) },
  { title: 'a list without items', schema: spec({ type: 'array' }) },
  { title: 'items without a type', schema: spec({ type: 'array', items: {} }) },
  {
    title: 'a keyed list without keys',
    schema: spec({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      items: { type: 'object', properties: { a: text } },
    }),
  },
  {
    title: 'a keyed list with a key its items lack',
    schema: spec({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['b'],
      items: { type: 'object', required: ['b'], properties: { a: text } },
    }),
  },
  {
    title: 'a keyed list with an optional key',
    schema: spec({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a'],
      items: { type: 'object', properties: { a: text } },
    }),
  },
  { title: 'an unknown list type', schema: spec({ type: 'array', 'x-kubernetes-list-type': 'heap', items: text }) },
  { title: 'a list type on an object', schema: spec({ type: 'object', 'x-kubernetes-list-type': 'set' }) },
  {
    title: 'a set of objects',
    schema: spec({
      type: 'array',
      'x-kubernetes-list-type': 'set',
      items: { type: 'object', properties: { a: text } },
    }),
  },
  { title: 'unique items', schema: spec({ type: 'array', uniqueItems: true, items: text }) },
  { title: 'no additional properties', schema: spec({ type: 'object', additionalProperties: false }) },
  {
    title: 'properties beside additional ones',
    schema: spec({ type: 'object', properties: { a: text }, additionalProperties: text }),
  },
  { title: 'a reference', schema: spec({ $ref: '#/definitions/a' }) },
  {
    title: 'a type inside anyOf',
    schema: spec({ type: 'object', anyOf: [{ type: 'object', required: ['a'] }], properties: { a: text } }),
  },
  {
    title: 'a field only anyOf knows',
    schema: spec({ type: 'object', anyOf: [{ properties: { b: { minLength: 1 } } }], properties: { a: text } }),
  },
  {
    title: 'a default inside not',
    schema: spec({ type: 'object', properties: { a: { type: 'string', not: { default: 'x' } } } }),
  },
  {
    title: 'a default that does not fit',
    schema: spec({ type: 'object', properties: { a: { type: 'integer', default: 'x' } } }),
  },
  { title: 'preserving nothing', schema: spec({ type: 'object', 'x-kubernetes-preserve-unknown-fields': false }) },
  { title: 'a resource that is no object', schema: spec({ type: 'string', 'x-kubernetes-embedded-resource': true }) },
  { title: 'a resource without fields', schema: spec({ type: 'object', 'x-kubernetes-embedded-resource': true }) },
  { title: 'a number or text with a type', schema: spec({ type: 'string', 'x-kubernetes-int-or-string': true }) },
  {
    title: 'a number or text spelled out',
    schema: spec({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }),
  },
  {
    title: 'a number or text spelled out among others',
    schema: spec({
      'x-kubernetes-int-or-string': true,
      allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: '^a' }],
    }),
  },
  {
    title: 'a number or text spelled out the wrong way round',
    schema: spec({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'string' }, { type: 'integer' }] }),
  },
  { title: 'a type nobody knows', schema: spec({ type: 'text' }) },
  { title: 'a pattern nobody can read', schema: spec({ type: 'string', pattern: '[' }) },
  {
    title: 'metadata with a schema',
    schema: {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
    },
  },
  {
    title: 'metadata with a name',
    schema: {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { name: { type: 'string', pattern: '^a' } } } },
    },
  },
  {
    title: 'a rule that cannot be read',
    schema: spec({ type: 'object', properties: { a: text }, 'x-kubernetes-validations': [{ rule: 'self.a >' }] }),
  },
  {
    title: 'an empty rule',
    schema: spec({ type: 'object', properties: { a: text }, 'x-kubernetes-validations': [{ rule: '' }] }),
  },
];
