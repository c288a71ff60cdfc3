import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { load } from 'js-yaml';
import type { Snapshot } from '../../src/core/api/index.ts';
import type { KubeObject } from '../../src/core/objects/index.ts';
import { type Connection, type ControlDoor, connect, controlDoor, events, eventWriter } from '../../src/kube/index.ts';
import { type Change, type SettingsWatch, settingsReport, watchSettings } from '../../src/settings/index.ts';
import { createMetrics, silentLogger } from '../../src/telemetry/index.ts';
import { type TestCluster, testCluster } from '../support/test-cluster.ts';

const plane = 'set-argocd';
const [a, b, c] = ['set-tenant-a', 'set-tenant-b', 'set-tenant-c'];

let cluster: TestCluster;
let connection: Connection;
let door: ControlDoor;
let settings: SettingsWatch;
const changes: Change[] = [];

const plurals: Record<string, string> = {
  Namespace: 'namespaces',
  ConfigMap: 'configmaps',
  Secret: 'secrets',
  AppProject: 'appprojects',
  CustomResourceDefinition: 'customresourcedefinitions',
  Event: 'events',
};

function resourceOf({ apiVersion, kind, metadata }: KubeObject) {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const namespaced = metadata.namespace !== undefined;
  return { group, version, kind, plural: plurals[kind] ?? '', namespaced, verbs: [] };
}

/** Written as a user's `kubectl apply --server-side` would. */
async function apply(...objects: readonly KubeObject[]): Promise<void> {
  for (const each of objects) {
    await door.apply(resourceOf(each), each, { fieldManager: 'user', force: true, fieldValidation: 'Ignore' });
  }
}

async function until<T>(read: () => T | Promise<T>, holds: (value: T) => boolean, what: string): Promise<T> {
  for (let tries = 0; tries < 400; tries++) {
    const value = await read();
    if (holds(value)) return value;
    await sleep(25);
  }
  throw new Error(`never: ${what}`);
}
const snapshotUntil = (holds: (snapshot: Snapshot) => boolean, what: string): Promise<Snapshot> =>
  until(() => settings.current(), holds, what);

const configMap = (name: string, data: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: plane },
  data,
});
const project = (name: string, spec: object): KubeObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name, namespace: plane },
  spec,
});
const clusterSecret = (namespace: string, name: string, stringData: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace, labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
  stringData: { name, server: `https://${name}.example.com`, config: '{"bearerToken":"t0k3n"}', ...stringData },
});
const sample = (sourceNamespaces: readonly string[]): KubeObject =>
  project('sample', { sourceNamespaces, destinations: [{ server: '*', namespace: '*' }] });
const accepted = ({ clusters }: Snapshot): readonly string[] =>
  clusters.filter(({ acceptance }) => acceptance.accepted).map((each) => `${each.namespace}/${each.secret}`);

interface Told {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly kind: string; readonly name: string };
}

async function eventsIn(namespace: string): Promise<readonly string[]> {
  const found: string[] = [];
  await door.list(events, { namespace }, (item) => {
    const { type, reason, message, involvedObject } = item as unknown as Told; // an Event
    found.push(`${type} ${reason} ${involvedObject.kind} ${involvedObject.name}: ${message}`);
  });
  return found;
}

before(async () => {
  cluster = await testCluster();
  const credential = { type: 'token', token: cluster.adminToken } as const;
  connection = connect({ server: cluster.url, caData: Buffer.from(cluster.ca), credential });
  door = controlDoor(connection);
  await apply(...globSync('deploy/crds/*.yaml').map((file) => load(readFileSync(file, 'utf8')) as KubeObject));
  await apply(...[plane, a, b, c].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })));
  await until(
    () =>
      apply(sample(['set-tenant-*'])).then(
        () => true,
        () => false,
      ),
    (done) => done,
    'the CRDs are served',
  );
  await apply(
    configMap('argocd-cmd-params-cm', { 'application.namespaces': `${a},${b}` }),
    configMap('argocd-cm', { 'application.sync.impersonation.enabled': 'true' }),
    clusterSecret(a, 'blue', { project: 'sample' }),
    clusterSecret(a, 'bad', {}),
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'private', namespace: a }, stringData: { x: 'y' } },
  );
  const events = eventWriter(door, { component: 'argosy', now: Date.now });
  const report = settingsReport({ events, logger: silentLogger, metrics: createMetrics() });
  settings = watchSettings({ reader: door, installation: { controlPlane: plane }, report });
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
  assert.deepEqual(snapshot.appNamespaces, [a, b]);
  assert.deepEqual([...snapshot.projects.keys()], ['sample']);
  assert.deepEqual(accepted(snapshot), [`${a}/blue`]);
});

test('J2: a refused Secret has one Warning Event with the reason', async () => {
  await settings.told();
  assert.deepEqual(await eventsIn(a), [
    'Warning ClusterRejected Secret bad: project is required: a cluster Secret outside the control-plane namespace must be scoped to a project',
  ]);
});

test('T-113 and J5: only labelled Secrets are asked for, and none of a namespace that is not listed', () => {
  const asked = cluster
    .audit()
    .filter(({ objectRef, verb }) => objectRef?.resource === 'secrets' && (verb === 'list' || verb === 'watch'))
    .filter(({ userAgent, objectRef }) => userAgent?.startsWith('argosy/') && objectRef?.namespace?.startsWith('set-'));
  assert.ok(asked.length > 0);
  for (const { requestURI } of asked) {
    assert.match(decodeURIComponent(requestURI), /labelSelector=argocd\.argoproj\.io\/secret-type/);
  }
  assert.deepEqual([...new Set(asked.map(({ objectRef }) => objectRef?.namespace ?? ''))].sort(), [plane, a, b]);
});

test('J21: a namespace the project no longer lists loses its cluster at once', async () => {
  await apply(sample([b]));
  await snapshotUntil((snapshot) => accepted(snapshot).length === 0, 'the project no longer lists the namespace');
  assert.ok(changes.at(-1)?.projects.has('sample'));
  assert.ok(changes.at(-1)?.clusters.has(`${a}/blue`));
});

test('the list of namespaces takes effect live, also when it becomes a pattern', async () => {
  await apply(clusterSecret(b, 'red', { project: 'sample' }), clusterSecret(c, 'green', { project: 'sample' }));
  await snapshotUntil((snapshot) => accepted(snapshot).includes(`${b}/red`), 'a new Secret');
  await apply(
    sample(['set-tenant-*']),
    configMap('argocd-cmd-params-cm', { 'application.namespaces': 'set-tenant-[!a]' }),
  );
  const snapshot = await snapshotUntil((each) => accepted(each).includes(`${c}/green`), 'a pattern');
  assert.deepEqual(accepted(snapshot), [`${b}/red`, `${c}/green`]);
});

test('an invalid setting keeps its last good value and leaves an Event', async () => {
  await apply(
    configMap('argocd-cm', { 'resource.respectRBAC': 'strict', 'application.sync.impersonation.enabled': 'true' }),
  );
  await snapshotUntil(({ settings: { respectRBAC } }) => respectRBAC === 'strict', 'a good value');
  await apply(
    configMap('argocd-cm', { 'resource.respectRBAC': 'true', 'application.sync.impersonation.enabled': 'true' }),
  );
  const said = await until(
    () => eventsIn(plane),
    (lines) => lines.length > 0,
    'an Event',
  );
  assert.deepEqual(said, [
    'Warning InvalidSettings ConfigMap argocd-cm: resource.respectRBAC: invalid value for resource.respectRBAC: true; the last good value stays in force',
  ]);
  assert.equal(settings.current().settings.respectRBAC, 'strict');
});

test('an idle installation writes nothing', async () => {
  await settings.told();
  const reading = new Set(['get', 'list', 'watch']);
  // Others may be at work on the same cluster: what counts is what was written where these settings are read.
  const written = (): string[] =>
    cluster
      .audit()
      .filter(({ verb, userAgent }) => userAgent?.startsWith('argosy/') && !reading.has(verb))
      .filter(({ objectRef }) => objectRef?.namespace?.startsWith('set-'))
      .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource} ${objectRef?.namespace}/${objectRef?.name}`);
  const before = written();
  await sleep(1000);
  assert.deepEqual(written(), before);
});
