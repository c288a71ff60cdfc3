import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type RealCluster, startRealCluster } from '../../test/support/real-cluster.ts';
import type { KubeObject } from '../core/objects/index.ts';
import {
  type Connection,
  connect,
  eventWriter,
  mayAll,
  type Resource,
  readKubeconfig,
  rulesIn,
  tenantDoor,
  type WatchEvent,
  watchDiscovery,
} from './index.ts';

let cluster: RealCluster;
let kube: Connection;
let kinds: readonly Resource[];
before(async () => {
  cluster = await startRealCluster({ own: true, controllers: false });
  kube = connect(await readKubeconfig(cluster.kubeconfig), { version: 'test' });
  kinds = (await kube.discover()).resources;
  await kube.create(kind('Namespace'), { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } });
});
after(async () => {
  await kube.close();
  await cluster.stop();
});

function kind(name: string, group = ''): Resource {
  const found = kinds.find((one) => one.kind === name && one.group === group);
  assert.ok(found, `${name} is not served`);
  return found;
}
const configMap = (name: string, data: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'team-a' },
  data,
});
const until = async (done: () => boolean): Promise<void> => {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 10));
};

test('discovers kinds, their scope, verbs and subresources', () => {
  assert.deepEqual(kind('Deployment', 'apps').subresources?.toSorted(), ['scale', 'status']);
  assert.equal(kind('Namespace').namespaced, false);
  assert.ok(kind('ConfigMap').shortNames?.includes('cm'));
});

test('applies, meets conflicts, takes fields over by force', async () => {
  const maps = kind('ConfigMap');
  await kube.apply(maps, configMap('applied', { a: '1' }), { fieldManager: 'one' });
  await assert.rejects(
    kube.apply(maps, configMap('applied', { a: '2' }), { fieldManager: 'two' }),
    (error: { code: string; causes: { field: string }[] }) =>
      error.code === 'kube-conflict' && error.causes[0]?.field === '.data.a',
  );
  const forced = await kube.apply(maps, configMap('applied', { a: '2' }), { fieldManager: 'two', force: true });
  assert.deepEqual(forced['data'], { a: '2' });
});

test('creates once, patches in three ways, replaces only what it saw', async () => {
  const maps = kind('ConfigMap');
  const made = await kube.create(maps, configMap('patched', { a: '1' }));
  await assert.rejects(kube.create(maps, configMap('patched')), { code: 'kube-already-exists' });
  await kube.patch(maps, 'team-a', 'patched', 'json', [{ op: 'add', path: '/data/b', value: '2' }]);
  await kube.patch(maps, 'team-a', 'patched', 'merge', { data: { a: null } });
  const patched = await kube.patch(maps, 'team-a', 'patched', 'strategic', { data: { c: '3' } });
  assert.deepEqual(patched['data'], { b: '2', c: '3' });
  await assert.rejects(kube.update(maps, made), { code: 'kube-conflict' });
  assert.deepEqual((await kube.update(maps, { ...patched, data: {} }))['data'], undefined);
  await assert.rejects(kube.patch(maps, 'team-a', 'patched', 'json', [{ op: 'remove', path: '/data/none' }]), {
    code: 'kube-invalid',
  });
});

test('a dry run changes nothing, strict validation names the field', async () => {
  const maps = kind('ConfigMap');
  await kube.apply(maps, configMap('dry', { a: '1' }), { fieldManager: 'x', dryRun: true });
  await assert.rejects(kube.get(maps, 'team-a', 'dry'), { code: 'kube-not-found', reason: 'NotFound' });
  const wrong = { ...configMap('strict'), dta: {} };
  await assert.rejects(kube.apply(maps, wrong, { fieldManager: 'x', fieldValidation: 'Strict' }), /dta/);
});

test('a delete is refused unless the object is still the one that was meant', async () => {
  const maps = kind('ConfigMap');
  const made = await kube.create(maps, configMap('deleted'));
  const { uid, resourceVersion } = made.metadata;
  await assert.rejects(kube.delete(maps, 'team-a', 'deleted', { uid: 'other' }), { code: 'kube-conflict' });
  await assert.rejects(kube.delete(maps, 'team-a', 'deleted', { resourceVersion: '1' }), { code: 'kube-conflict' });
  await kube.delete(maps, 'team-a', 'deleted', { uid, resourceVersion, dryRun: true });
  assert.equal(await kube.delete(maps, 'team-a', 'deleted', { uid, resourceVersion }), undefined);
  await kube.create(maps, {
    ...configMap('kept'),
    metadata: { name: 'kept', namespace: 'team-a', finalizers: ['example.com/x'] },
  });
  assert.ok((await kube.delete(maps, 'team-a', 'kept'))?.metadata.deletionTimestamp);
  await kube.patch(maps, 'team-a', 'kept', 'merge', { metadata: { finalizers: null } });
});

test('writes a subresource', async () => {
  const claims = kind('PersistentVolumeClaim');
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  await kube.create(claims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'p', namespace: 'team-a' },
    spec,
  });
  const bound = await kube.patch(
    claims,
    'team-a',
    'p',
    'merge',
    { status: { phase: 'Lost' } },
    { subresource: 'status' },
  );
  assert.deepEqual((bound['status'] as { phase: string }).phase, 'Lost');
});

test('lists in pages what it lists at once, with and without its metadata only', async () => {
  const maps = kind('ConfigMap');
  for (let at = 0; at < 12; at++)
    await kube.apply(
      maps,
      { ...configMap(`paged-${at}`), metadata: { name: `paged-${at}`, namespace: 'team-a', labels: { paged: 'yes' } } },
      { fieldManager: 'x' },
    );
  const names = async (options: object): Promise<string[]> => {
    const got: string[] = [];
    const end = await kube.list(maps, { namespace: 'team-a', labelSelector: 'paged=yes', ...options }, (item) => {
      assert.deepEqual([item.apiVersion, item.kind, item.metadata.managedFields], ['v1', 'ConfigMap', undefined]);
      got.push(item.metadata.name ?? '');
    });
    assert.equal(end.count, got.length);
    assert.match(end.resourceVersion, /^\d+$/);
    return got;
  };
  const whole = await names({});
  assert.equal(whole.length, 12);
  for (const options of [{ pageSize: 5 }, { pageSize: 1 }, { metadataOnly: true }, { resourceVersion: '0' }])
    assert.deepEqual(await names(options), whole);
});

test('a continue token that history forgot begins the list again', async () => {
  const maps = kind('ConfigMap');
  const seen: string[] = [];
  const restarts: number[] = [];
  let compacted: Promise<void> | undefined;
  const end = await kube
    .list(
      maps,
      {
        namespace: 'team-a',
        labelSelector: 'paged=yes',
        pageSize: 4,
        onRestart: () => restarts.push(seen.splice(0).length),
      },
      (item) => {
        seen.push(item.metadata.name ?? '');
        compacted ??= (async () => {
          await kube.apply(maps, configMap('newer'), { fieldManager: 'x' });
          await cluster.compact();
        })();
      },
    )
    .catch((error: unknown) => error);
  await compacted;
  // The server may still answer from its own cache; either way what counts is whole.
  assert.ok(!(end instanceof Error), String(end));
  assert.equal(seen.length, 12);
  assert.ok(restarts.length <= 1);
});

test('watches from a version, every change in order', async () => {
  const maps = kind('ConfigMap');
  const { resourceVersion } = await kube.list(maps, { namespace: 'team-a' }, () => undefined);
  const stop = new AbortController();
  const events: WatchEvent[] = [];
  const watching = kube.watch(maps, { namespace: 'team-a', resourceVersion, signal: stop.signal }, (event) =>
    events.push(event),
  );
  await kube.apply(maps, configMap('watched', { a: '1' }), { fieldManager: 'x' });
  await kube.apply(maps, configMap('watched', { a: '2' }), { fieldManager: 'x' });
  await kube.delete(maps, 'team-a', 'watched');
  await until(() => events.length >= 3);
  stop.abort();
  await assert.rejects(watching, { code: 'cancelled' });
  assert.deepEqual(
    events.map((event) => event.type),
    ['ADDED', 'MODIFIED', 'DELETED'],
  );
});

test('impersonates exactly whom it was told, as the audit log shows', async () => {
  const maps = kind('ConfigMap');
  const user = 'system:serviceaccount:team-a:deployer';
  const door = tenantDoor(kube, { as: 'impersonate', user });
  await assert.rejects(door.apply(maps, configMap('mine'), { fieldManager: 'x' }), {
    code: 'kube-forbidden',
    fault: 'denied',
    reason: 'Forbidden',
  });
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'r', namespace: 'team-a' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }],
  };
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'r', namespace: 'team-a' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
    subjects: [{ kind: 'ServiceAccount', name: 'deployer', namespace: 'team-a' }],
  };
  await kube.create(kind('Role', 'rbac.authorization.k8s.io'), role);
  await kube.create(kind('RoleBinding', 'rbac.authorization.k8s.io'), binding);
  const review = { group: '', resource: 'configmaps', verb: 'patch', namespace: 'team-a' };
  for (let turn = 0; turn < 100 && !(await door.mayI(review)); turn++)
    await new Promise((resolve) => setTimeout(resolve, 50));
  await door.apply(maps, configMap('mine'), { fieldManager: 'x' });
  assert.deepEqual(await mayAll(door, [review, { ...review, resource: 'secrets' }]), [true, false]);
  const rules = await rulesIn(door, 'team-a');
  assert.ok(rules.rules.some((rule) => rule.resources.includes('configmaps') && rule.verbs.includes('*')));
  const writes = cluster.audit().filter((event) => event.objectRef?.name === 'mine');
  assert.ok(writes.length >= 2);
  for (const event of writes) assert.equal(event.impersonatedUser?.username, user);
});

test('names, groups and uid arrive as they were given, whatever letters they hold', async () => {
  const who = { user: 'jürgen@例え', groups: ['système', 'b'], uid: 'u-1' };
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
  const answer = await kube.as(who).create(kind('SelfSubjectReview', 'authentication.k8s.io'), review);
  const { username, groups, uid } = (
    answer['status'] as { userInfo: { username: string; groups: string[]; uid: string } }
  ).userInfo;
  assert.deepEqual([username, groups, uid], [who.user, [...who.groups, 'system:authenticated'], who.uid]);
});

test('writes Events that fold', async () => {
  const about = await kube.get(kind('ConfigMap'), 'team-a', 'applied');
  const lost: Error[] = [];
  const events = eventWriter(kube, { component: 'argosy', now: Date.now, onLost: (error) => lost.push(error) });
  for (let turn = 0; turn < 3; turn++) events.write({ type: 'Normal', reason: 'Synced', message: 'done', about });
  await events.flush();
  assert.deepEqual(lost, []);
  const counts: unknown[] = [];
  await kube.list(kind('Event'), { namespace: 'team-a', fieldSelector: 'involvedObject.name=applied' }, (item) =>
    counts.push(item['count']),
  );
  assert.deepEqual(counts, [3]);
});

test('a definition that comes is discovered, and its objects can be used', async () => {
  const found: string[][] = [];
  const following = watchDiscovery(
    kube,
    { changed: (discovery) => found.push(discovery.resources.map((one) => one.kind)), failed: () => undefined },
    { settleMs: 50, againMs: 500, everyMs: 1_000 },
  );
  await until(() => found.length > 0);
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  await kube.create(kind('CustomResourceDefinition', 'apiextensions.k8s.io'), {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  await until(() => found.at(-1)?.includes('Widget') === true);
  following.stop();
  await following.done;
  const widgets = (await kube.discover()).resources.find((one) => one.kind === 'Widget');
  assert.ok(widgets);
  const made = await kube.apply(
    widgets,
    { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'team-a' }, spec: { a: 1 } },
    { fieldManager: 'x' },
  );
  assert.deepEqual(made['spec'], { a: 1 });
});

test('a view is kept up over a restart of the API server', async () => {
  const maps = kind('ConfigMap');
  const view = new Map<string, unknown>();
  let completions = 0;
  const following = kube.follow(
    maps,
    { namespace: 'team-a' },
    {
      restart: () => view.clear(),
      upsert: (object) => view.set(object.metadata.name ?? '', object['data']),
      remove: (object) => view.delete(object.metadata.name ?? ''),
      complete: () => completions++,
      broken: () => 'retry',
    },
  );
  await until(() => completions > 0);
  await cluster.restartApiServer();
  await kube.apply(maps, configMap('after', { a: '1' }), { fieldManager: 'x', deadlineMs: 60_000 });
  await until(() => view.has('after'));
  const truth = new Map<string, unknown>();
  await kube.list(maps, { namespace: 'team-a' }, (item) => truth.set(item.metadata.name ?? '', item['data']));
  await until(() => view.size === truth.size);
  assert.deepEqual(view, truth); // the order of a Map's keys does not count here
  following.stop();
  await following.done;

  // The server that started anew remembers nothing from before.
  const old = kube.watch(maps, { resourceVersion: '2', silenceMs: 30_000 }, () => undefined);
  await assert.rejects(old, { code: 'kube-gone' });
});
