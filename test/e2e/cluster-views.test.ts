import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClusters } from '../../src/controller/clusters/index.ts';
import { type Cluster, clusterKey, parseClusterSecret, readSettings, type Snapshot } from '../../src/core/api/index.ts';
import type { Json } from '../../src/core/json/index.ts';
import { type Connection, connect } from '../../src/kube/index.ts';
import { silentLogger } from '../../src/telemetry/index.ts';
import { type TestCluster, testCluster } from '../support/test-cluster.ts';

let cluster: TestCluster;
before(async () => {
  cluster = await testCluster();
});
after(() => cluster?.stop());

const cases: readonly (readonly [string, (n: number) => Partial<Parts>, number])[] = [
  ['five Secrets that are equal to the byte share their watches', () => ({}), 1],
  ['another credential has its own', (n) => (n === 3 ? { token: 'other' } : {}), 2],
  ['another namespace list has its own', (n) => ({ namespaces: n % 2 === 0 ? 'default' : 'kube-system' }), 2],
  ['a Secret of the control plane does not share with a tenant', (n) => ({ tenant: n > 0 }), 2],
];
for (const [title, parts, views] of cases)
  test(title, async () => {
    const secrets = Array.from({ length: 5 }, (_, n) => secret(n, parts(n)));
    const { all, following, close } = clustersOf(secrets);
    for (const each of secrets) await all.access(clusterKey(each)).catch(() => undefined);
    await sleep(300);
    assert.equal(following.size, views);
    // Whoever lets go first takes nothing from the others.
    all.changed([clusterKey(secrets[4] ?? secret(4, {}))]);
    const access = await all.access(clusterKey(secrets[1] ?? secret(1, {})));
    assert.equal(access.resource('', 'ConfigMap')?.plural, 'configmaps');
    await all.stop();
    await close();
  });

function clustersOf(clusters: readonly Cluster[]) {
  const { value: settings } = readSettings(new Map());
  const snapshot = { controlPlane: 'argocd', settings, clusters, revision: 1 } as unknown as Snapshot; // all that is read of it
  const following = new Set<Connection>();
  const open: Connection[] = [];
  const counted = (token: string): Connection => {
    const config = { server: cluster.url, caData: Buffer.from(cluster.ca) };
    const connection = connect({ ...config, credential: { type: 'token', token } });
    const follow = connection.follow.bind(connection);
    open.push(connection);
    return Object.assign(connection, {
      follow: (...what: Parameters<Connection['follow']>) => {
        following.add(connection);
        return follow(...what);
      },
    });
  };
  const all = createClusters({
    own: counted(cluster.adminToken),
    snapshot: () => snapshot,
    connect: ({ config }) => counted(config.bearerToken?.reveal() ?? ''),
    onTouched: () => undefined,
    log: silentLogger,
  });
  const close = async (): Promise<void> => {
    for (const connection of open) await connection.close();
  };
  return { all, following, close };
}

interface Parts {
  readonly token: string;
  readonly namespaces: string;
  readonly tenant: boolean;
}

function secret(n: number, { token = cluster.adminToken, namespaces = '', tenant = true }: Partial<Parts>): Cluster {
  const tls = { caData: Buffer.from(cluster.ca).toString('base64') };
  const texts = {
    name: `prod-${n}`,
    server: cluster.url,
    project: 'views',
    namespaces,
    config: JSON.stringify({ bearerToken: token, tlsClientConfig: tls }),
  };
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  );
  const labels = { 'argocd.argoproj.io/secret-type': 'cluster' };
  const metadata = { name: `cluster-${n}`, namespace: `team-${n}`, uid: `u${n}`, resourceVersion: '1', labels };
  const parsed = parseClusterSecret({ apiVersion: 'v1', kind: 'Secret', metadata, data } as Json);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return { ...parsed.value, tenant, acceptance: { accepted: true } };
}
