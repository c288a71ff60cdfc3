import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { items, text } from '../../support/raw-client.ts';
import { admin, eventually, namespace, ok, refused, unique } from './cluster.ts';
import { crdBody, crdPath, customKind, kindOf } from './crds.ts';

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const withSpec = (spec: object): object => ({ type: 'object', properties: { spec: { type: 'object', ...spec } } });

describe('custom resources', { concurrency: 12 }, () => {
  test('a CRD becomes established and its names accepted', async () => {
    const [kind, api] = [await customKind(open), await admin()];
    const crd = await eventually(async () => {
      const got = ok(await api.get(`${crdPath}/${kind.name}`));
      assert.ok(
        items(got.status?.conditions).some(
          (c) => c.type === ('Established' as unknown) && c.status === ('True' as unknown),
        ),
      ); // leaves
      return got;
    });
    const conditions = Object.fromEntries(items(crd.status?.conditions).map((c) => [c.type, [c.status, c.reason]]));
    assert.deepEqual(conditions['NamesAccepted'], ['True', 'NoConflicts']);
    assert.deepEqual(conditions['Established'], ['True', 'InitialNamesAccepted']);
    assert.deepEqual(crd.status?.storedVersions, ['v1']);
    assert.deepEqual(crd.status?.acceptedNames, {
      plural: 'widgets',
      singular: 'widget',
      kind: 'Widget',
      listKind: 'WidgetList',
    });
    assert.deepEqual(crd.spec?.conversion, { strategy: 'None' });
  });

  test('objects of a CRD are created, read and listed with their kind', async () => {
    const [kind, api, ns] = [await customKind(open), await admin(), await namespace()];
    const made = ok(await api.create(kind.path(ns), kind.object('w', { anything: { goes: [1, 'two'] } })), 201);
    assert.equal(made.metadata?.generation, 1);
    const list = ok(await api.get(kind.path(ns)));
    assert.equal(list.kind, 'WidgetList');
    assert.equal(list.apiVersion, `${kind.group}/v1`);
    assert.equal(items(list.items)[0]?.kind, 'Widget');
    assert.deepEqual(items(list.items)[0]?.anything, { goes: [1, 'two'] });
  });

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

  test('the status subresource keeps spec and status apart', async () => {
    const kind = await customKind(open, { subresources: { status: {} } });
    const [api, ns] = [await admin(), await namespace()];
    const made = ok(await api.create(kind.path(ns), kind.object('w', { spec: { a: 1 }, status: { b: 1 } })), 201);
    assert.equal(made.status, undefined);
    const status = ok(await api.put(`${kind.path(ns, 'w')}/status`, { ...made, spec: { a: 2 }, status: { b: 2 } }));
    assert.deepEqual([status.spec, status.status], [{ a: 1 }, { b: 2 }]);
    assert.equal(status.metadata?.generation, 1);
    const spec = ok(await api.mergePatch(kind.path(ns, 'w'), { spec: { a: 3 }, status: { b: 3 } }));
    assert.deepEqual([spec.spec, spec.status], [{ a: 3 }, { b: 2 }]);
    assert.equal(spec.metadata?.generation, 2);
  });

  test('without a status subresource the path answers 404 and status is plain data', async () => {
    const [kind, api, ns] = [await customKind(open), await admin(), await namespace()];
    const made = ok(await api.create(kind.path(ns), kind.object('w', { status: { b: 1 } })), 201);
    assert.deepEqual(made.status, { b: 1 });
    assert.equal((await api.get(`${kind.path(ns, 'w')}/status`)).status, 404);
  });

  test('labels alone do not change the generation of a custom object, any other field does', async () => {
    const [kind, api, ns] = [await customKind(open), await admin(), await namespace()];
    ok(await api.create(kind.path(ns), kind.object('w', { other: 1 })), 201);
    assert.equal(
      ok(await api.mergePatch(kind.path(ns, 'w'), { metadata: { labels: { a: 'b' } } })).metadata?.generation,
      1,
    );
    assert.equal(ok(await api.mergePatch(kind.path(ns, 'w'), { other: 2 })).metadata?.generation, 2);
  });

  test('put of a custom object needs its resourceVersion', async () => {
    const [kind, api, ns] = [await customKind(open), await admin(), await namespace()];
    ok(await api.create(kind.path(ns), kind.object('w')), 201);
    const answer = await api.put(kind.path(ns, 'w'), kind.object('w', { a: 1 }));
    refused(
      answer,
      422,
      'Invalid',
      `widgets.${kind.group} "w" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
    );
  });

  test('printer columns show in tables', async () => {
    const kind = await customKind(withSpec({ properties: { size: { type: 'integer' } } }), {
      additionalPrinterColumns: [
        { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'how big' },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
    });
    const [api, ns] = [await admin(), await namespace()];
    ok(await api.create(kind.path(ns), kind.object('w', { spec: { size: 4 } })), 201);
    const table = ok(
      await api.get(kind.path(ns), { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }),
    );
    assert.deepEqual(
      items(table.columnDefinitions).map((column) => [column.name, column.type]),
      [
        ['Name', 'string'],
        ['Size', 'integer'],
        ['Age', 'date'],
      ],
    );
    assert.deepEqual(items(items(table.rows)[0]?.cells).slice(0, 2), ['w', 4]);
  });

  test('the same objects are served in every served version, and not in others', async () => {
    const version = (name: string, storage: boolean, served: boolean): object => ({
      name,
      served,
      storage,
      schema: { openAPIV3Schema: open },
    });
    const group = `${unique('g')}.example.com`;
    const api = await admin();
    const versions = [version('v1', true, true), version('v1beta1', false, true), version('v1alpha1', false, false)];
    ok(await api.create(crdPath, crdBody(group, open, {}, { versions })), 201);
    await eventually(async () => ok(await api.get(`/apis/${group}/v1beta1/widgets`)));
    const ns = await namespace();
    ok(await api.create(kindOf(group).path(ns), kindOf(group).object('w', { x: 1 })), 201);
    const beta = ok(await api.get(kindOf(group, 'v1beta1').path(ns, 'w')));
    assert.equal(beta.apiVersion, `${group}/v1beta1`);
    assert.equal(beta.x, 1);
    assert.equal((await api.get(kindOf(group, 'v1alpha1').path(ns, 'w'))).status, 404);
  });

  test('deleting a CRD deletes its objects and stops serving them', async () => {
    const [kind, api, ns] = [await customKind(open), await admin(), await namespace()];
    ok(await api.create(kind.path(ns), kind.object('w')), 201);
    const gone = ok(await api.delete(`${crdPath}/${kind.name}`));
    assert.ok(gone.kind === ('Status' as unknown) || gone.metadata?.deletionTimestamp !== undefined); // leaves
    await eventually(async () => assert.equal((await api.get(`${crdPath}/${kind.name}`)).status, 404));
    await eventually(async () => assert.equal((await api.get(kind.path(ns))).status, 404));
  });

  test('a CRD name must be plural dot group', async () => {
    const api = await admin();
    const body = { ...crdBody('x.example.com', open), metadata: { name: 'wrong.x.example.com' } };
    refused(
      await api.create(crdPath, body),
      422,
      'Invalid',
      /metadata\.name: Invalid value: "wrong\.x\.example\.com": must be spec\.names\.plural\+"\."\+spec\.group$/,
    );
  });

  test('a CRD without a schema is refused', async () => {
    const api = await admin();
    const group = `${unique('g')}.example.com`;
    const versions = [{ name: 'v1', served: true, storage: true }];
    refused(
      await api.create(crdPath, crdBody(group, open, {}, { versions })),
      422,
      'Invalid',
      /spec\.versions\[0\]\.schema\.openAPIV3Schema: Required value$/,
    );
  });

  test('a CRD with two storage versions is refused', async () => {
    const api = await admin();
    const group = `${unique('g')}.example.com`;
    const version = (name: string): object => ({
      name,
      served: true,
      storage: true,
      schema: { openAPIV3Schema: open },
    });
    const answer = await api.create(crdPath, crdBody(group, open, {}, { versions: [version('v1'), version('v2')] }));
    refused(
      answer,
      422,
      'Invalid',
      /spec\.versions: Invalid value: .*must have exactly one version marked as storage version/,
    );
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

  test('a cluster-scoped CRD is served without namespaces', async () => {
    const kind = await customKind(open, {}, { scope: 'Cluster' });
    const api = await admin();
    ok(await api.create(kind.path(), kind.object('w')), 201);
    assert.equal(ok(await api.get(kind.path(undefined, 'w'))).metadata?.namespace, undefined);
  });

  test('a change of the CRD is served soon after', async () => {
    const kind = await customKind(withSpec({ properties: { a: { type: 'string' } } }));
    const [api, ns] = [await admin(), await namespace()];
    ok(await api.create(kind.path(ns), kind.object('w', { spec: { b: 'x' } })), 201);
    const patch = [
      {
        op: 'add',
        path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/b',
        value: { type: 'string', default: 'z' },
      },
    ];
    ok(await api.jsonPatch(`${crdPath}/${kind.name}`, patch));
    await eventually(async () => assert.deepEqual(ok(await api.get(kind.path(ns, 'w'))).spec, { b: 'z' }));
  });

  test('metadata of a custom object keeps only what Kubernetes knows', async () => {
    const [kind, api, ns] = [await customKind(open), await admin(), await namespace()];
    const made = ok(
      await api.create(kind.path(ns), { ...kind.object('w'), metadata: { name: 'w', bogus: 'x', labels: { a: 'b' } } }),
      201,
    );
    assert.equal(made.metadata?.bogus, undefined);
    assert.deepEqual(made.metadata?.labels, { a: 'b' });
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

  test('the scale subresource of a CRD reads and writes the paths it names', async () => {
    const subresources = {
      status: {},
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      },
    };
    const kind = await customKind(open, { subresources });
    const [api, ns] = [await admin(), await namespace()];
    ok(await api.create(kind.path(ns), kind.object('w', { spec: { replicas: 2 } })), 201);
    const scale = ok(await api.get(`${kind.path(ns, 'w')}/scale`));
    assert.equal(scale.kind, 'Scale');
    assert.equal(scale.apiVersion, 'autoscaling/v1');
    assert.deepEqual(scale.spec, { replicas: 2 });
    ok(await api.mergePatch(`${kind.path(ns, 'w')}/scale`, { spec: { replicas: 5 } }));
    assert.deepEqual(ok(await api.get(kind.path(ns, 'w'))).spec, { replicas: 5 });
  });

  test('selectable fields of a CRD work in field selectors', async () => {
    const kind = await customKind(withSpec({ properties: { color: { type: 'string' } } }), {
      selectableFields: [{ jsonPath: '.spec.color' }],
    });
    const [api, ns] = [await admin(), await namespace()];
    for (const color of ['red', 'blue'])
      ok(await api.create(kind.path(ns), kind.object(color, { spec: { color } })), 201);
    const list = ok(await api.get(kind.path(ns), { query: { fieldSelector: 'spec.color=red' } }));
    assert.deepEqual(
      items(list.items).map((item) => item.metadata?.name),
      ['red'],
    );
  });
});
