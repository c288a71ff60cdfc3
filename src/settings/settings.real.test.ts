import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RealCluster, startRealCluster } from '../../test/support/real-cluster.ts';
import type { Snapshot } from '../core/api/index.ts';
import { type Connection, connect, controlDoor, eventWriter } from '../kube/index.ts';
import { createMetrics, silentLogger } from '../telemetry/index.ts';
import { type SettingsWatch, settingsReport, watchSettings } from './index.ts';

let cluster: RealCluster;
let connection: Connection;
let settings: SettingsWatch;

async function apply(...objects: readonly object[]): Promise<void> {
  const input = objects.map((each) => JSON.stringify(each)).join('\n---\n');
  const { code, stderr } = await cluster.kubectl(['apply', '-f', '-'], { input });
  assert.equal(code, 0, stderr);
}

async function until(holds: (snapshot: Snapshot) => boolean, what: string): Promise<Snapshot> {
  for (let tries = 0; tries < 400; tries++) {
    if (holds(settings.current())) return settings.current();
    await sleep(25);
  }
  throw new Error(`never: ${what}`);
}

const namespace = (name: string): object => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const configMap = (name: string, data: object): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'argocd' },
  data,
});
const project = (name: string, spec: object): object => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name, namespace: 'argocd' },
  spec,
});
const clusterSecret = (where: string, name: string, stringData: object): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: where, labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
  stringData: { name, server: `https://${name}.example.com`, config: '{"bearerToken":"t0k3n"}', ...stringData },
});
const accepted = ({ clusters }: Snapshot): readonly string[] =>
  clusters.filter(({ acceptance }) => acceptance.accepted).map((each) => `${each.namespace}/${each.secret}`);

before(async () => {
  cluster = await startRealCluster({ controllers: false });
  const crds = await cluster.kubectl(['apply', '-f', 'deploy/crds']);
  assert.equal(crds.code, 0, crds.stderr);
  await cluster.kubectl(['wait', '--for=condition=Established', '--timeout=60s', 'crd/appprojects.argoproj.io']);
  await apply(...['argocd', 'tenant-a'].map(namespace));
  await apply(
    configMap('argocd-cmd-params-cm', { 'application.namespaces': 'tenant-a' }),
    configMap('argocd-cm', { 'application.sync.impersonation.enabled': 'true' }),
    project('sample', { sourceNamespaces: ['tenant-*'], destinations: [{ server: '*', namespace: '*' }] }),
    clusterSecret('tenant-a', 'blue', { project: 'sample' }),
  );
  const server = cluster.url;
  connection = connect({
    server,
    caData: Buffer.from(cluster.ca),
    credential: { type: 'token', token: cluster.adminToken },
  });
  const door = controlDoor(connection);
  const events = eventWriter(door, { component: 'argosy', now: Date.now });
  const report = settingsReport({ events, logger: silentLogger, metrics: createMetrics() });
  settings = watchSettings({ reader: door, installation: { controlPlane: 'argocd' }, report });
  await settings.ready;
});
after(async () => {
  await settings?.stop();
  await connection?.close();
  await cluster?.stop();
});

test('a restart of the API server loses nothing', async () => {
  await cluster.restartApiServer();
  await apply(configMap('argocd-cm', { 'resource.respectRBAC': 'normal' }));
  const snapshot = await until(
    ({ settings: { respectRBAC } }) => respectRBAC === 'normal',
    'the setting after the restart',
  );
  assert.deepEqual(accepted(snapshot), ['tenant-a/blue']);
  await apply(clusterSecret('tenant-a', 'red', { project: 'sample' }));
  await until((each) => accepted(each).length === 2, 'a Secret after the restart');
});
