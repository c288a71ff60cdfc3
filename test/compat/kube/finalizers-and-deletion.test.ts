import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text } from '../../support/raw-client.ts';
import { admin, configMap, configMaps, namespace, ok, refused } from './cluster.ts';

const held = { finalizers: ['e.com/hold'] };

test('an object with a finalizer stays, marked as going, until the finalizer is gone', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('a', {}, held)), 201);
  const going = ok(await api.delete(configMaps(ns, 'a')));
  assert.equal(going.kind, 'ConfigMap');
  assert.match(text(going.metadata?.deletionTimestamp), /Z$/);
  assert.equal(going.metadata?.deletionGracePeriodSeconds, 0);
  const got = ok(await api.get(configMaps(ns, 'a')));
  assert.equal(got.metadata?.deletionTimestamp, going.metadata?.deletionTimestamp);
  ok(await api.mergePatch(configMaps(ns, 'a'), { metadata: { finalizers: null } }));
  refused(await api.get(configMaps(ns, 'a')), 404, 'NotFound');
});

test('a second delete of what is going changes nothing', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('a', {}, held)), 201);
  const first = ok(await api.delete(configMaps(ns, 'a')));
  const second = ok(await api.delete(configMaps(ns, 'a')));
  assert.equal(second.metadata?.resourceVersion, first.metadata?.resourceVersion);
});

test('no finalizer can be added to what is going', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('a', {}, held)), 201);
  ok(await api.delete(configMaps(ns, 'a')));
  const answer = await api.mergePatch(configMaps(ns, 'a'), { metadata: { finalizers: ['e.com/hold', 'e.com/more'] } });
  refused(
    answer,
    422,
    'Invalid',
    'ConfigMap "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"e.com/more"}',
  );
});

test('of several finalizers the last one to go lets the object go', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('a', {}, { finalizers: ['e.com/a', 'e.com/b'] })), 201);
  ok(await api.delete(configMaps(ns, 'a')));
  ok(await api.mergePatch(configMaps(ns, 'a'), { metadata: { finalizers: ['e.com/b'] } }));
  ok(await api.get(configMaps(ns, 'a')));
  ok(await api.jsonPatch(configMaps(ns, 'a'), [{ op: 'remove', path: '/metadata/finalizers/0' }]));
  assert.equal((await api.get(configMaps(ns, 'a'))).status, 404);
});

test('what is going can still be changed', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('a', { k: 'v' }, held)), 201);
  ok(await api.delete(configMaps(ns, 'a')));
  assert.deepEqual(ok(await api.mergePatch(configMaps(ns, 'a'), { data: { k: 'w' } })).data, { k: 'w' });
});

test('deletionTimestamp cannot be set or taken away by hand', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const made = ok(
    await api.create(configMaps(ns), configMap('a', {}, { ...held, deletionTimestamp: '2001-01-01T00:00:00Z' })),
    201,
  );
  assert.equal(made.metadata?.deletionTimestamp, undefined);
  ok(await api.delete(configMaps(ns, 'a')));
  const patched = await api.mergePatch(configMaps(ns, 'a'), { metadata: { deletionTimestamp: null } });
  assert.notEqual(ok(patched).metadata?.deletionTimestamp, undefined);
});

test('a delete with another uid is a conflict', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const made = ok(await api.create(configMaps(ns), configMap('a')), 201);
  const uid = text(made.metadata?.uid);
  const wrong = await api.delete(configMaps(ns, 'a'), { body: { preconditions: { uid: 'other' } } });
  refused(
    wrong,
    409,
    'Conflict',
    `Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (other) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
  );
  ok(await api.delete(configMaps(ns, 'a'), { body: { preconditions: { uid } } }));
});

test('a delete with an old resourceVersion is a conflict', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const made = ok(await api.create(configMaps(ns), configMap('a')), 201);
  const now = ok(await api.mergePatch(configMaps(ns, 'a'), { data: { k: 'v' } }));
  const [old, current] = [text(made.metadata?.resourceVersion), text(now.metadata?.resourceVersion)];
  const wrong = await api.delete(configMaps(ns, 'a'), { body: { preconditions: { resourceVersion: old } } });
  refused(
    wrong,
    409,
    'Conflict',
    `Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (${old}) does not match the ResourceVersion in record (${current}). The object might have been modified`,
  );
  ok(await api.delete(configMaps(ns, 'a'), { body: { preconditions: { resourceVersion: current } } }));
});

test('options of a delete may come with kind and version, and in the query', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('a')), 201);
  ok(
    await api.delete(configMaps(ns, 'a'), {
      body: { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' },
    }),
  );
  ok(await api.create(configMaps(ns), configMap('b')), 201);
  ok(await api.delete(configMaps(ns, 'b'), { query: { propagationPolicy: 'Background', gracePeriodSeconds: '0' } }));
});

test('an unknown propagation policy is refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('a')), 201);
  const answer = await api.delete(configMaps(ns, 'a'), { body: { propagationPolicy: 'Sideways' } });
  refused(
    answer,
    422,
    'Invalid',
    /propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"$/,
  );
});

test('foreground deletion marks the object with the finalizer foregroundDeletion', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('a', {}, held)), 201);
  const going = ok(await api.delete(configMaps(ns, 'a'), { body: { propagationPolicy: 'Foreground' } }));
  assert.deepEqual(going.metadata?.finalizers, ['e.com/hold', 'foregroundDeletion']);
});

test('orphaning deletion marks the object with the finalizer orphan', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('a', {}, held)), 201);
  const going = ok(await api.delete(configMaps(ns, 'a'), { body: { propagationPolicy: 'Orphan' } }));
  assert.deepEqual(going.metadata?.finalizers, ['e.com/hold', 'orphan']);
});

test('a name is free again after deletion, with another uid', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const one = ok(await api.create(configMaps(ns), configMap('a')), 201);
  ok(await api.delete(configMaps(ns, 'a')));
  const two = ok(await api.create(configMaps(ns), configMap('a')), 201);
  assert.notEqual(two.metadata?.uid, one.metadata?.uid);
});

test('a pod without a node is deleted at once', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const pods = `/api/v1/namespaces/${ns}/pods`;
  const spec = {
    containers: [{ name: 'c', image: 'i' }],
    nodeSelector: { never: 'there' },
    automountServiceAccountToken: false,
  };
  ok(await api.create(`/api/v1/namespaces/${ns}/serviceaccounts`, { metadata: { name: 'sa' } }), 201);
  ok(
    await api.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { ...spec, serviceAccountName: 'sa' },
    }),
    201,
  );
  ok(await api.delete(`${pods}/p`, { body: { gracePeriodSeconds: 0 } }));
  assert.equal((await api.get(`${pods}/p`)).status, 404);
});
