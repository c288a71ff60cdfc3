import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { text } from '../../support/raw-client.ts';
import { admin, eventually, namespace, ok, refused, unique } from './cluster.ts';
import { crdBody, crdPath, customKind, kindOf, open, withSpec } from './crds.ts';

// What the schema of a custom kind does to its objects.

describe('custom resources', { concurrency: 12 }, () => {
  test('defaults are filled in on write', async () => {
    const kind = await customKind(
      withSpec({
        default: {},
        properties: {
          size: { type: 'integer', default: 3 },
          deep: { type: 'object', properties: { on: { type: 'boolean', default: true } } },
        },
      }),
    );
    const [api, ns] = [await admin(), await namespace()];
    assert.deepEqual(ok(await api.create(kind.path(ns), kind.object('a')), 201).spec, { size: 3 });
    assert.deepEqual(ok(await api.create(kind.path(ns), kind.object('b', { spec: { deep: {} } })), 201).spec, {
      deep: { on: true },
      size: 3,
    });
    assert.deepEqual(ok(await api.create(kind.path(ns), kind.object('c', { spec: { size: 9 } })), 201).spec, {
      size: 9,
    });
  });

  test('null is replaced by the default unless the field is nullable', async () => {
    const kind = await customKind(
      withSpec({
        properties: {
          a: { type: 'string', default: 'x' },
          b: { type: 'string', default: 'y', nullable: true },
          c: { type: 'string' },
        },
      }),
    );
    const [api, ns] = [await admin(), await namespace()];
    const made = ok(await api.create(kind.path(ns), kind.object('w', { spec: { a: null, b: null } })), 201);
    assert.deepEqual(made.spec, { a: 'x', b: null });
  });

  test('unknown fields are pruned', async () => {
    const kind = await customKind(
      withSpec({
        properties: {
          known: { type: 'string' },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      }),
    );
    const [api, ns] = [await admin(), await namespace()];
    const body = kind.object('w', { spec: { known: 'a', unknown: 'b', free: { x: { y: 1 } } }, extra: true });
    const made = ok(await api.create(kind.path(ns), body), 201);
    assert.deepEqual(made.spec, { known: 'a', free: { x: { y: 1 } } });
    assert.equal(made.extra, undefined);
  });

  test('unknown fields are refused under strict validation', async () => {
    const [kind, api, ns] = [await customKind(withSpec({ properties: {} })), await admin(), await namespace()];
    const answer = await api.create(kind.path(ns), kind.object('w', { spec: { bogus: 1 } }), {
      query: { fieldValidation: 'Strict' },
    });
    refused(answer, 400, 'BadRequest', /strict decoding error: unknown field "spec.bogus"$/);
  });

  test('unknown fields are warned of', async () => {
    const [kind, api, ns] = [await customKind(withSpec({ properties: {} })), await admin(), await namespace()];
    const answer = await api.create(kind.path(ns), kind.object('w', { spec: { bogus: 1 } }), {
      query: { fieldValidation: 'Warn' },
    });
    ok(answer, 201);
    assert.equal(answer.headers.warning, '299 - "unknown field \\"spec.bogus\\""');
  });

  const rules: [string, object, unknown, RegExp][] = [
    [
      'a wrong type',
      { type: 'string' },
      5,
      /spec\.f: Invalid value: "integer": spec\.f in body must be of type string: "integer"$/,
    ],
    [
      'a wrong type of object',
      { type: 'object', properties: {} },
      'text',
      /spec\.f: Invalid value: "string": spec\.f in body must be of type object: "string"$/,
    ],
    [
      'a number below the minimum',
      { type: 'integer', minimum: 3 },
      2,
      /spec\.f: Invalid value: 2: spec\.f in body should be greater than or equal to 3$/,
    ],
    [
      'a number above the maximum',
      { type: 'integer', maximum: 3 },
      4,
      /spec\.f: Invalid value: 4: spec\.f in body should be less than or equal to 3$/,
    ],
    [
      'a number at an exclusive maximum',
      { type: 'integer', maximum: 3, exclusiveMaximum: true },
      3,
      /spec\.f: Invalid value: 3: spec\.f in body should be less than 3$/,
    ],
    [
      'a number that is no multiple',
      { type: 'integer', multipleOf: 4 },
      6,
      /spec\.f: Invalid value: 6: spec\.f in body should be a multiple of 4$/,
    ],
    [
      'a value outside an enum',
      { type: 'string', enum: ['a', 'b'] },
      'c',
      /spec\.f: Unsupported value: "c": supported values: "a", "b"$/,
    ],
    [
      'text against its pattern',
      { type: 'string', pattern: '^a+$' },
      'b',
      /spec\.f: Invalid value: "b": spec\.f in body should match '\^a\+\$'$/,
    ],
    [
      'text too short',
      { type: 'string', minLength: 2 },
      'a',
      /spec\.f: Invalid value: "a": spec\.f in body should be at least 2 chars long$/,
    ],
    ['text too long', { type: 'string', maxLength: 2 }, 'abc', /spec\.f: Too long: may not be more than 2 bytes$/],
    [
      'too many items',
      { type: 'array', maxItems: 1, items: { type: 'string' } },
      ['a', 'b'],
      /spec\.f: Too many: 2: must have at most 1 item(s)?$/,
    ],
    [
      'too few items',
      { type: 'array', minItems: 2, items: { type: 'string' } },
      ['a'],
      /spec\.f: Invalid value: 1: spec\.f in body should have at least 2 items$/,
    ],
    [
      'too many properties',
      { type: 'object', maxProperties: 1, additionalProperties: { type: 'string' } },
      { a: 'x', b: 'y' },
      /spec\.f: Too many: 2: must have at most 1 item(s)?$/,
    ],
    [
      'a missing required field',
      { type: 'object', required: ['r'], properties: { r: { type: 'string' } } },
      {},
      /spec\.f\.r: Required value$/,
    ],
    [
      'a bad element of a list',
      { type: 'array', items: { type: 'integer' } },
      [1, 'x'],
      /spec\.f\[1\]: Invalid value: "string": spec\.f\[1\] in body must be of type integer: "string"$/,
    ],
    [
      'a bad value of a map',
      { type: 'object', additionalProperties: { type: 'integer' } },
      { k: 'x' },
      /spec\.f\.k: Invalid value: "string": spec\.f\.k in body must be of type integer: "string"$/,
    ],
    [
      'a double in a set',
      { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      ['a', 'a'],
      /spec\.f\[1\]: Duplicate value: "a"$/,
    ],
    [
      'a double key in a list map',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', required: ['k'], properties: { k: { type: 'string' } } },
      },
      [{ k: 'a' }, { k: 'a' }],
      /spec\.f\[1\]: Duplicate value: \{"k":"a"\}$/,
    ],
    [
      'anything but integer or string',
      { 'x-kubernetes-int-or-string': true },
      true,
      /spec\.f: Invalid value: "boolean": spec\.f in body must be of type integer,string: "boolean"$/,
    ],
    [
      'null where it is not allowed',
      { type: 'array', items: { type: 'string' } },
      [null],
      /spec\.f\[0\]: Invalid value: "null": spec\.f\[0\] in body must be of type string: "null"$/,
    ],
    [
      'a date that is none',
      { type: 'string', format: 'date-time' },
      'yesterday',
      /spec\.f: Invalid value: "yesterday": spec\.f in body must be of type date-time: "yesterday"$/,
    ],
    [
      'none of anyOf',
      { type: 'integer', anyOf: [{ minimum: 5 }, { maximum: 1 }] },
      3,
      /: \[<nil>: Invalid value: "": "spec\.f" must validate at least one schema \(anyOf\), spec\.f: Invalid value: 3: spec\.f in body should be greater than or equal to 5\]$/,
    ],
    [
      'both of oneOf',
      { type: 'integer', oneOf: [{ minimum: 1 }, { minimum: 2 }] },
      3,
      /: <nil>: Invalid value: "": "spec\.f" must validate one and only one schema \(oneOf\)\. Found 2 valid alternatives$/,
    ],
    [
      'a CEL rule with its message',
      { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 3', message: 'must be big' }] },
      2,
      /spec\.f: Invalid value: (2|"integer"): must be big$/,
    ],
    [
      'a CEL rule without a message',
      { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 3' }] },
      2,
      /spec\.f: Invalid value: (2|"integer"): failed rule: self > 3$/,
    ],
  ];

  test('the validation rules of a schema refuse with their messages', async (t) => {
    const properties = Object.fromEntries(
      rules.map(([, schema], n) => [
        `g${n}`,
        { type: 'object', properties: { spec: { type: 'object', properties: { f: schema } } } },
      ]),
    );
    // One CRD with a property per rule would change the paths in the messages: a version per rule keeps them.
    const group = `${unique('g')}.example.com`;
    const api = await admin();
    const versions = rules.map((_, n) => ({
      name: `v${n + 1}`,
      served: true,
      storage: n === 0,
      schema: { openAPIV3Schema: properties[`g${n}`] },
    }));
    ok(await api.create(crdPath, crdBody(group, open, {}, { versions })), 201);
    await eventually(async () => ok(await api.get(`/apis/${group}/v${rules.length}/widgets`)));
    const ns = await namespace();
    for (const [n, [title, , value, message]] of rules.entries())
      await t.test(title, async () => {
        const kind = kindOf(group, `v${n + 1}`);
        const answer = await api.create(kind.path(ns), kind.object('w', { spec: { f: value } }));
        refused(answer, 422, 'Invalid', message);
        assert.ok(text(answer.body.message).startsWith(`Widget.${group} "w" is invalid: `), answer.text);
        assert.equal(answer.body.details?.group, group);
      });
  });

  test('a CEL transition rule guards updates', async () => {
    const rule = { rule: 'self == oldSelf', message: 'is immutable' };
    const kind = await customKind(
      withSpec({ properties: { f: { type: 'string', 'x-kubernetes-validations': [rule] } } }),
    );
    const [api, ns] = [await admin(), await namespace()];
    ok(await api.create(kind.path(ns), kind.object('w', { spec: { f: 'a' } })), 201);
    const answer = await api.mergePatch(kind.path(ns, 'w'), { spec: { f: 'b' } });
    refused(answer, 422, 'Invalid', /spec\.f: Invalid value: ("b"|"string"): is immutable$/);
  });

  test('a schema that is not structural is refused', async () => {
    const api = await admin();
    const group = `${unique('g')}.example.com`;
    const answer = await api.create(crdPath, crdBody(group, withSpec({ properties: { a: {} } })));
    refused(
      answer,
      422,
      'Invalid',
      /properties\[spec\]\.properties\[a\]\.type: Required value: must not be empty for specified object fields$/,
    );
  });

  test('a default that breaks its schema is refused', async () => {
    const api = await admin();
    const group = `${unique('g')}.example.com`;
    const answer = await api.create(
      crdPath,
      crdBody(group, withSpec({ properties: { a: { type: 'integer', default: 'x' } } })),
    );
    refused(
      answer,
      422,
      'Invalid',
      /properties\[spec\]\.properties\[a\]\.default: Invalid value: "string": .* in body must be of type integer: "string"$/,
    );
  });

  test('embedded resources need their kind', async () => {
    const kind = await customKind(
      withSpec({
        properties: {
          t: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
        },
      }),
    );
    const [api, ns] = [await admin(), await namespace()];
    const answer = await api.create(kind.path(ns), kind.object('w', { spec: { t: { metadata: {} } } }));
    refused(answer, 422, 'Invalid', /: \[spec\.t\.apiVersion: Required value, spec\.t\.kind: Required value\]$/);
  });
});
