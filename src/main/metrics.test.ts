import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KubeObject } from '../core/objects/index.ts';
import { type Connection, connect, type KubeConfig } from '../kube/index.ts';
import { type EmbeddedCluster, startCluster } from '../kubeserver/index.ts';
import { createMetrics } from '../telemetry/index.ts';
import { serveHealth } from './health.ts';
import { asksTheCluster, createMetricsLogin } from './metrics-login.ts';

let cluster: EmbeddedCluster;
let connection: Connection;
let health: Awaited<ReturnType<typeof serveHealth>>;

before(async () => {
  cluster = await startCluster({ actors: false });
  const config: KubeConfig = {
    server: cluster.url,
    caData: Buffer.from(cluster.caPem),
    credential: { type: 'token', token: cluster.adminToken },
  };
  connection = connect(config);
  const metrics = createMetrics();
  metrics.gauge('argocd_app_info', 'Information.', ['name']).set(['secret-project'], 1);
  const controller = { healthy: () => true, ready: Promise.resolve(), waitingFor: () => undefined };
  const login = createMetricsLogin({ ask: asksTheCluster(config, 'test'), now: Date.now });
  health = await serveHealth({ port: 0, host: '127.0.0.1', controller, metrics, login });
});

after(async () => {
  await health?.stop();
  await connection?.close();
  await cluster?.stop();
});

async function ask(path: string, token?: string): Promise<[status: number, text: string]> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(`http://127.0.0.1:${health.port}${path}`, { headers });
  return [answer.status, await answer.text()];
}

async function make(kind: string, object: object): Promise<void> {
  const { resources } = await connection.discover();
  const resource = resources.find((each) => each.kind === kind);
  assert.ok(resource, kind);
  await connection.create(resource, object as KubeObject); // written here
}

async function account(name: string): Promise<string> {
  const metadata = { name, namespace: 'default' };
  await make('ServiceAccount', { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  const { resources } = await connection.discover();
  const accounts = resources.find((each) => each.kind === 'ServiceAccount');
  assert.ok(accounts);
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata, spec: {} };
  const answer = await connection.create(accounts, request, { subresource: 'token' });
  return (answer as unknown as { status: { token: string } }).status.token; // a TokenRequest answers with one
}

test('health is told to everybody and names nobody; metrics are not told without a token', async () => {
  assert.deepEqual(await ask('/healthz'), [200, 'ok\n']);
  assert.deepEqual(await ask('/readyz'), [200, 'ok\n']);
  for (const token of [undefined, 'invented', `${cluster.adminToken}x`]) {
    const [status, text] = await ask('/metrics', token);
    assert.equal(status, 401);
    assert.doesNotMatch(text, /secret-project/);
  }
});

test('an account reads metrics once it may get the path, and not before', async () => {
  const [tenant, reader] = [await account('tenant'), await account('prometheus')];
  const rbac = 'rbac.authorization.k8s.io';
  const metadata = { name: 'argosy-metrics-reader' };
  const rules = [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }];
  await make('ClusterRole', { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata, rules });
  await make('ClusterRoleBinding', {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: 'prometheus', namespace: 'default' }],
  });
  const [status, text] = await ask('/metrics', tenant);
  assert.equal(status, 403);
  assert.match(text, /argosy-metrics-reader/);
  assert.doesNotMatch(text, /secret-project/);
  const [granted, told] = await ask('/metrics', reader);
  assert.equal(granted, 200);
  assert.match(told, /secret-project/);
});
