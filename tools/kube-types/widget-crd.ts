import type { JsonObject } from '../../src/core/json/index.ts';

const text = { type: 'string' };

/** A schema with one field for everything a structural schema can say. */
export const widgetSchema: JsonObject = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['replicas'],
      'x-kubernetes-validations': [
        { rule: '!has(self.most) || self.replicas <= self.most', message: 'replicas must not exceed most' },
        {
          rule: '!has(self.even) || self.even % 2 == 0',
          messageExpression: 'self.even > 5 ? "even is large and odd" : "even is odd"',
          fieldPath: '.even',
        },
        { rule: 'size(self.tags) <= 3 || has(self.size)', reason: 'FieldValueForbidden' },
        { rule: "!has(self.__namespace__) || self.__namespace__ != 'x'" },
      ],
      properties: {
        replicas: { type: 'integer', minimum: 0, maximum: 10 },
        most: { type: 'integer' },
        namespace: { type: 'string', maxLength: 10 },
        even: { type: 'integer' },
        size: { type: 'string', enum: ['small', 'large'] },
        name: { type: 'string', minLength: 2, maxLength: 5, pattern: '^[a-z]+$' },
        ratio: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
        step: { type: 'integer', multipleOf: 5 },
        flag: { type: 'boolean', default: true },
        mode: { type: 'string', default: 'auto' },
        nested: { type: 'object', default: {}, properties: { deep: { type: 'integer', default: 5 }, other: text } },
        items: {
          type: 'array',
          maxItems: 4,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: {
              name: text,
              value: { type: 'integer', default: 1 },
              note: text,
              tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
            },
          },
        },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            required: ['port'],
            properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, name: text },
          },
        },
        tags: { type: 'array', default: [], 'x-kubernetes-list-type': 'set', items: text },
        args: { type: 'array', minItems: 1, items: text },
        labels: { type: 'object', maxProperties: 3, minProperties: 1, additionalProperties: text },
        counts: { type: 'object', additionalProperties: { type: 'integer' } },
        whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
        anything: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        port: { 'x-kubernetes-int-or-string': true },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        when: { type: 'string', format: 'date-time' },
        address: { type: 'string', format: 'ipv4' },
        note: { type: 'string', nullable: true },
        fixed: {
          type: 'string',
          'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed is immutable' }],
        },
        choice: {
          type: 'object',
          properties: { a: text, b: text },
          oneOf: [{ required: ['a'] }, { required: ['b'] }],
        },
        either: {
          type: 'object',
          properties: { a: text, b: text },
          anyOf: [{ required: ['a'] }, { required: ['b'] }],
        },
        never: { type: 'string', not: { enum: ['bad'] } },
      },
    },
    status: {
      type: 'object',
      properties: {
        ready: { type: 'integer' },
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          items: { type: 'object', required: ['type'], properties: { type: text, status: text } },
        },
      },
    },
  },
};

/** Its definition: namespaced, with a status of its own. */
export const widgetDefinition: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: widgetSchema },
      },
    ],
  },
};

/** Specs whose creation is recorded, each by itself; later ones may update the first. */
export const widgetSpecs: readonly { readonly title: string; readonly spec: JsonObject; readonly old?: JsonObject }[] =
  [
    { title: 'nothing but what is required', spec: { replicas: 1 } },
    { title: 'nothing at all', spec: {} },
    {
      title: 'unknown fields here and there',
      spec: { replicas: 1, foo: 1, nested: { bar: { baz: 1 } }, items: [{ name: 'a', qux: 1 }] },
    },
    {
      title: 'unknown fields where they are preserved',
      spec: { replicas: 1, anything: { a: { b: [1, { c: null }] } } },
    },
    {
      title: 'a resource inside',
      spec: {
        replicas: 1,
        template: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'p', labels: { a: 'b' }, odd: 1 },
          spec: { x: 1 },
        },
      },
    },
    { title: 'a resource inside without a kind', spec: { replicas: 1, template: { metadata: { name: 'p' } } } },
    { title: 'nulls', spec: { replicas: 1, size: null, flag: null, note: null, nested: { deep: null }, args: null } },
    {
      title: 'wrong types',
      spec: {
        replicas: 'one',
        size: 5,
        flag: 'yes',
        nested: [],
        items: {},
        tags: 'x',
        labels: 'y',
        counts: { a: 'b' },
      },
    },
    { title: 'a float for an integer', spec: { replicas: 1.5 } },
    { title: 'a whole float for an integer', spec: { replicas: 2.0 } },
    {
      title: 'limits exceeded',
      spec: {
        replicas: 11,
        step: 7,
        ratio: 1,
        name: 'toolong',
        items: [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }, { name: 'e' }],
      },
    },
    { title: 'limits missed', spec: { replicas: -1, ratio: 0, name: 'A', args: [], labels: {} } },
    { title: 'too many properties', spec: { replicas: 1, labels: { a: '1', b: '2', c: '3', d: '4' } } },
    { title: 'a value outside its list', spec: { replicas: 1, size: 'medium' } },
    { title: 'formats missed', spec: { replicas: 1, when: 'yesterday', address: '1.2.3' } },
    { title: 'formats met', spec: { replicas: 1, when: '2026-01-02T03:04:05Z', address: '1.2.3.4' } },
    { title: 'a number or a text', spec: { replicas: 1, port: 80 } },
    { title: 'neither a number nor a text', spec: { replicas: 1, port: true } },
    { title: 'duplicates in a set', spec: { replicas: 1, tags: ['a', 'b', 'a', 'a'] } },
    { title: 'duplicates in a keyed list', spec: { replicas: 1, items: [{ name: 'a' }, { name: 'a' }] } },
    {
      title: 'duplicates by two keys',
      spec: { replicas: 1, ports: [{ port: 1 }, { port: 1, protocol: 'UDP' }, { port: 1, protocol: 'TCP' }] },
    },
    { title: 'an item without its key', spec: { replicas: 1, items: [{ value: 3 }] } },
    { title: 'both of a choice', spec: { replicas: 1, choice: { a: '1', b: '2' } } },
    { title: 'none of a choice', spec: { replicas: 1, choice: {} } },
    { title: 'none of either', spec: { replicas: 1, either: {} } },
    { title: 'what must not be', spec: { replicas: 1, never: 'bad' } },
    { title: 'a broken rule', spec: { replicas: 5, most: 4 } },
    { title: 'a broken rule with a message of its own making', spec: { replicas: 1, even: 3 } },
    { title: 'a broken rule about a name that is a word of CEL', spec: { replicas: 1, namespace: 'x' } },
    { title: 'a broken rule with a reason', spec: { replicas: 1, tags: ['a', 'b', 'c', 'd'] } },
    { title: 'a broken rule beside a broken type', spec: { replicas: 5, most: 4, flag: 'x' } },
    { title: 'a broken rule beside a broken limit', spec: { replicas: 5, most: 4, step: 7 } },
    { title: 'a change of what is immutable', old: { replicas: 1, fixed: 'a' }, spec: { replicas: 1, fixed: 'b' } },
    { title: 'no change of what is immutable', old: { replicas: 1, fixed: 'a' }, spec: { replicas: 2, fixed: 'a' } },
  ];
