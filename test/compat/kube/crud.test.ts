import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text } from '../../support/raw-client.ts';
import { admin, configMap, configMaps, namespace, ok, refused, unique } from './cluster.ts';

const uidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

test('create answers 201 with uid, resourceVersion and creationTimestamp', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const made = ok(await api.create(configMaps(ns), configMap('a', { k: 'v' })), 201);
  assert.equal(made.kind, 'ConfigMap');
  assert.equal(made.apiVersion, 'v1');
  assert.equal(made.metadata?.namespace, ns);
  assert.match(text(made.metadata?.uid), uidPattern);
  assert.match(text(made.metadata?.resourceVersion), /^[1-9][0-9]*$/);
  assert.match(text(made.metadata?.creationTimestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.deepEqual(made.data, { k: 'v' });
  assert.equal(made.metadata?.generation, undefined);
});

test('get gives what was created', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const made = ok(await api.create(configMaps(ns), configMap('a', { k: 'v' })), 201);
  assert.deepEqual(ok(await api.get(configMaps(ns, 'a'))), made);
});

test('creating a name twice answers 409 AlreadyExists', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('a')), 201);
  const answer = await api.create(configMaps(ns), configMap('a'));
  refused(answer, 409, 'AlreadyExists', 'configmaps "a" already exists');
  assert.deepEqual(answer.body.details, { name: 'a', kind: 'configmaps' });
});

test('getting what is not there answers 404 NotFound', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.get(configMaps(ns, 'nothing'));
  refused(answer, 404, 'NotFound', 'configmaps "nothing" not found');
  assert.deepEqual(answer.body.details, { name: 'nothing', kind: 'configmaps' });
});

test('what the client says about uid, creationTimestamp and namespace scope is corrected or refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const claimed = { uid: 'mine', creationTimestamp: '2001-01-01T00:00:00Z', selfLink: '/x', generation: 7 };
  const made = ok(await api.create(configMaps(ns), configMap('a', {}, claimed)), 201);
  assert.match(text(made.metadata?.uid), uidPattern);
  assert.notEqual(made.metadata?.creationTimestamp, '2001-01-01T00:00:00Z');
  assert.equal(made.metadata?.selfLink, undefined);
});

test('create with a resourceVersion is refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(configMaps(ns), configMap('a', {}, { resourceVersion: '5' }));
  refused(answer, 500, undefined, 'resourceVersion should not be set on objects to be created');
});

test('put with the current resourceVersion replaces the object', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const made = ok(await api.create(configMaps(ns), configMap('a', { k: 'v', l: 'w' })), 201);
  const put = ok(await api.put(configMaps(ns, 'a'), { ...made, data: { k: 'x' } }));
  assert.deepEqual(put.data, { k: 'x' });
  assert.equal(put.metadata?.uid, made.metadata?.uid);
  assert.equal(put.metadata?.creationTimestamp, made.metadata?.creationTimestamp);
  assert.notEqual(put.metadata?.resourceVersion, made.metadata?.resourceVersion);
});

test('put with an old resourceVersion answers 409 Conflict', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const made = ok(await api.create(configMaps(ns), configMap('a')), 201);
  ok(await api.put(configMaps(ns, 'a'), { ...made, data: { k: '1' } }));
  const answer = await api.put(configMaps(ns, 'a'), { ...made, data: { k: '2' } });
  refused(
    answer,
    409,
    'Conflict',
    'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
  );
  assert.deepEqual(answer.body.details, { name: 'a', kind: 'configmaps' });
});

test('put without a resourceVersion overwrites a configmap', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('a', { k: 'v' })), 201);
  const put = ok(await api.put(configMaps(ns, 'a'), configMap('a', { z: '1' })));
  assert.deepEqual(put.data, { z: '1' });
});

test('put of what is not there answers 404, for kinds that do not allow creation by update', async () => {
  const [api, ns] = [await admin(), await namespace()];
  refused(await api.put(configMaps(ns, 'a'), configMap('a')), 404, 'NotFound', 'configmaps "a" not found');
});

test('put creates a Lease that is not there', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const path = `/apis/coordination.k8s.io/v1/namespaces/${ns}/leases/l`;
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec: {} };
  ok(await api.put(path, lease), 201);
  ok(await api.get(path));
});

test('put with a uid of another object is a conflict', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('a')), 201);
  const answer = await api.put(
    configMaps(ns, 'a'),
    configMap('a', {}, { uid: 'ba5eba11-0000-0000-0000-000000000000' }),
  );
  refused(
    answer,
    409,
    'Conflict',
    /Precondition failed: UID in precondition: ba5eba11-0000-0000-0000-000000000000, UID in object meta: /,
  );
});

test('put with another name than the path is refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('a')), 201);
  const answer = await api.put(configMaps(ns, 'a'), configMap('b'));
  refused(answer, 400, 'BadRequest', 'the name of the object (b) does not match the name on the URL (a)');
});

test('create in another namespace than the path is refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(configMaps(ns), configMap('a', {}, { namespace: 'other' }));
  refused(
    answer,
    400,
    'BadRequest',
    'the namespace of the provided object does not match the namespace sent on the request',
  );
});

test('a write that changes nothing keeps the resourceVersion', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const made = ok(await api.create(configMaps(ns), configMap('a', { k: 'v' })), 201);
  const put = ok(await api.put(configMaps(ns, 'a'), made));
  assert.equal(put.metadata?.resourceVersion, made.metadata?.resourceVersion);
});

test('resourceVersions grow over objects', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const one = ok(await api.create(configMaps(ns), configMap('a')), 201);
  const two = ok(await api.create(configMaps(ns), configMap('b')), 201);
  assert.ok(Number(two.metadata?.resourceVersion) > Number(one.metadata?.resourceVersion));
});

test('generation counts changes of the spec only', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const base = `/apis/networking.k8s.io/v1/namespaces/${ns}/networkpolicies`;
  const policy = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'p' },
    spec: { podSelector: {} },
  };
  assert.equal(ok(await api.create(base, policy), 201).metadata?.generation, 1);
  const labelled = ok(await api.mergePatch(`${base}/p`, { metadata: { labels: { a: 'b' } } }));
  assert.equal(labelled.metadata?.generation, 1);
  const changed = ok(await api.mergePatch(`${base}/p`, { spec: { podSelector: { matchLabels: { x: 'y' } } } }));
  assert.equal(changed.metadata?.generation, 2);
});

test('delete answers a Status with name, kind and uid', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const made = ok(await api.create(configMaps(ns), configMap('a')), 201);
  const gone = ok(await api.delete(configMaps(ns, 'a')));
  assert.equal(gone.kind, 'Status');
  assert.equal(gone.status, 'Success');
  assert.deepEqual(gone.details, { name: 'a', kind: 'configmaps', uid: made.metadata?.uid });
  refused(await api.get(configMaps(ns, 'a')), 404, 'NotFound');
});

test('delete of what is not there answers 404', async () => {
  const [api, ns] = [await admin(), await namespace()];
  refused(await api.delete(configMaps(ns, 'a')), 404, 'NotFound', 'configmaps "a" not found');
});

test('an object in a namespace that is not there cannot be created', async () => {
  const [api, ns] = [await admin(), unique('missing')];
  const answer = await api.create(configMaps(ns), configMap('a'));
  refused(answer, 404, 'NotFound', `namespaces "${ns}" not found`);
  assert.deepEqual(answer.body.details, { name: ns, kind: 'namespaces' });
});

test('generateName adds five characters to the prefix', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-' } };
  const [one, two] = [ok(await api.create(configMaps(ns), body), 201), ok(await api.create(configMaps(ns), body), 201)];
  assert.match(text(one.metadata?.name), /^made-[a-z0-9]{5}$/);
  assert.notEqual(one.metadata?.name, two.metadata?.name);
  assert.equal(one.metadata?.generateName, 'made-');
});

test('an unknown resource answers the plain 404 page', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.get(`/api/v1/namespaces/${ns}/nosuchthings`);
  refused(answer, 404, 'NotFound', 'the server could not find the requested resource');
  const group = await api.get('/apis/no.such.group/v1/things');
  assert.equal(group.status, 404);
  assert.equal(group.text, '404 page not found\n');
});

test('a method a resource does not offer answers 405', async () => {
  const api = await admin();
  const answer = await api.send('PUT', '/api/v1/namespaces', { body: {} });
  refused(answer, 405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
});

test('a secret takes stringData into data and never gives it back', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's' },
    stringData: { a: 'hello' },
    data: { b: 'Yg==' },
  };
  const made = ok(await api.create(`/api/v1/namespaces/${ns}/secrets`, secret), 201);
  assert.deepEqual(made.data, { a: 'aGVsbG8=', b: 'Yg==' });
  assert.equal(made.stringData, undefined);
  assert.equal(made.type, 'Opaque');
});

test('an immutable configmap refuses changes of its data', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), { ...configMap('a', { k: 'v' }), immutable: true }), 201);
  const answer = await api.mergePatch(configMaps(ns, 'a'), { data: { k: 'w' } });
  refused(
    answer,
    422,
    'Invalid',
    'ConfigMap "a" is invalid: data: Forbidden: field is immutable when `immutable` is set',
  );
});
