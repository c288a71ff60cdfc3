import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { items, text } from '../../support/raw-client.ts';
import { admin, configMap, configMaps, eventually, namespace, ok, refused } from './cluster.ts';

const path = (name: string): string => `/api/v1/namespaces/${name}`;

describe('namespaces', { concurrency: 12 }, () => {
  test('a namespace is active, labelled with its name, and finalized by kubernetes', async () => {
    const [api, ns] = [await admin(), await namespace()];
    const got = ok(await api.get(path(ns)));
    assert.deepEqual(got.status, { phase: 'Active' });
    assert.deepEqual(got.spec, { finalizers: ['kubernetes'] });
    assert.deepEqual(got.metadata?.labels, { 'kubernetes.io/metadata.name': ns });
  });

  test('the namespaces every cluster has are there', async () => {
    const list = ok(await (await admin()).get('/api/v1/namespaces'));
    const names = items(list.items).map((item) => text(item.metadata?.name));
    for (const name of ['default', 'kube-system', 'kube-public']) assert.ok(names.includes(name), name);
  });

  test('a namespace gets the service account default and the CA of the cluster', async () => {
    const [api, ns] = [await admin(), await namespace()];
    await eventually(async () => ok(await api.get(`${path(ns)}/serviceaccounts/default`)));
    const ca = await eventually(async () => ok(await api.get(configMaps(ns, 'kube-root-ca.crt'))));
    assert.match(text(ca.data?.['ca.crt']), /BEGIN CERTIFICATE/);
  });

  test('a deleted service account default comes back', async () => {
    const [api, ns] = [await admin(), await namespace()];
    const first = await eventually(async () => ok(await api.get(`${path(ns)}/serviceaccounts/default`)));
    ok(await api.delete(`${path(ns)}/serviceaccounts/default`));
    const second = await eventually(async () => ok(await api.get(`${path(ns)}/serviceaccounts/default`)));
    assert.notEqual(second.metadata?.uid, first.metadata?.uid);
  });

  test('deleting a namespace ends everything in it and then itself', async () => {
    const [api, ns] = [await admin(), await namespace()];
    ok(await api.create(configMaps(ns), configMap('a')), 201);
    ok(await api.create(`${path(ns)}/secrets`, { metadata: { name: 's' } }), 201);
    const going = ok(await api.delete(path(ns)));
    assert.equal(going.kind, 'Namespace');
    assert.equal(going.status?.phase, 'Terminating');
    assert.notEqual(going.metadata?.deletionTimestamp, undefined);
    await eventually(async () => assert.equal((await api.get(path(ns))).status, 404), 60_000);
    assert.deepEqual(items(ok(await api.get(configMaps(ns))).items), []);
  });

  test('nothing new is created in a namespace that is going', async () => {
    const [api, ns] = [await admin(), await namespace()];
    ok(await api.create(configMaps(ns), configMap('held', {}, { finalizers: ['e.com/hold'] })), 201);
    ok(await api.delete(path(ns)));
    const answer = await eventually(async () => {
      const tried = await api.create(configMaps(ns), configMap('late'));
      assert.equal(tried.status, 403, tried.text);
      return tried;
    });
    refused(
      answer,
      403,
      'Forbidden',
      `configmaps "late" is forbidden: unable to create new content in namespace ${ns} because it is being terminated`,
    );
    assert.deepEqual(answer.body.details?.causes, [
      { reason: 'NamespaceTerminating', message: `namespace ${ns} is being terminated`, field: 'metadata.namespace' },
    ]);
    ok(await api.mergePatch(configMaps(ns, 'held'), { data: { still: 'changeable' } }));
    ok(await api.mergePatch(configMaps(ns, 'held'), { metadata: { finalizers: null } }));
    await eventually(async () => assert.equal((await api.get(path(ns))).status, 404), 60_000);
  });

  test('a namespace that cannot end says why in its conditions', async () => {
    const [api, ns] = [await admin(), await namespace()];
    ok(await api.create(configMaps(ns), configMap('held', {}, { finalizers: ['e.com/hold'] })), 201);
    ok(await api.delete(path(ns)));
    const conditions = await eventually(async () => {
      const got = ok(await api.get(path(ns)));
      const all = Object.fromEntries(items(got.status?.conditions).map((c) => [text(c.type), c]));
      assert.equal(all['NamespaceFinalizersRemaining']?.status, 'True');
      return all;
    }, 60_000);
    assert.equal(conditions['NamespaceFinalizersRemaining']?.reason, 'SomeFinalizersRemain');
    assert.equal(
      conditions['NamespaceFinalizersRemaining']?.message,
      'Some content in the namespace has finalizers remaining: e.com/hold in 1 resource instances',
    );
    assert.equal(
      conditions['NamespaceContentRemaining']?.message,
      'Some resources are remaining: configmaps. has 1 resource instances',
    );
    ok(await api.mergePatch(configMaps(ns, 'held'), { metadata: { finalizers: null } }));
    await eventually(async () => assert.equal((await api.get(path(ns))).status, 404), 90_000);
  });

  test('the system’s own namespaces cannot be deleted', async () => {
    const api = await admin();
    for (const name of ['default', 'kube-system', 'kube-public'])
      refused(
        await api.delete(path(name)),
        403,
        'Forbidden',
        `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      );
  });

  test('all namespaces cannot be deleted at once', async () => {
    refused(
      await (await admin()).delete('/api/v1/namespaces', { query: { labelSelector: 'none=such' } }),
      405,
      'MethodNotAllowed',
    );
  });

  test('the finalize subresource lets a namespace go', async () => {
    const [api, ns] = [await admin(), await namespace()];
    ok(await api.create(configMaps(ns), configMap('held', {}, { finalizers: ['e.com/hold'] })), 201);
    const going = ok(await api.delete(path(ns)));
    const finalize = async (): Promise<void> => {
      const now = ok(await api.get(path(ns)));
      ok(await api.put(`${path(ns)}/finalize`, { ...now, spec: { finalizers: [] } }));
    };
    await eventually(finalize);
    assert.deepEqual(going.spec, { finalizers: ['kubernetes'] });
    assert.equal((await api.get(path(ns))).status, 404);
  });
});
