import assert from 'node:assert/strict';
import { test } from 'node:test';
import { items } from '../../support/raw-client.ts';
import { deployment, here, owners } from './applying.ts';
import { configMap, configMaps, ok, refused } from './cluster.ts';
import { customKind } from './crds.ts';

// Who owns which field: of lists and maps, after updates, in status and scale.

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

test('a managed field with a dot or a slash keeps its name', async () => {
  const { api, path } = await here();
  const made = ok(await api.apply(path, 'alice', configMap('m', { 'a.b-c_d': '1' })), 201);
  assert.deepEqual(owners(made), [['alice', 'Apply', { 'f:data': { 'f:a.b-c_d': {} } }]]);
});
