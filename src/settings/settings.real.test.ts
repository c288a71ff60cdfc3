import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RealCluster, startRealCluster } from '../../test/support/real-cluster.ts';
import type { Snapshot } from '../core/api/index.ts';
import { type Connection, connect, controlDoor, eventWriter } from '../kube/index.ts';
import { createMetrics, silentLogger } from '../telemetry/index.ts';
import { type Change, type SettingsWatch, settingsReport, watchSettings } from './index.ts';

let cluster: RealCluster;
let connection: Connection;
let settings: SettingsWatch;
const changes: Change[] = [];

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
  await apply(...['argocd', 'tenant-a', 'tenant-b', 'tenant-c'].map(namespace));
  await apply(
    configMap('argocd-cmd-params-cm', { 'application.namespaces': 'tenant-a,tenant-b' }),
    configMap('argocd-cm', { 'application.sync.impersonation.enabled': 'true' }),
    project('sample', { sourceNamespaces: ['tenant-*'], destinations: [{ server: '*', namespace: '*' }] }),
    clusterSecret('tenant-a', 'blue', { project: 'sample' }),
    clusterSecret('tenant-a', 'bad', {}),
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'private', namespace: 'tenant-a' }, stringData: { a: 'b' } },
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
  settings.onChange((change) => changes.push(change));
});
after(async () => {
  await settings?.stop();
  await connection?.close();
  await cluster?.stop();
});

test('the first snapshot holds what stands in the cluster', () => {
  const snapshot = settings.current();
  assert.equal(snapshot.settings.impersonation.enabled, true);
  assert.deepEqual(snapshot.appNamespaces, ['tenant-a', 'tenant-b']);
  assert.deepEqual([...snapshot.projects.keys()], ['sample']);
  assert.deepEqual(accepted(snapshot), ['tenant-a/blue']);
});

test('J2: a refused Secret has one Warning Event with the reason', async () => {
  await settings.told();
  const { stdout } = await cluster.kubectl(['get', 'events', '-n', 'tenant-a', '-o', 'json']);
  const { items } = JSON.parse(stdout) as {
    items: { type: string; reason: string; message: string; involvedObject: { kind: string; name: string } }[];
  };
  assert.deepEqual(
    items.map(({ type, reason, message, involvedObject }) => [
      type,
      reason,
      involvedObject.kind,
      involvedObject.name,
      message,
    ]),
    [
      [
        'Warning',
        'ClusterRejected',
        'Secret',
        'bad',
        'project is required: a cluster Secret outside the control-plane namespace must be scoped to a project',
      ],
    ],
  );
});

test('T-113: only labelled Secrets are ever asked for, and nothing of a namespace that is not listed', () => {
  const asked = cluster
    .audit()
    .filter(({ objectRef, userAgent }) => objectRef?.resource === 'secrets' && userAgent?.startsWith('argosy/'));
  assert.ok(asked.length > 0);
  for (const { requestURI } of asked)
    assert.match(decodeURIComponent(requestURI), /labelSelector=argocd\.argoproj\.io\/secret-type/);
  const places = new Set(asked.map(({ objectRef }) => objectRef?.namespace ?? ''));
  assert.deepEqual([...places].sort(), ['argocd', 'tenant-a', 'tenant-b']);
});

test('changes come in live: a project, a Secret, the list of namespaces', async () => {
  await apply(project('sample', { sourceNamespaces: ['tenant-b'], destinations: [{ server: '*', namespace: '*' }] }));
  await until((snapshot) => accepted(snapshot).length === 0, 'the project no longer lists tenant-a');
  assert.ok(changes.at(-1)?.projects.has('sample'));
  assert.ok(changes.at(-1)?.clusters.has('tenant-a/blue'));
  await apply(
    clusterSecret('tenant-b', 'red', { project: 'sample' }),
    clusterSecret('tenant-c', 'green', { project: 'sample' }),
  );
  await until((snapshot) => accepted(snapshot).includes('tenant-b/red'), 'a new Secret');
  await apply(
    project('sample', { sourceNamespaces: ['tenant-*'], destinations: [{ server: '*', namespace: '*' }] }),
    configMap('argocd-cmd-params-cm', { 'application.namespaces': 'tenant-[!a]' }),
  );
  const snapshot = await until((each) => accepted(each).includes('tenant-c/green'), 'a pattern over all namespaces');
  assert.deepEqual(accepted(snapshot), ['tenant-b/red', 'tenant-c/green']);
});

test('a restart of the API server loses nothing', async () => {
  await cluster.restartApiServer();
  await apply(configMap('argocd-cm', { 'resource.respectRBAC': 'normal' }));
  const snapshot = await until(
    ({ settings: { respectRBAC } }) => respectRBAC === 'normal',
    'the setting after the restart',
  );
  assert.deepEqual(accepted(snapshot), ['tenant-b/red', 'tenant-c/green']);
});

test('an idle installation writes nothing', async () => {
  await settings.told();
  const written = (): number =>
    cluster
      .audit()
      .filter(
        ({ verb, userAgent }) => userAgent?.startsWith('argosy/') && !['get', 'list', 'watch'].includes(verb ?? ''),
      ).length;
  const before = written();
  await sleep(1500);
  assert.equal(written(), before);
});
