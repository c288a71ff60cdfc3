import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Doc, text } from '../../support/raw-client.ts';
import { admin, configMap, configMaps, eventually, namespace, ok } from './cluster.ts';

type Api = Awaited<ReturnType<typeof admin>>;

const owner = (of: Doc, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: text(of.metadata?.name),
  uid: text(of.metadata?.uid),
  ...more,
});

async function family(more: object = {}): Promise<{ api: Api; ns: string; parent: Doc }> {
  const [api, ns] = [await admin(), await namespace()];
  const parent = ok(await api.create(configMaps(ns), configMap('parent')), 201);
  const child = configMap('child', {}, { ownerReferences: [owner(parent, more)] });
  ok(await api.create(configMaps(ns), child), 201);
  return { api, ns, parent };
}

const gone = (api: Api, path: string): Promise<void> =>
  eventually(async () => assert.equal((await api.get(path)).status, 404));

describe('garbage collection', { concurrency: 12 }, () => {
  test('a child goes after its owner in the background', async () => {
    const { api, ns } = await family();
    ok(await api.delete(configMaps(ns, 'parent'), { body: { propagationPolicy: 'Background' } }));
    assert.equal((await api.get(configMaps(ns, 'parent'))).status, 404);
    await gone(api, configMaps(ns, 'child'));
  });

  test('in the foreground the owner waits for a blocking child', async () => {
    const { api, ns } = await family({ blockOwnerDeletion: true });
    ok(await api.mergePatch(configMaps(ns, 'child'), { metadata: { finalizers: ['e.com/hold'] } }));
    await sleep(500);
    const going = ok(await api.delete(configMaps(ns, 'parent'), { body: { propagationPolicy: 'Foreground' } }));
    assert.deepEqual(going.metadata?.finalizers, ['foregroundDeletion']);
    await eventually(async () =>
      assert.notEqual(ok(await api.get(configMaps(ns, 'child'))).metadata?.deletionTimestamp, undefined),
    );
    ok(await api.get(configMaps(ns, 'parent')));
    ok(await api.mergePatch(configMaps(ns, 'child'), { metadata: { finalizers: null } }));
    await gone(api, configMaps(ns, 'parent'));
    assert.equal((await api.get(configMaps(ns, 'child'))).status, 404);
  });

  test('orphaning takes the owner reference off the child and keeps it', async () => {
    const { api, ns } = await family();
    await sleep(500);
    ok(await api.delete(configMaps(ns, 'parent'), { body: { propagationPolicy: 'Orphan' } }));
    await gone(api, configMaps(ns, 'parent'));
    const child = ok(await api.get(configMaps(ns, 'child')));
    assert.equal(child.metadata?.ownerReferences, undefined);
    assert.equal(child.metadata?.deletionTimestamp, undefined);
  });

  test('a child of an owner that never was goes', async () => {
    const [api, ns] = [await admin(), await namespace()];
    const reference = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'ghost',
      uid: 'ba5eba11-0000-0000-0000-000000000001',
    };
    ok(await api.create(configMaps(ns), configMap('child', {}, { ownerReferences: [reference] })), 201);
    await gone(api, configMaps(ns, 'child'));
  });

  test('a child of an owner with the right name and another uid goes', async () => {
    const [api, ns] = [await admin(), await namespace()];
    const parent = ok(await api.create(configMaps(ns), configMap('parent')), 201);
    const reference = { ...owner(parent), uid: 'ba5eba11-0000-0000-0000-000000000002' };
    ok(await api.create(configMaps(ns), configMap('child', {}, { ownerReferences: [reference] })), 201);
    await gone(api, configMaps(ns, 'child'));
    ok(await api.get(configMaps(ns, 'parent')));
  });

  test('a child with two owners stays while one of them is there, and loses the other’s reference', async () => {
    const [api, ns] = [await admin(), await namespace()];
    const [one, two] = [
      ok(await api.create(configMaps(ns), configMap('one')), 201),
      ok(await api.create(configMaps(ns), configMap('two')), 201),
    ];
    ok(await api.create(configMaps(ns), configMap('child', {}, { ownerReferences: [owner(one), owner(two)] })), 201);
    ok(await api.delete(configMaps(ns, 'one')));
    await eventually(async () => {
      const child = ok(await api.get(configMaps(ns, 'child')));
      assert.deepEqual(child.metadata?.ownerReferences, [owner(two)]);
    });
    ok(await api.delete(configMaps(ns, 'two')));
    await gone(api, configMaps(ns, 'child'));
  });

  test('grandchildren go too', async () => {
    const { api, ns } = await family();
    const child = ok(await api.get(configMaps(ns, 'child')));
    ok(await api.create(configMaps(ns), configMap('grandchild', {}, { ownerReferences: [owner(child)] })), 201);
    ok(await api.delete(configMaps(ns, 'parent')));
    await gone(api, configMaps(ns, 'grandchild'));
  });

  test('a child in another namespace than its owner goes, for owners live in the same namespace', async () => {
    const [api, ns, other] = [await admin(), await namespace(), await namespace()];
    const parent = ok(await api.create(configMaps(ns), configMap('parent')), 201);
    ok(await api.create(configMaps(other), configMap('child', {}, { ownerReferences: [owner(parent)] })), 201);
    await gone(api, configMaps(other, 'child'));
  });

  test('an owner of the cluster may own objects in namespaces', async () => {
    const [api, ns] = [await admin(), await namespace()];
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    const role = ok(await api.create(roles, { metadata: { name: `owner-${ns}` }, rules: [] }), 201);
    const reference = { ...owner(role), apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
    ok(await api.create(configMaps(ns), configMap('child', {}, { ownerReferences: [reference] })), 201);
    ok(await api.delete(`${roles}/owner-${ns}`));
    await gone(api, configMaps(ns, 'child'));
  });
});
