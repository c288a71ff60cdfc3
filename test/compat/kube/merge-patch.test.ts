import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admin, configMap, configMaps, namespace, ok, refused } from './cluster.ts';

async function made(): Promise<{ api: Awaited<ReturnType<typeof admin>>; path: string; ns: string }> {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('m', { a: '1', b: '2' }, { labels: { l: 'x' } })), 201);
  return { api, path: configMaps(ns, 'm'), ns };
}

const cases: [string, object, object | undefined][] = [
  ['a member is set', { data: { c: '3' } }, { a: '1', b: '2', c: '3' }],
  ['null takes a member away', { data: { a: null } }, { b: '2' }],
  ['null for what is not there is nothing', { data: { z: null } }, { a: '1', b: '2' }],
  ['null takes a whole map away', { data: null }, undefined],
  ['an empty map changes nothing', { data: {} }, { a: '1', b: '2' }],
  ['the empty patch changes nothing', {}, { a: '1', b: '2' }],
];
for (const [title, patch, expected] of cases)
  test(`merge patch: ${title}`, async () => {
    const { api, path } = await made();
    assert.deepEqual(ok(await api.mergePatch(path, patch)).data, expected);
  });

test('merge patch: lists are replaced whole', async () => {
  const { api, path } = await made();
  ok(await api.mergePatch(path, { metadata: { finalizers: ['e.com/a', 'e.com/b'] } }));
  const patched = ok(await api.mergePatch(path, { metadata: { finalizers: ['e.com/c'] } }));
  assert.deepEqual(patched.metadata?.finalizers, ['e.com/c']);
});

test('merge patch: a matching resourceVersion passes, an old one is a conflict', async () => {
  const { api, path } = await made();
  const now = ok(await api.get(path));
  const resourceVersion = now.metadata?.resourceVersion;
  ok(await api.mergePatch(path, { metadata: { resourceVersion }, data: { c: '1' } }));
  const late = await api.mergePatch(path, { metadata: { resourceVersion }, data: { c: '2' } });
  refused(
    late,
    409,
    'Conflict',
    'Operation cannot be fulfilled on configmaps "m": the object has been modified; please apply your changes to the latest version and try again',
  );
});

test('merge patch: a change that changes nothing keeps the resourceVersion', async () => {
  const { api, path } = await made();
  const before = ok(await api.get(path));
  const patched = ok(await api.mergePatch(path, { data: { a: '1' } }));
  assert.equal(patched.metadata?.resourceVersion, before.metadata?.resourceVersion);
});

test('merge patch: the uid cannot be changed', async () => {
  const { api, path } = await made();
  const answer = await api.mergePatch(path, { metadata: { uid: 'ba5eba11-0000-0000-0000-000000000000' } });
  refused(
    answer,
    422,
    'Invalid',
    'ConfigMap "m" is invalid: metadata.uid: Invalid value: "ba5eba11-0000-0000-0000-000000000000": field is immutable',
  );
});

test('merge patch: creationTimestamp and generation stay the server’s', async () => {
  const { api, path } = await made();
  const before = ok(await api.get(path));
  const patched = ok(await api.mergePatch(path, { metadata: { creationTimestamp: '2001-01-01T00:00:00Z' } }));
  assert.equal(patched.metadata?.creationTimestamp, before.metadata?.creationTimestamp);
});

test('merge patch: the kind cannot be changed', async () => {
  const { api, path } = await made();
  const answer = await api.mergePatch(path, { kind: 'Secret' });
  refused(answer, 422, 'Invalid');
  assert.equal(ok(await api.get(path)).kind, 'ConfigMap');
});

test('merge patch: a list as the patch is refused', async () => {
  const { api, path } = await made();
  const answer = await api.mergePatch(path, []);
  assert.ok(answer.status === 400 || answer.status === 422, answer.text);
  assert.equal(answer.body.kind, 'Status');
});

test('merge patch: a value of the wrong type is refused', async () => {
  const { api, path } = await made();
  const answer = await api.mergePatch(path, { data: { a: 5 } });
  refused(
    answer,
    422,
    'Invalid',
    /^ "" is invalid: patch: Invalid value: .*cannot unmarshal number into Go struct field ConfigMap\.data of type string$/,
  );
});

test('merge patch: an unknown field is refused under strict validation', async () => {
  const { api, path } = await made();
  const answer = await api.mergePatch(path, { bogus: 1 }, { query: { fieldValidation: 'Strict' } });
  refused(
    answer,
    422,
    'Invalid',
    /^ "" is invalid: patch: Invalid value: .*strict decoding error: unknown field "bogus"$/,
  );
});

test('merge patch: labels can be added and removed in one patch', async () => {
  const { api, path } = await made();
  const patched = ok(await api.mergePatch(path, { metadata: { labels: { l: null, m: 'y' } } }));
  assert.deepEqual(patched.metadata?.labels, { m: 'y' });
});

test('merge patch: a namespace in the body other than the path is refused', async () => {
  const { api, path } = await made();
  const answer = await api.mergePatch(path, { metadata: { namespace: 'other' } });
  refused(
    answer,
    400,
    'BadRequest',
    'the namespace of the provided object does not match the namespace sent on the request',
  );
});
