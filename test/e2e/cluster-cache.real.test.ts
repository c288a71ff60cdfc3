import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClusterCache, createClusterCache } from '../../src/cache/index.ts';
import { projector } from '../../src/cache/testdata/stage.ts';
import { cacheDoor, connect } from '../../src/kube/index.ts';
import { silentLogger } from '../../src/telemetry/index.ts';
import { type RealCluster, startRealCluster } from '../support/real-cluster.ts';

let cluster: RealCluster;
let stop = async (): Promise<void> => undefined;
const gears = { group: 'sick.argosy.test', kind: 'Gear' };
const maps = { group: '', kind: 'ConfigMap' };

before(async () => {
  // A cluster of its own: what is broken here would be in the way of others.
  cluster = await startRealCluster({ own: true, controllers: false });
  await kubectl(['create', 'namespace', 'sick-a']);
});

after(async () => {
  await kubectl(['delete', 'crd', 'gears.sick.argosy.test', '--ignore-not-found']);
  await stop();
  await cluster?.stop();
});

test('a kind whose conversion breaks is unknown by itself, and known again when it is mended', async () => {
  await kubectl(['apply', '-f', '-'], definition('{strategy: None}'));
  await until(async () => (await tried(['apply', '-f', '-'], gear)) === 0);
  await kubectl(['apply', '-f', '-'], map);
  const cache = await look();
  const live = (): ReturnType<ClusterCache['live']> =>
    cache.live('sick-shop', { targets: [], kinds: [gears, maps] }, () => Promise.resolve(undefined));
  await until(async () => (await live()).objects.size === 2);
  await kubectl(['apply', '-f', '-'], definition(broken));
  // What is read anew is read through the webhook, which nobody answers.
  await until(async () => {
    await cache.refresh(gears);
    return (await live()).unknown.has('sick.argosy.test/Gear');
  });
  const sick = await live();
  assert.deepEqual([...sick.objects.keys()], ['ConfigMap:sick-a/map']);
  assert.deepEqual([...sick.unknown.keys()], ['sick.argosy.test/Gear']);
  assert.equal(cache.freshness(maps, 'sick-a').known, true);
  await kubectl(['apply', '-f', '-'], definition('{strategy: None}'));
  await until(async () => (await live()).objects.size === 2);
});

async function look(): Promise<ClusterCache> {
  const credential = { type: 'token', token: cluster.adminToken } as const;
  const connection = connect({ server: cluster.url, caData: Buffer.from(cluster.ca), credential });
  const cache = createClusterCache({
    door: cacheDoor(connection),
    watches: ({ group, kind }) => group === gears.group || (group === '' && kind === 'ConfigMap'),
    mode: 'normal',
    projector,
    onTouched: () => undefined,
    log: silentLogger,
    // Evidence counts for a moment only, so that a test need not wait until it is old.
    rhythm: { freshMs: 500, patienceMs: 2_000, againMs: 100, longestAgainMs: 500 },
  });
  stop = async () => {
    cache.stop();
    await connection.close();
  };
  await cache.ready();
  return cache;
}

async function tried(args: readonly string[], input = ''): Promise<number> {
  return (await cluster.kubectl(args, { input })).code;
}

async function kubectl(args: readonly string[], input = ''): Promise<void> {
  const { code, stderr } = await cluster.kubectl(args, { input });
  assert.equal(code, 0, stderr);
}

async function until(good: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 90_000;
  while (!(await good())) {
    assert.ok(Date.now() < deadline, `still not: ${good.toString()}`);
    await sleep(100);
  }
}

const broken =
  '{strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: "https://127.0.0.1:1/convert"}}}';
const gear = `
apiVersion: sick.argosy.test/v1
kind: Gear
metadata: {name: one, namespace: sick-a, labels: {app: sick-shop}}
`;
const map = `
apiVersion: v1
kind: ConfigMap
metadata: {name: map, namespace: sick-a, labels: {app: sick-shop}}
`;

/** Stored as v1, read as v2: every read converts. */
function definition(conversion: string): string {
  const version = (name: string, storage: boolean): string =>
    `{name: ${name}, served: true, storage: ${storage}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`;
  return `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gears.sick.argosy.test}
spec:
  group: sick.argosy.test
  scope: Namespaced
  names: {kind: Gear, plural: gears, singular: gear}
  conversion: ${conversion}
  versions: [${version('v1', true)}, ${version('v2', false)}]
`;
}
