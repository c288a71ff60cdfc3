import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClusterCache, createClusterCache } from '../../src/cache/index.ts';
import { projector } from '../../src/cache/testdata/stage.ts';
import type { RespectRbac } from '../../src/core/api/index.ts';
import { watchesKind } from '../../src/core/policy/index.ts';
import { type Connection, cacheDoor, connect } from '../../src/kube/index.ts';
import { silentLogger } from '../../src/telemetry/index.ts';
import { type TestCluster, testCluster } from '../support/test-cluster.ts';

let cluster: TestCluster;
const open: { cache: ClusterCache; connection: Connection }[] = [];
const maps = { group: '', kind: 'ConfigMap' };
const widgets = { group: 'cache.argosy.test', kind: 'Widget' };

before(async () => {
  cluster = await testCluster();
  await kubectl('create', 'namespace', 'cache-a');
  await kubectl('create', 'namespace', 'cache-b');
});

after(async () => {
  for (const { cache, connection } of open) {
    cache.stop();
    await connection.close();
  }
  await cluster?.stop();
});

test('says what a fresh list says, after a storm of changes', async () => {
  const { cache, connection, touched } = await look({ token: cluster.adminToken });
  await cache.live('shop', { targets: [], kinds: [maps] }, () => Promise.resolve(undefined));
  const names = Array.from({ length: 60 }, (_, n) => `storm-${n}`);
  await apply(names.map((name, n) => mapYaml('cache-a', name, n % 2 === 0 ? 'shop' : 'other')).join('---\n'));
  await kubectl('delete', 'configmap', '-n', 'cache-a', ...names.slice(0, 20));
  await apply(
    names
      .slice(20, 40)
      .map((name) => mapYaml('cache-a', name, 'shop', 'changed'))
      .join('---\n'),
  );
  await kubectl('create', 'secret', 'generic', 'hidden', '-n', 'cache-a', '--from-literal=a=top-secret');
  await until(() => cache.namespaceObjects('cache-a').some(({ key }) => key.name === 'hidden'));
  await until(() => marked(cache, 'shop').length === 30);
  for (const namespace of ['cache-a', 'cache-b'])
    assert.deepEqual(shownIn(cache, namespace), await listedIn(connection, namespace));
  assert.ok(touched.includes('shop'));
  assert.ok(!touched.includes('other'), 'who never asked is not told');
});

test('follows what a Deployment owns down to its ReplicaSet', async () => {
  const { cache } = await look({ token: cluster.adminToken });
  await apply(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: cache-a, labels: {app: deep}}
spec:
  replicas: 0
  selector: {matchLabels: {x: web}}
  template: {metadata: {labels: {x: web}}, spec: {containers: [{name: c, image: i}]}}
`);
  await until(() => cache.tree('deep').length === 2);
  assert.deepEqual(
    cache.tree('deep').map(({ node }) => node.key.kind),
    ['Deployment', 'ReplicaSet'],
  );
});

test('shows what belongs to an object by name alone', async () => {
  const { cache } = await look({ token: cluster.adminToken });
  await apply(`
apiVersion: v1
kind: Service
metadata: {name: named, namespace: cache-a, labels: {app: names}}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: Endpoints
metadata: {name: named, namespace: cache-a}
subsets: []
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: cache-a, labels: {app: names}}
spec:
  replicas: 0
  serviceName: db
  selector: {matchLabels: {x: db}}
  template: {metadata: {labels: {x: db}}, spec: {containers: [{name: c, image: i}]}}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data-db-0, namespace: cache-a}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`);
  const below = (): string[] =>
    cache
      .tree('names')
      .flatMap(({ node, parents }) => parents.map((parent) => `${node.key.kind} of ${parent.key.kind}`));
  await until(() =>
    ['Endpoints of Service', 'PersistentVolumeClaim of StatefulSet'].every((each) => below().includes(each)),
  );
});

test('a kind that is defined, deleted and defined again is followed as it comes and goes', async () => {
  const { cache, touched } = await look({ token: cluster.adminToken });
  const widget = `apiVersion: cache.argosy.test/v1\nkind: Widget\nmetadata: {name: one, namespace: cache-a, labels: {app: gears}}\n`;
  for (let life = 0; life < 2; life++) {
    await apply(definition);
    // On a definition without any condition yet kubectl gives up instead of waiting.
    await retry(
      async () => void (await kubectl('wait', '--for=condition=Established', 'crd/widgets.cache.argosy.test')),
    );
    await until(() => cache.freshness(widgets, 'cache-a').known);
    await retry(() => apply(widget));
    await until(() => marked(cache, 'gears').length === 1);
    await cache.live('gears', { targets: [], kinds: [widgets] }, () => Promise.resolve(undefined));
    await kubectl('delete', 'crd', 'widgets.cache.argosy.test');
    await until(() => cache.resource(widgets.group, widgets.kind) === undefined);
    assert.deepEqual(marked(cache, 'gears'), []);
  }
  assert.ok(touched.filter((instance) => instance === 'gears').length >= 2);
});

test('H14: a credential of one namespace sees that namespace; what it may not read is unknown, not absent', async () => {
  await account('narrow', 'cache-a');
  const token = await tokenOf('narrow');
  const { cache } = await look({ token, mode: 'normal', namespaces: ['cache-a', 'cache-b'] });
  await until(() => cache.freshness(maps, 'cache-a').known && cache.stats().dropped > 0);
  const live = await cache.live('shop', { targets: [], kinds: [maps] }, () => Promise.resolve(undefined));
  assert.ok(live.objects.size > 0);
  assert.match(live.unknown.get('ConfigMap:*') ?? '', /in namespace cache-b/);
});

for (const mode of ['normal', 'strict'] as const)
  test(`H12, H13: a right that is revoked makes a kind unknown; one that is granted brings it back (${mode})`, async () => {
    await account(`wavering-${mode}`, 'cache-a');
    const token = await tokenOf(`wavering-${mode}`);
    const { cache, touched } = await look({ token, mode, namespaces: ['cache-a'] });
    const seen = async (): Promise<boolean> => {
      const live = await cache.live('shop', { targets: [], kinds: [maps] }, () => Promise.resolve(undefined));
      return live.objects.size > 0 && !live.unknown.has('ConfigMap:*');
    };
    await until(() => cache.freshness(maps, 'cache-a').known);
    assert.equal(await seen(), true);
    await kubectl('delete', 'rolebinding', `wavering-${mode}`, '-n', 'cache-a');
    // The API server lets a running watch go on; a new list meets the refusal.
    await until(async () => {
      await cache.refresh(maps);
      return !cache.freshness(maps, 'cache-a').known;
    });
    await until(() => marked(cache, 'shop').length === 0);
    assert.equal(await seen(), false);
    await until(() => touched.includes('shop'));
    await account(`wavering-${mode}`, 'cache-a');
    await until(() => cache.freshness(maps, 'cache-a').known);
    assert.equal(await seen(), true);
  });

test('a history that was forgotten costs a new list of the kind, and nothing is lost', async () => {
  const { cache } = await look({ token: cluster.adminToken });
  await until(() => cache.freshness(maps, 'cache-a').known);
  await cluster.compact();
  await apply(mapYaml('cache-b', 'after', 'late'));
  await until(() => marked(cache, 'late').length === 1);
});

const compared = ['ConfigMap', 'Secret', 'ServiceAccount', 'Role', 'RoleBinding'];

function shownIn(cache: ClusterCache, namespace: string): string[] {
  return cache
    .namespaceObjects(namespace)
    .filter(({ key }) => compared.includes(key.kind))
    .map(({ key, uid, resourceVersion }) => `${key.kind} ${key.name} ${uid} ${resourceVersion}`)
    .toSorted();
}

async function listedIn(connection: Connection, namespace: string): Promise<string[]> {
  const lines: string[] = [];
  for (const resource of (await connection.discover()).resources.filter(({ kind }) => compared.includes(kind)))
    await connection.list(resource, { namespace }, ({ kind, metadata: { name, uid, resourceVersion } }) =>
      lines.push(`${kind} ${name} ${uid} ${resourceVersion}`),
    );
  return lines.toSorted();
}

function marked(cache: ClusterCache, instance: string): string[] {
  return cache
    .tree(instance)
    .filter(({ node }) => node.instance === instance)
    .map(({ node }) => node.key.name);
}

async function look(what: { token: string; mode?: RespectRbac; namespaces?: readonly string[] }) {
  const touched: string[] = [];
  const connection = connect({
    server: cluster.url,
    caData: Buffer.from(cluster.ca),
    credential: { type: 'token', token: what.token },
  });
  const cache = createClusterCache({
    door: cacheDoor(connection),
    watches: (kind) => watchesKind({ resourceExclusions: [], resourceInclusions: [] }, cluster.url, kind),
    namespaces: what.namespaces,
    mode: what.mode ?? 'off',
    projector: { ...projector, needsBody: (kind) => kind.kind === 'StatefulSet' || projector.needsBody(kind) },
    onTouched: (instances) => touched.push(...instances),
    log: silentLogger,
    rhythm: { graceMs: 200, probeMs: 300, longestProbeMs: 600, againMs: 100, longestAgainMs: 500 },
    discoveryRhythm: { settleMs: 50, againMs: 500, everyMs: 60_000 },
  });
  open.push({ cache, connection });
  await cache.ready();
  await until(() => what.namespaces !== undefined || cache.freshness(maps, '').known);
  return { cache, connection, touched };
}

async function account(name: string, namespace: string): Promise<void> {
  await apply(`
apiVersion: v1
kind: ServiceAccount
metadata: {name: ${name}, namespace: cache-a}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: ${name}, namespace: ${namespace}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: ${name}, namespace: cache-a}]
`);
}

async function tokenOf(name: string): Promise<string> {
  return (await kubectl('create', 'token', name, '-n', 'cache-a')).trim();
}

async function kubectl(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(args);
  assert.equal(code, 0, stderr);
  return stdout;
}

async function apply(yaml: string): Promise<void> {
  const { code, stderr } = await cluster.kubectl(['apply', '-f', '-'], { input: yaml });
  assert.equal(code, 0, stderr);
}

/** A kind is served a little after it is established. */
async function retry(act: () => Promise<void>): Promise<void> {
  let error: unknown;
  for (let turn = 0; turn < 20; turn++) {
    try {
      await act();
      return;
    } catch (failed) {
      error = failed;
      await sleep(250);
    }
  }
  throw error;
}

async function until(good: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await good())) {
    assert.ok(Date.now() < deadline, `still not: ${good.toString()}`);
    await sleep(25);
  }
}

function mapYaml(namespace: string, name: string, app: string, text = 'hello'): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ${namespace}, labels: {app: ${app}}}\ndata: {text: ${text}}\n`;
}

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.cache.argosy.test}
spec:
  group: cache.argosy.test
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`;
