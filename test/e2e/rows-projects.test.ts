import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import {
  type AppView,
  appView,
  asWhom,
  calls,
  conditionsOf,
  isOver,
  isSynced,
  openStage,
  type Stage,
  until,
  untilApp,
  writersIn,
} from '../support/story.ts';
import { clusterSecret, configMap, deployer, namespaces, settings } from '../support/tenant.ts';
import { testCluster } from '../support/test-cluster.ts';

const plane = 'ab-argocd';
const finalizer = 'resources-finalizer.argocd.argoproj.io';
const longName = 'a-name-that-alone-is-short-enough-but-not-with-its-namespace1';

let stage: Stage;
let repository: TestRepository;

before(async () => {
  stage = await openStage();
  repository = createTestRepository({
    'plain/map.yaml': configMap('plain'),
    'far/map.yaml': configMap('far'),
    'leaver/map.yaml': configMap('leaver'),
    'user/map.yaml': configMap('user'),
    'long/map.yaml': configMap('long'),
    'first/map.yaml': configMap('first'),
    'second/map.yaml': configMap('second'),
    'greedy/good.yaml': configMap('good'),
    'greedy/bad.yaml': configMap('bad', 'namespace: ab-never'),
    'hook/map.yaml': configMap('hooked'),
    'hook/hook.yaml': `${secret('after', 'argocd.argoproj.io/hook: PostDelete')}`,
    'kept/map.yaml': configMap('beside'),
  });
  await stage.apply(namespaces(plane, 'ab-team', 'ab-other', 'ab-shop', 'ab-never', 'ab2-argocd', 'ab2-team'));
  await stage.apply(namespaces('ab3-argocd', 'ab3-team', 'ab4-argocd'));
  await stage.apply(deployer('ab-shop/deployer') + namespaceMaker());
  await stage.apply(settings(plane, { 'application.sync.impersonation.enabled': 'true' }));
  await stage.apply(settings('ab2-argocd', { 'application.resourceTrackingMethod': 'label' }));
  await stage.apply(
    settings('ab3-argocd', { 'application.resourceTrackingMethod': 'annotation+label', installationID: 'three' }),
  );
  await stage.apply(settings('ab4-argocd', { installationID: 'four' }));
  await stage.apply(project('ab-team', 'sourceNamespaces: [ab-team]'));
  await stage.start({ controlPlane: plane, appNamespaces: ['ab-*'] });
});

after(async () => {
  await stage?.stop();
  repository?.remove();
});

function secret(name: string, annotation: string): string {
  return `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}, annotations: {${annotation}}}\nstringData: {word: x}\n`;
}

/** The account may make any namespace: what keeps it from it is the project. */
function namespaceMaker(): string {
  return `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: ab-namespaces}
rules: [{apiGroups: [''], resources: [namespaces], verbs: [get, create, patch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: ab-namespaces}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ab-namespaces}
subjects: [{kind: ServiceAccount, name: deployer, namespace: ab-shop}]
`;
}

function project(name: string, more: string, home = plane): string {
  return `---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: ${name}, namespace: ${home}, finalizers: [${finalizer}]}
spec:
  sourceRepos: ['*']
  destinations:
  - {server: '*', namespace: ab-shop}
  - {server: '*', namespace: 'ab-made*'}
  destinationServiceAccounts:
  - {server: '*', namespace: '*', defaultServiceAccount: 'ab-shop:deployer'}
  ${more}
`;
}

interface Told {
  readonly project?: string;
  readonly namespace?: string;
  readonly path: string;
  readonly to?: string;
  readonly policy?: string;
  readonly finalizers?: string;
}

function application(name: string, told: Told): string {
  const { project: of = 'ab-team', namespace = 'ab-team', path, to = 'ab-shop', finalizers = '' } = told;
  return `---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: ${namespace}, finalizers: [${finalizers}]}
spec:
  project: ${of}
  source: {repoURL: '${repository.url}', path: ${path}, targetRevision: main}
  destination: {${to.includes(':') ? to : `server: https://kubernetes.default.svc, namespace: ${to}`}}
  syncPolicy: {${told.policy ?? 'automated: {prune: true}'}}
`;
}

const app = (name: string, good: (found: AppView | undefined) => boolean, namespace = 'ab-team'): Promise<AppView> =>
  untilApp(stage, namespace, name, good);
const account = 'system:serviceaccount:ab-shop:deployer';
const has = (text: string) => (found: AppView | undefined) => conditionsOf(found).some((each) => each.includes(text));
const deletesOf = (plural: string, name: string): string[] =>
  calls(stage, plural, 'ab-shop')
    .filter(({ verb, objectRef }) => verb === 'delete' && objectRef?.name === name)
    .map(asWhom);

test('A2 an Application in a namespace the project does not list is refused, and nothing is asked of a cluster', async () => {
  await stage.apply(application('stranger', { namespace: 'ab-other', path: 'plain', to: 'ab-never' }));
  const refused = await app('stranger', has('UnknownError'), 'ab-other');
  assert.deepEqual(conditionsOf(refused), [
    "UnknownError: application 'stranger' in namespace 'ab-other' is not permitted to use project 'ab-team'",
  ]);
  assert.deepEqual([refused.status?.sync?.status, refused.status?.health?.status], ['Unknown', 'Unknown']);
  assert.deepEqual(calls(stage, 'configmaps', 'ab-never'), []);
});

test('A22 a sync asked for on it ends in Error, and nothing is applied', async () => {
  await stage.patch('Application', 'ab-other', 'stranger', { operation: { sync: {} } });
  const over = await app('stranger', isOver, 'ab-other');
  assert.equal(over.status?.operationState?.phase, 'Error');
  assert.equal(
    over.status?.operationState?.message,
    "Failed to load application project: application 'stranger' in namespace 'ab-other' is not permitted to use project 'ab-team'",
  );
  assert.deepEqual(calls(stage, 'configmaps', 'ab-never'), []);
});

test('A23 deleting one that may no longer use its project stops with DeletionError, and its objects stay', async () => {
  await stage.apply(project('ab-leaving', 'sourceNamespaces: [ab-team]'));
  await stage.apply(application('leaver', { project: 'ab-leaving', path: 'leaver', finalizers: finalizer }));
  await app('leaver', isSynced);
  await stage.patch('AppProject', plane, 'ab-leaving', { spec: { sourceNamespaces: [] } });
  await app('leaver', has('UnknownError'));
  await stage.remove('Application', 'ab-team', 'leaver');
  const kept = await app('leaver', has('DeletionError'));
  const text = "application 'leaver' in namespace 'ab-team' is not permitted to use project 'ab-leaving'";
  assert.deepEqual(conditionsOf(kept), [`DeletionError: ${text}`, `UnknownError: ${text}`]);
  assert.deepEqual(kept.metadata.finalizers, [finalizer]);
  assert.notEqual(await stage.get('ConfigMap', 'ab-shop', 'leaver'), undefined);
  assert.deepEqual(deletesOf('configmaps', 'leaver'), []);
  await stage.patch('AppProject', plane, 'ab-leaving', { spec: { sourceNamespaces: ['ab-team'] } });
  await until(
    () => appView(stage, 'ab-team', 'leaver'),
    (found) => found === undefined,
  );
  assert.equal(await stage.get('ConfigMap', 'ab-shop', 'leaver'), undefined);
  assert.deepEqual(deletesOf('configmaps', 'leaver'), [account]);
});

test('A26 an Application in a remote cluster is an object like any other: nobody reconciles it', async () => {
  const remote = await openStage({ cluster: await testCluster('embedded') });
  try {
    const { url, ca, adminToken: token } = remote.cluster;
    await remote.apply(namespaces('ab-team', 'ab-shop') + application('lost', { path: 'plain' }));
    await remote.apply(deployer('ab-shop/deployer'));
    await stage.apply(clusterSecret(`${plane}/remote`, { url, ca, token }, {}));
    await stage.apply(application('far', { namespace: plane, path: 'far', to: 'name: remote, namespace: ab-shop' }));
    await app('far', isSynced, plane);
    assert.notEqual(await remote.get('ConfigMap', 'ab-shop', 'far'), undefined);
    assert.equal((await appView(remote, 'ab-team', 'lost'))?.status, undefined);
    assert.equal(await remote.get('ConfigMap', 'ab-shop', 'plain'), undefined);
    const touched = calls(remote, 'applications', 'ab-team').filter(({ verb }) => verb !== 'list' && verb !== 'watch');
    assert.deepEqual(touched, []);
    await stage.remove('Application', plane, 'far');
    await stage.remove('Secret', plane, 'remote');
  } finally {
    await remote.stop();
  }
});

test('A27 a deleted project keeps its finalizer while an Application of a tenant uses it, and goes with the last one', async () => {
  await stage.apply(project('ab-ending', 'sourceNamespaces: [ab-team]'));
  await stage.apply(application('user', { project: 'ab-ending', path: 'user' }));
  await app('user', isSynced);
  const listed = (): number => calls(stage, 'applications').filter(({ verb }) => verb === 'list').length;
  const before = listed();
  await stage.remove('AppProject', plane, 'ab-ending');
  await until(
    () => Promise.resolve(listed()),
    (count) => count > before,
  );
  assert.deepEqual((await stage.get('AppProject', plane, 'ab-ending'))?.metadata.finalizers, [finalizer]);
  await stage.remove('Application', 'ab-team', 'user');
  await until(
    () => stage.get('AppProject', plane, 'ab-ending'),
    (found) => found === undefined,
  );
});

test('A36 tracking by label alone fails visibly where the name is too long for a label', async () => {
  await stage.apply(project('ab-team', 'sourceNamespaces: [ab2-team]', 'ab2-argocd'));
  const controller = await stage.start({ controlPlane: 'ab2-argocd', appNamespaces: ['ab2-team'] });
  assert.equal(`ab2-team_${longName}`.length, 70);
  const policy = 'automated: {}, retry: {limit: 0}';
  await stage.apply(application(longName, { namespace: 'ab2-team', path: 'long', policy }));
  const failed = await app(longName, isOver, 'ab2-team');
  assert.equal(failed.status?.operationState?.phase, 'Failed');
  assert.match(
    failed.status?.operationState?.syncResult?.resources?.[0]?.message ?? '',
    /ConfigMap "long" is invalid: metadata\.labels: Invalid value: "ab2-team_a-name-that-alone.*must be no more than 63/,
  );
  assert.equal(await stage.get('ConfigMap', 'ab-shop', 'long'), undefined);
  await stage.remove('Application', 'ab2-team', longName);
  await controller.stop();
});

test('A37 annotation+label cuts the label to what fits and keeps the annotation whole', async () => {
  await stage.apply(project('ab-team', 'sourceNamespaces: [ab3-team]', 'ab3-argocd'));
  await stage.start({ controlPlane: 'ab3-argocd', appNamespaces: ['ab3-team'] });
  await stage.apply(application(longName, { namespace: 'ab3-team', path: 'long' }));
  await app(longName, isSynced, 'ab3-team');
  const { labels = {}, annotations = {} } = (await stage.get('ConfigMap', 'ab-shop', 'long'))?.metadata ?? {};
  const label = labels['app.kubernetes.io/instance'] ?? '';
  assert.equal(label, `ab3-team_${longName}`.slice(0, 63).replace(/[^a-z0-9]+$/, ''));
  assert.ok(label.length > 50 && label.length <= 63);
  assert.equal(annotations['argocd.argoproj.io/tracking-id'], `ab3-team_${longName}:/ConfigMap:ab-shop/long`);
});

test('A38 two installations with an Application of one name leave the objects of each other alone', async () => {
  await stage.apply(project('ab-team', '', 'ab4-argocd'));
  const four = await stage.start({ controlPlane: 'ab4-argocd' });
  await stage.apply(application('twin', { namespace: 'ab3-argocd', path: 'first' }));
  await stage.apply(application('twin', { namespace: 'ab4-argocd', path: 'second' }));
  for (const home of ['ab3-argocd', 'ab4-argocd']) await app('twin', isSynced, home);
  // Each has looked again after both have written: a sync that prunes finds nothing to prune.
  for (const home of ['ab3-argocd', 'ab4-argocd']) {
    await stage.patch('Application', home, 'twin', { operation: { sync: { prune: true } } });
    const over = await app(
      'twin',
      (found) => isOver(found) && found?.status?.operationState?.phase !== undefined,
      home,
    );
    assert.deepEqual(
      over.status?.resources?.map(({ name, status }) => `${name} ${status}`),
      [home === 'ab3-argocd' ? 'first Synced' : 'second Synced'],
    );
  }
  const marks = await Promise.all(
    ['first', 'second'].map(async (name) => {
      const { annotations = {} } = (await stage.get('ConfigMap', 'ab-shop', name))?.metadata ?? {};
      return `${annotations['argocd.argoproj.io/installation-id']} ${annotations['argocd.argoproj.io/tracking-id']}`;
    }),
  );
  assert.deepEqual(marks, ['three twin:/ConfigMap:ab-shop/first', 'four twin:/ConfigMap:ab-shop/second']);
  assert.deepEqual([...deletesOf('configmaps', 'first'), ...deletesOf('configmaps', 'second')], []);
  await four.stop();
});

test('B11 one manifest that names a forbidden namespace refuses the whole sync before anything is applied', async () => {
  await stage.apply(application('greedy', { path: 'greedy' }));
  const refused = await app('greedy', isOver);
  assert.equal(refused.status?.operationState?.phase, 'Failed');
  assert.equal(
    refused.status?.operationState?.message,
    "one or more synchronization tasks are not valid: namespace ab-never is not permitted in project 'ab-team'",
  );
  assert.equal(await stage.get('ConfigMap', 'ab-shop', 'good'), undefined);
  const writes = [...calls(stage, 'configmaps', 'ab-shop'), ...calls(stage, 'configmaps', 'ab-never')];
  assert.deepEqual(
    writes.filter(({ objectRef }) => ['good', 'bad'].includes(objectRef?.name ?? '')).map(({ verb }) => verb),
    [],
  );
});

test('B15 CreateNamespace makes only a namespace whose name the project permits', async () => {
  const whitelist = "clusterResourceWhitelist: [{group: '', kind: Namespace, name: 'team1-*'}]";
  await stage.apply(project('ab-named', `sourceNamespaces: [ab-team]\n  ${whitelist}`));
  const policy = 'automated: {}, syncOptions: [CreateNamespace=true]';
  await stage.apply(application('maker', { project: 'ab-named', path: 'plain', to: 'ab-made', policy }));
  const refused = await app('maker', isOver);
  assert.equal(
    refused.status?.operationState?.message,
    'one or more synchronization tasks are not valid: resource :Namespace is not permitted in project ab-named',
  );
  assert.equal(await stage.get('Namespace', '', 'ab-made'), undefined);
  const permitted = whitelist.replace('team1-', 'ab-made');
  await stage.apply(project('ab-making', `sourceNamespaces: [ab-team]\n  ${permitted}`));
  await stage.apply(application('maker-2', { project: 'ab-making', path: 'plain', to: 'ab-made-2', policy }));
  await until(
    () => stage.get('Namespace', '', 'ab-made-2'),
    (found) => found !== undefined,
  );
  const made = stage.cluster
    .audit()
    .filter(({ verb, objectRef }) => verb === 'patch' && objectRef?.resource === 'namespaces')
    .filter(({ objectRef }) => objectRef?.name?.startsWith('ab-made') === true);
  assert.deepEqual(
    made.map((event) => `${event.objectRef?.name} as ${asWhom(event)}`),
    [`ab-made-2 as ${account}`],
  );
});

test('B17 a PostDelete hook of a forbidden kind is not created, and the deletion says why', async () => {
  const blacklist = "namespaceResourceBlacklist: [{group: '', kind: Secret}]";
  await stage.apply(project('ab-hooks', `sourceNamespaces: [ab-team]\n  ${blacklist}`));
  await stage.apply(application('hooked', { project: 'ab-hooks', path: 'hook', finalizers: finalizer }));
  await app('hooked', (found) => isSynced(found) && (found?.metadata.finalizers ?? []).length > 1);
  await stage.remove('Application', 'ab-team', 'hooked');
  const stuck = await app('hooked', has('DeletionError'));
  assert.deepEqual(
    conditionsOf(stuck).filter((each) => each.startsWith('DeletionError')),
    ['DeletionError: resource :Secret is not permitted in project ab-hooks'],
  );
  assert.equal(await stage.get('Secret', 'ab-shop', 'after'), undefined);
  assert.deepEqual(writersIn(stage, 'ab-shop', 'secrets'), []);
});

test('B18 a live object of a forbidden kind with the Application’s mark is neither pruned nor deleted with it', async () => {
  const blacklist = "namespaceResourceBlacklist: [{group: '', kind: Secret}]";
  await stage.apply(project('ab-kept', `sourceNamespaces: [ab-team]\n  ${blacklist}`));
  const mark = "argocd.argoproj.io/tracking-id: 'ab-team_keeper:/Secret:ab-shop/kept'";
  await stage.apply(secret('kept', mark).replace('{name: kept', '{name: kept, namespace: ab-shop'));
  await stage.apply(application('keeper', { project: 'ab-kept', path: 'kept', finalizers: finalizer }));
  await app('keeper', isSynced);
  await stage.patch('Application', 'ab-team', 'keeper', { operation: { sync: { prune: true } } });
  await app('keeper', isOver);
  await stage.remove('Application', 'ab-team', 'keeper');
  await until(
    () => appView(stage, 'ab-team', 'keeper'),
    (found) => found === undefined,
  );
  assert.equal(await stage.get('ConfigMap', 'ab-shop', 'beside'), undefined);
  assert.notEqual(await stage.get('Secret', 'ab-shop', 'kept'), undefined);
  assert.deepEqual(writersIn(stage, 'ab-shop', 'secrets'), []);
});
