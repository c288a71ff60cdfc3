import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FaultProxy, resetter, startFaultProxy } from '../support/fault-proxy.ts';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import {
  type AppView,
  appView,
  asWhom,
  calls,
  conditionsOf,
  isSynced,
  openStage,
  type Stage,
  tokenOf,
  until,
  untilApp,
} from '../support/story.ts';
import { clusterSecret, configMap, deployer, namespaces, settings } from '../support/tenant.ts';

const plane = 'h-argocd';
const finalizer = 'resources-finalizer.argocd.argoproj.io';
const reader = `system:serviceaccount:${plane}:looker`;
const account = 'system:serviceaccount:h-shop:deployer';
const unreadable =
  'UnreadableResourceWarning: the credential may not list ConfigMap (403); what is no longer wanted of it cannot be found and pruned';

let stage: Stage;
let repository: TestRepository;
/** A running watch outlives the right it was begun with: what ends it is a new connection. */
let proxy: FaultProxy;

before(async () => {
  stage = await openStage();
  proxy = await startFaultProxy(stage.cluster.url);
  repository = createTestRepository({
    'shop/map.yaml': configMap('shop'),
    'shop/more.yaml': configMap('more'),
    'mute/map.yaml': configMap('mute'),
    'one/map.yaml': configMap('one'),
    'own/map.yaml': configMap('own'),
  });
  await stage.apply(namespaces(plane, 'h-shop', 'h-mute', 'h-one', 'h-two', 'h-own'));
  await stage.apply(deployer('h-shop/deployer', ['h-shop', 'h-one', 'h-own']) + mute);
  await stage.apply(
    settings(plane, { 'application.sync.impersonation.enabled': 'true', 'resource.respectRBAC': 'normal' }),
  );
  await stage.apply(platform);
  await stage.apply(await cluster('looker', {}));
  await stage.start(
    { controlPlane: plane },
    { rhythm: { graceMs: 200, probeMs: 300, longestProbeMs: 600, againMs: 200, patienceMs: 5000 } },
  );
});

after(async () => {
  await stage?.stop();
  await proxy?.close();
  repository?.remove();
});

const platform = `---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: h, namespace: ${plane}}
spec:
  sourceRepos: ['*']
  destinations: [{server: '*', namespace: 'h-*'}]
  destinationServiceAccounts:
  - {server: '*', namespace: h-mute, defaultServiceAccount: mute}
  - {server: '*', namespace: '*', defaultServiceAccount: 'h-shop:deployer'}
${reads('looker', ['services'])}
${reads('twofold', [])}
`;

/** May write ConfigMaps and read none. */
const mute = `${deployer('h-mute/mute', [])}---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: mute, namespace: h-mute}
rules: [{apiGroups: [''], resources: [configmaps], verbs: [create, patch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: mute, namespace: h-mute}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: mute}
subjects: [{kind: ServiceAccount, name: mute, namespace: h-mute}]
`;

/** An account of ours in a cluster that lets it impersonate, and list and watch just these kinds. */
function reads(name: string, plurals: readonly string[]): string {
  return `---
apiVersion: v1
kind: ServiceAccount
metadata: {name: ${name}, namespace: ${plane}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: h-${name}}
rules:
- {apiGroups: [''], resources: [serviceaccounts], verbs: [impersonate]}
- {apiGroups: [''], resources: ${JSON.stringify(['nodes', ...plurals])}, verbs: [get, list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: h-${name}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: h-${name}}
subjects: [{kind: ServiceAccount, name: ${name}, namespace: ${plane}}]
`;
}

async function cluster(name: string, data: Readonly<Record<string, string>>): Promise<string> {
  const way = { url: proxy.url, ca: stage.cluster.ca, token: await tokenOf(stage, plane, name) };
  return clusterSecret(`${plane}/${name}`, way, data);
}

function application(path: string, to: string, more = 'syncPolicy: {automated: {prune: true}}'): string {
  return `---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${path}, namespace: ${plane}, finalizers: [${finalizer}]}
spec:
  project: h
  source: {repoURL: '${repository.url}', path: ${path}, targetRevision: main}
  destination: {${to}}
  ${more}
`;
}

const app = (name: string, good: (found: AppView | undefined) => boolean): Promise<AppView> =>
  untilApp(stage, plane, name, good);
const has = (text: string) => (found: AppView | undefined) => conditionsOf(found).some((each) => each.includes(text));
const mode = (value: string | null): Promise<void> =>
  stage.patch('ConfigMap', plane, 'argocd-cm', { data: { 'resource.respectRBAC': value } });
const watches = (): number =>
  calls(stage, 'configmaps').filter(({ verb, user }) => verb === 'watch' && user.username === reader).length;

test('H18 a target of a kind that may not be listed is compared by reading it as the account', async () => {
  await stage.apply(application('shop', 'name: looker, namespace: h-shop'));
  const synced = await app('shop', isSynced);
  assert.deepEqual(conditionsOf(synced), [unreadable]);
  assert.deepEqual(
    synced.status?.resources?.map(({ name, status }) => `${name} ${status}`),
    ['more Synced', 'shop Synced'],
  );
  const gets = calls(stage, 'configmaps', 'h-shop').filter(({ verb }) => verb === 'get');
  assert.deepEqual([...new Set(gets.map(asWhom))], [account]);
  assert.equal(watches(), 0);
});

test('H19, T-119 one that may not be read either is a ComparisonError that names the kind', async () => {
  await stage.apply(application('mute', 'name: looker, namespace: h-mute'));
  const told = await app('mute', has('ComparisonError'));
  assert.equal(told.status?.sync?.status, 'Unknown');
  assert.match(
    conditionsOf(told).join('\n'),
    /ComparisonError: .*configmaps "mute" is forbidden: User "system:serviceaccount:h-mute:mute" cannot get resource "configmaps"/,
  );
  assert.equal(await stage.get('ConfigMap', 'h-mute', 'mute'), undefined);
});

test('H12 a right that is granted later is picked up with the next probe', async () => {
  await stage.apply(reads('looker', ['services', 'configmaps']));
  const told = await app('shop', (found) => isSynced(found) && conditionsOf(found).length === 0);
  assert.equal(told.status?.sync?.status, 'Synced');
  assert.ok(watches() > 0);
  await stage.patch('ConfigMap', 'h-shop', 'shop', { data: { greeting: 'drift' } });
  await app('shop', (found) => found?.status?.sync?.status === 'OutOfSync');
  await stage.patch('ConfigMap', 'h-shop', 'shop', { data: { greeting: 'hello' } });
  await app('shop', isSynced);
});

test('H13 a right that is revoked while watching drops the kind, and the Application is warned', async () => {
  await stage.apply(reads('looker', ['services']));
  const reset = resetter(proxy);
  await until(
    () => {
      reset();
      return appView(stage, plane, 'shop');
    },
    has('UnreadableResourceWarning'),
    60_000,
  );
  const [warned, ...others] = conditionsOf(await app('shop', isSynced));
  // Whichever of the two the API server refuses first.
  assert.equal(warned?.replace('may not watch', 'may not list'), unreadable);
  assert.deepEqual(others, []);
});

test('H20, T-120 what an Application owns of a kind dropped later is not pruned; with the Application goes what it knows by name', async () => {
  repository.commit({ 'shop/more.yaml': null });
  const head = repository.git('rev-parse', 'HEAD');
  await app('shop', (found) => isSynced(found) && found?.status?.sync?.revision === head);
  const deletes = (): string[] =>
    calls(stage, 'configmaps', 'h-shop')
      .filter(({ verb }) => verb === 'delete')
      .map((event) => `${event.objectRef?.name} as ${asWhom(event)}`)
      .sort();
  assert.deepEqual(deletes(), []);
  for (const name of ['shop', 'more']) assert.notEqual(await stage.get('ConfigMap', 'h-shop', name), undefined);
  await stage.remove('Application', plane, 'shop');
  await until(
    () => appView(stage, plane, 'shop'),
    (found) => found === undefined,
    60_000,
  );
  assert.deepEqual(deletes(), [`more as ${account}`, `shop as ${account}`]);
  await stage.apply(reads('looker', ['services', 'configmaps']));
});

test('H16 a managed namespace that is deleted is skipped, and the others go on', async () => {
  for (const place of ['h-one', 'h-two']) await stage.apply(viewer(place));
  await stage.apply(await cluster('twofold', { namespaces: 'h-one, h-two' }));
  await stage.apply(application('one', 'name: twofold, namespace: h-one'));
  const before = await app('one', isSynced);
  assert.deepEqual(conditionsOf(before), []);
  await stage.remove('Namespace', '', 'h-two');
  await until(
    () => stage.get('RoleBinding', 'h-two', 'twofold'),
    (found) => found === undefined,
    60_000,
  );
  const refused = (): number =>
    calls(stage, 'configmaps', 'h-two').filter(({ responseStatus }) => responseStatus?.code === 403).length;
  proxy.reset();
  await until(
    () => Promise.resolve(refused()),
    (count) => count > 0,
    60_000,
  );
  repository.commit({ 'one/map.yaml': configMap('one', '', 'again') });
  const head = repository.git('rev-parse', 'HEAD');
  await app('one', (found) => isSynced(found) && found?.status?.sync?.revision === head);
  assert.match(JSON.stringify(await stage.get('ConfigMap', 'h-one', 'one')), /again/);
});

test('H22 without the key every kind is monitored again, as by a version that does not know it', async () => {
  await stage.apply(application('own', 'server: https://kubernetes.default.svc, namespace: h-own'));
  await app('own', isSynced);
  await mode(null);
  const broken = await app('one', has('ComparisonError: failed to load initial state of resource'));
  assert.match(
    conditionsOf(broken).join('\n'),
    /ComparisonError: .*; set resource\.respectRBAC to normal or strict in argocd-cm to leave such kinds out/,
  );
  assert.equal(broken.status?.sync?.status, 'Unknown');
  assert.equal((await appView(stage, plane, 'own'))?.status?.sync?.status, 'Synced');
  assert.notEqual(await stage.get('ConfigMap', 'h-one', 'one'), undefined);
});

test('H21, T-128 a changed key rebuilds the views at once', async () => {
  for (const value of ['strict', 'normal']) {
    await mode(value);
    await app('one', (found) => isSynced(found) && !has('ComparisonError')(found));
  }
  const reviews = stage.cluster
    .audit()
    .filter(({ objectRef }) => objectRef?.resource === 'selfsubjectaccessreviews')
    .filter(({ user }) => user.username === `system:serviceaccount:${plane}:twofold`);
  assert.ok(reviews.length > 0, 'strict asked');
});

function viewer(place: string): string {
  return `---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: twofold, namespace: ${place}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}
subjects: [{kind: ServiceAccount, name: twofold, namespace: ${plane}}]
`;
}
