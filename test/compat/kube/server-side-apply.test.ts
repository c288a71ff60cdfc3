import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Doc, items, text } from '../../support/raw-client.ts';
import { admin, configMap, configMaps, namespace, ok, refused } from './cluster.ts';
import { customKind } from './crds.ts';

type Api = Awaited<ReturnType<typeof admin>>;

/** Who owns what, without times: `[manager, operation, subresource, fieldsV1]`, ordered by the first two. */
function owners(object: Doc): unknown[] {
  // The server's order depends on the second in which each entry was last written.
  const name = (entry: Doc): string => `${text(entry.manager)} ${text(entry.operation)}`;
  return items(object.metadata?.managedFields)
    .toSorted((one, other) => (name(one) < name(other) ? -1 : 1))
    .map((entry) => [
      entry.manager,
      entry.operation,
      ...(entry.subresource === undefined ? [] : [entry.subresource]),
      entry.fieldsV1,
    ]);
}

async function here(): Promise<{ api: Api; ns: string; path: string }> {
  const [api, ns] = [await admin(), await namespace()];
  return { api, ns, path: configMaps(ns, 'm') };
}

const deployment = (name: string, containers: object[], more: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers } },
    ...more,
  },
});

test('apply creates what is not there with 201 and owns what it sent', async () => {
  const { api, path } = await here();
  const made = ok(await api.apply(path, 'alice', configMap('m', { k: 'v' })), 201);
  assert.deepEqual(owners(made), [['alice', 'Apply', { 'f:data': { 'f:k': {} } }]]);
  const entry = items(made.metadata?.managedFields)[0];
  assert.equal(entry?.apiVersion, 'v1');
  assert.equal(entry?.fieldsType, 'FieldsV1');
  assert.match(text(entry?.time), /Z$/);
});

test('applying the same again answers 200 and writes nothing', async () => {
  const { api, path } = await here();
  const made = ok(await api.apply(path, 'alice', configMap('m', { k: 'v' })), 201);
  const again = ok(await api.apply(path, 'alice', configMap('m', { k: 'v' })));
  assert.equal(again.metadata?.resourceVersion, made.metadata?.resourceVersion);
  assert.deepEqual(again.metadata?.managedFields, made.metadata?.managedFields);
});

test('a field left out by its only owner is removed', async () => {
  const { api, path } = await here();
  ok(await api.apply(path, 'alice', configMap('m', { a: '1', b: '2' })), 201);
  const now = ok(await api.apply(path, 'alice', configMap('m', { a: '1' })));
  assert.deepEqual(now.data, { a: '1' });
  assert.deepEqual(owners(now), [['alice', 'Apply', { 'f:data': { 'f:a': {} } }]]);
});

test('a field left out by one of two owners stays', async () => {
  const { api, path } = await here();
  ok(await api.apply(path, 'alice', configMap('m', { a: '1', b: '2' })), 201);
  ok(await api.apply(path, 'bob', configMap('m', { b: '2' })));
  const now = ok(await api.apply(path, 'alice', configMap('m', { a: '1' })));
  assert.deepEqual(now.data, { a: '1', b: '2' });
  assert.deepEqual(owners(now), [
    ['alice', 'Apply', { 'f:data': { 'f:a': {} } }],
    ['bob', 'Apply', { 'f:data': { 'f:b': {} } }],
  ]);
});

test('the same value by another manager is shared, not a conflict', async () => {
  const { api, path } = await here();
  ok(await api.apply(path, 'alice', configMap('m', { k: 'v' })), 201);
  const now = ok(await api.apply(path, 'bob', configMap('m', { k: 'v' })));
  assert.deepEqual(owners(now), [
    ['alice', 'Apply', { 'f:data': { 'f:k': {} } }],
    ['bob', 'Apply', { 'f:data': { 'f:k': {} } }],
  ]);
});

test('another value of an owned field is a conflict that names owner and field', async () => {
  const { api, path } = await here();
  ok(await api.apply(path, 'alice', configMap('m', { k: 'v' })), 201);
  const answer = await api.apply(path, 'bob', configMap('m', { k: 'w' }));
  refused(answer, 409, 'Conflict', 'Apply failed with 1 conflict: conflict with "alice": .data.k');
  assert.deepEqual(answer.body.details, {
    causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "alice"', field: '.data.k' }],
  });
});

test('several conflicts are told together, grouped by owner', async () => {
  const { api, path } = await here();
  ok(await api.apply(path, 'alice', configMap('m', { a: '1', b: '1' })), 201);
  ok(await api.apply(path, 'carol', configMap('m', { c: '1' })));
  const answer = await api.apply(path, 'bob', configMap('m', { a: '2', b: '2', c: '2' }));
  refused(
    answer,
    409,
    'Conflict',
    'Apply failed with 3 conflicts: conflicts with "alice":\n- .data.a\n- .data.b\nconflicts with "carol":\n- .data.c',
  );
  assert.equal(items(answer.body.details?.causes).length, 3);
});

test('force takes the field from its owner', async () => {
  const { api, path } = await here();
  ok(await api.apply(path, 'alice', configMap('m', { k: 'v', l: 'w' })), 201);
  const now = ok(await api.apply(path, 'bob', configMap('m', { k: 'x' }), { force: 'true' }));
  assert.deepEqual(now.data, { k: 'x', l: 'w' });
  assert.deepEqual(owners(now), [
    ['alice', 'Apply', { 'f:data': { 'f:l': {} } }],
    ['bob', 'Apply', { 'f:data': { 'f:k': {} } }],
  ]);
});

test('a conflict with an updater names its operation and version', async () => {
  const { api, ns, path } = await here();
  ok(await api.create(configMaps(ns), configMap('m', { k: 'v' }), { query: { fieldManager: 'editor' } }), 201);
  const answer = await api.apply(path, 'bob', configMap('m', { k: 'w' }));
  refused(
    answer,
    409,
    'Conflict',
    /^Apply failed with 1 conflict: conflict with "editor" using v1( at \S+)?: \.data\.k$/,
  );
});

test('apply needs a field manager', async () => {
  const { api, path } = await here();
  const answer = await api.send('PATCH', path, { body: configMap('m'), type: 'application/apply-patch+yaml' });
  refused(answer, 422, 'Invalid', /fieldManager: Required value: is required for apply patch$/);
});

test('force is refused for other patches', async () => {
  const { api, ns, path } = await here();
  ok(await api.create(configMaps(ns), configMap('m')), 201);
  const answer = await api.mergePatch(path, {}, { query: { force: 'true' } });
  refused(answer, 422, 'Invalid', /force: Forbidden: may not be specified for non-apply patch$/);
});

test('a field manager longer than 128 characters is refused', async () => {
  const { api, path } = await here();
  refused(
    await api.apply(path, 'x'.repeat(129), configMap('m')),
    422,
    'Invalid',
    /fieldManager: Too long: may not be more than 128 bytes$/,
  );
});

test('apply takes YAML', async () => {
  const { api, path } = await here();
  const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\ndata:\n  k: "yes"\n';
  assert.deepEqual(ok(await api.apply(path, 'alice', yaml), 201).data, { k: 'yes' });
});

test('apply needs kind and apiVersion', async () => {
  const { api, path } = await here();
  refused(
    await api.apply(path, 'alice', { metadata: { name: 'm' } }),
    400,
    'BadRequest',
    /invalid object type: \/, Kind=/,
  );
});

test('apply refuses managedFields in the body', async () => {
  const { api, path } = await here();
  const body = configMap(
    'm',
    {},
    { managedFields: [{ manager: 'x', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }] },
  );
  refused(await api.apply(path, 'alice', body), 400, 'BadRequest', 'metadata.managedFields must be nil');
});

test('apply with another name than the path is refused', async () => {
  const { api, path } = await here();
  refused(
    await api.apply(path, 'alice', configMap('other')),
    400,
    'BadRequest',
    'the name of the object (other) does not match the name on the URL (m)',
  );
});

test('apply with an old resourceVersion is a conflict', async () => {
  const { api, path } = await here();
  const made = ok(await api.apply(path, 'alice', configMap('m', { k: '1' })), 201);
  ok(await api.apply(path, 'alice', configMap('m', { k: '2' })));
  const answer = await api.apply(
    path,
    'alice',
    configMap('m', { k: '3' }, { resourceVersion: made.metadata?.resourceVersion }),
  );
  refused(answer, 409, 'Conflict', /^Operation cannot be fulfilled on configmaps "m": the object has been modified/);
});

test('apply with a resourceVersion creates what is not there', async () => {
  const { api, path } = await here();
  const answer = await api.apply(path, 'alice', configMap('m', {}, { resourceVersion: '5' }));
  assert.notEqual(ok(answer, 201).metadata?.resourceVersion, '5');
});

test('apply with a uid does not create', async () => {
  const { api, path } = await here();
  const answer = await api.apply(path, 'alice', configMap('m', {}, { uid: 'ba5eba11-0000-0000-0000-000000000000' }));
  refused(
    answer,
    409,
    'Conflict',
    'Operation cannot be fulfilled on configmaps "m": uid mismatch: the provided object specified uid ba5eba11-0000-0000-0000-000000000000, and no existing object was found',
  );
});

test('lists with a key are merged element by element, each owner keeps its own', async () => {
  const { api, ns } = await here();
  const path = `/apis/apps/v1/namespaces/${ns}/deployments/d`;
  ok(await api.apply(path, 'alice', deployment('d', [{ name: 'a', image: 'a:1' }], { replicas: 0 })), 201);
  const two = ok(await api.apply(path, 'bob', deployment('d', [{ name: 'b', image: 'b:1' }])));
  assert.deepEqual(
    items(two.spec?.template?.spec?.containers).map((c) => c.name),
    ['a', 'b'],
  );
  const one = ok(await api.apply(path, 'bob', deployment('d', [{ name: 'c', image: 'c:1' }])));
  assert.deepEqual(
    items(one.spec?.template?.spec?.containers).map((c) => c.name),
    ['a', 'c'],
  );
});

test('ownership of list elements is told by key', async () => {
  const { api, ns } = await here();
  const path = `/apis/apps/v1/namespaces/${ns}/deployments/d`;
  const made = ok(
    await api.apply(
      path,
      'alice',
      deployment('d', [{ name: 'a', image: 'a:1', ports: [{ containerPort: 80 }] }], { replicas: 0 }),
    ),
    201,
  );
  assert.deepEqual(owners(made)[0], [
    'alice',
    'Apply',
    {
      'f:spec': {
        'f:replicas': {},
        'f:selector': {},
        'f:template': {
          'f:metadata': { 'f:labels': { 'f:app': {} } },
          'f:spec': {
            'f:containers': {
              'k:{"name":"a"}': {
                '.': {},
                'f:image': {},
                'f:name': {},
                'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
              },
            },
          },
        },
      },
    },
  ]);
});

test('a list with the same key twice is refused', async () => {
  const { api, ns } = await here();
  const path = `/apis/apps/v1/namespaces/${ns}/deployments/d`;
  const body = deployment('d', [
    { name: 'a', image: '1' },
    { name: 'a', image: '2' },
  ]);
  const answer = await api.apply(path, 'alice', body);
  refused(
    answer,
    500,
    undefined,
    /failed to create typed patch object .*\.spec\.template\.spec\.containers: duplicate entries for key \[name="a"\]/,
  );
});

test('a list element without its key is refused', async () => {
  const { api, ns } = await here();
  const path = `/apis/apps/v1/namespaces/${ns}/deployments/d`;
  const answer = await api.apply(path, 'alice', deployment('d', [{ image: '1' }]));
  refused(
    answer,
    422,
    'Invalid',
    'Deployment.apps "d" is invalid: spec.template.spec.containers[0].name: Required value',
  );
});

test('a field the schema does not know is refused', async () => {
  const { api, path } = await here();
  const answer = await api.apply(path, 'alice', { ...configMap('m'), bogus: 1 });
  refused(
    answer,
    500,
    undefined,
    'failed to create typed patch object (/m; /v1, Kind=ConfigMap): .bogus: field not declared in schema',
  );
});

test('finalizers are a set: each applier adds its own and removes its own', async () => {
  const { api, path } = await here();
  ok(await api.apply(path, 'alice', configMap('m', {}, { finalizers: ['e.com/a'] })), 201);
  const both = ok(await api.apply(path, 'bob', configMap('m', {}, { finalizers: ['e.com/b'] })));
  assert.deepEqual(both.metadata?.finalizers, ['e.com/a', 'e.com/b']);
  assert.deepEqual(owners(both)[1], ['bob', 'Apply', { 'f:metadata': { 'f:finalizers': { 'v:"e.com/b"': {} } } }]);
  const left = ok(await api.apply(path, 'alice', configMap('m')));
  assert.deepEqual(left.metadata?.finalizers, ['e.com/b']);
});

test('an update takes the fields it changes from an applier', async () => {
  const { api, path } = await here();
  const made = ok(await api.apply(path, 'alice', configMap('m', { a: '1', b: '2' })), 201);
  const now = ok(await api.put(path, { ...made, data: { a: '1', b: '3' } }, { query: { fieldManager: 'editor' } }));
  assert.deepEqual(owners(now), [
    ['alice', 'Apply', { 'f:data': { 'f:a': {} } }],
    ['editor', 'Update', { 'f:data': { 'f:b': {} } }],
  ]);
});

test('an update that removes a field removes it from its owners', async () => {
  const { api, path } = await here();
  const made = ok(await api.apply(path, 'alice', configMap('m', { a: '1', b: '2' })), 201);
  const now = ok(await api.put(path, { ...made, data: { a: '1' } }, { query: { fieldManager: 'editor' } }));
  assert.deepEqual(owners(now), [['alice', 'Apply', { 'f:data': { 'f:a': {} } }]]);
});

test('an update without a manager is owned by the first part of the user agent', async () => {
  const { api, ns } = await here();
  const made = ok(
    await api.create(configMaps(ns), configMap('m', { k: 'v' }), { headers: { 'user-agent': 'tool/v1.2 (x)' } }),
    201,
  );
  assert.deepEqual(owners(made), [['tool', 'Update', { 'f:data': { '.': {}, 'f:k': {} } }]]);
});

test('an update with empty managedFields clears the owners', async () => {
  const { api, path } = await here();
  const made = ok(await api.apply(path, 'alice', configMap('m', { k: 'v' })), 201);
  const now = ok(await api.put(path, { ...made, metadata: { ...made.metadata, managedFields: [{}] } }));
  assert.equal(now.metadata?.managedFields, undefined);
});

test('an object without owners takes an apply, and what was there belongs to before-first-apply', async () => {
  const { api, ns, path } = await here();
  const made = ok(await api.create(configMaps(ns), configMap('m', { k: 'v' })), 201);
  ok(await api.put(path, { ...made, metadata: { ...made.metadata, managedFields: [{}] } }));
  const now = ok(await api.apply(path, 'alice', configMap('m', { l: 'w' })));
  assert.deepEqual(owners(now), [
    ['alice', 'Apply', { 'f:data': { 'f:l': {} } }],
    ['before-first-apply', 'Update', { 'f:data': { '.': {}, 'f:k': {} } }],
  ]);
});

test('the same manager may apply and update: two entries', async () => {
  const { api, path } = await here();
  ok(await api.apply(path, 'alice', configMap('m', { a: '1' })), 201);
  const now = ok(await api.mergePatch(path, { data: { b: '2' } }, { query: { fieldManager: 'alice' } }));
  assert.deepEqual(owners(now), [
    ['alice', 'Apply', { 'f:data': { 'f:a': {} } }],
    ['alice', 'Update', { 'f:data': { 'f:b': {} } }],
  ]);
});

test('labels and annotations are owned key by key', async () => {
  const { api, path } = await here();
  const made = ok(
    await api.apply(path, 'alice', configMap('m', {}, { labels: { l: '1' }, annotations: { 'e.com/a': '2' } })),
    201,
  );
  assert.deepEqual(owners(made), [
    ['alice', 'Apply', { 'f:metadata': { 'f:annotations': { 'f:e.com/a': {} }, 'f:labels': { 'f:l': {} } } }],
  ]);
});

test('apply to status goes to an entry of its own', async () => {
  const { api, ns } = await here();
  const path = `/apis/apps/v1/namespaces/${ns}/deployments/d`;
  ok(await api.apply(path, 'alice', deployment('d', [{ name: 'a', image: 'a' }], { replicas: 0 })), 201);
  const status = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, status: { collisionCount: 3 } };
  const now = ok(await api.apply(`${path}/status`, 'alice', status));
  const entry = owners(now).find((owner) => Array.isArray(owner) && owner[2] === 'status' && owner[0] === 'alice');
  assert.deepEqual(entry, ['alice', 'Apply', 'status', { 'f:status': { 'f:collisionCount': {} } }]);
});

test('status in an apply to the object itself is not stored', async () => {
  const kind = await customKind(
    {
      type: 'object',
      properties: {
        spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        status: { type: 'object', properties: { x: { type: 'string' } } },
      },
    },
    { subresources: { status: {} } },
  );
  const { api, ns } = await here();
  const made = ok(
    await api.apply(kind.path(ns, 'w'), 'alice', kind.object('w', { spec: { a: 1 }, status: { x: 'y' } })),
    201,
  );
  assert.equal(made.status, undefined);
  const now = ok(await api.apply(`${kind.path(ns, 'w')}/status`, 'alice', kind.object('w', { status: { x: 'z' } })));
  assert.deepEqual(now.status, { x: 'z' });
  assert.deepEqual(now.spec, { a: 1 });
});

test('list maps and sets of a CRD are merged by their schema', async () => {
  const kind = await customKind({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          keyed: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['id'],
            items: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, v: { type: 'string' } } },
          },
          set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
          atomic: { type: 'array', items: { type: 'string' } },
          whole: {
            type: 'object',
            'x-kubernetes-map-type': 'atomic',
            properties: { a: { type: 'string' }, b: { type: 'string' } },
          },
        },
      },
    },
  });
  const { api, ns } = await here();
  const path = kind.path(ns, 'w');
  const spec = (id: string): object => ({ spec: { keyed: [{ id, v: id }], set: [id] } });
  ok(await api.apply(path, 'alice', kind.object('w', spec('a'))), 201);
  const now = ok(await api.apply(path, 'bob', kind.object('w', spec('b'))));
  assert.deepEqual(now.spec, {
    keyed: [
      { id: 'a', v: 'a' },
      { id: 'b', v: 'b' },
    ],
    set: ['a', 'b'],
  });
  ok(await api.apply(path, 'alice', kind.object('w', { spec: { atomic: ['x'], whole: { a: '1' } } })));
  const clash = await api.apply(path, 'bob', kind.object('w', { spec: { atomic: ['y'], whole: { b: '1' } } }));
  refused(
    clash,
    409,
    'Conflict',
    'Apply failed with 2 conflicts: conflicts with "alice":\n- .spec.atomic\n- .spec.whole',
  );
  assert.deepEqual(ok(await api.get(path)).spec, {
    atomic: ['x'],
    keyed: [{ id: 'b', v: 'b' }],
    set: ['b'],
    whole: { a: '1' },
  });
});

test('a dry run of an apply tells of conflicts and stores nothing', async () => {
  const { api, path } = await here();
  ok(await api.apply(path, 'alice', configMap('m', { k: 'v' })), 201);
  refused(await api.apply(path, 'bob', configMap('m', { k: 'w' }), { dryRun: 'All' }), 409, 'Conflict');
  const tried = ok(await api.apply(path, 'bob', configMap('m', { k: 'w' }), { dryRun: 'All', force: 'true' }));
  assert.deepEqual(tried.data, { k: 'w' });
  assert.deepEqual(ok(await api.get(path)).data, { k: 'v' });
});

test('the scale subresource records the new owner of replicas', async () => {
  const { api, ns } = await here();
  const path = `/apis/apps/v1/namespaces/${ns}/deployments/d`;
  ok(await api.apply(path, 'alice', deployment('d', [{ name: 'a', image: 'a' }], { replicas: 0 })), 201);
  ok(await api.mergePatch(`${path}/scale`, { spec: { replicas: 2 } }, { query: { fieldManager: 'scaler' } }));
  const clash = await api.apply(path, 'alice', deployment('d', [{ name: 'a', image: 'a' }], { replicas: 0 }));
  refused(
    clash,
    409,
    'Conflict',
    /conflict with "scaler" with subresource "scale" using apps\/v1( at \S+)?: \.spec\.replicas$/,
  );
});

test('null in an apply is the same as leaving it out', async () => {
  const { api, path } = await here();
  const made = ok(await api.apply(path, 'alice', { ...configMap('m', { a: '1' }), binaryData: null }), 201);
  assert.equal(made.binaryData, undefined);
});

test('a managed field with a dot or a slash keeps its name', async () => {
  const { api, path } = await here();
  const made = ok(await api.apply(path, 'alice', configMap('m', { 'a.b-c_d': '1' })), 201);
  assert.deepEqual(owners(made), [['alice', 'Apply', { 'f:data': { 'f:a.b-c_d': {} } }]]);
});
