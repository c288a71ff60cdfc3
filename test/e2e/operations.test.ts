import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { type AppView, appView, openStage, type Stage, until } from '../support/story.ts';

let stage: Stage;
let repository: TestRepository;

before(async () => {
  stage = await openStage();
  repository = createTestRepository({
    'plain/one.yaml': configMap('one'),
    'plain/two.yaml': configMap('two'),
    'waves/a.yaml': configMap('wave-a', 'argocd.argoproj.io/sync-wave: "-1"'),
    'waves/b.yaml': configMap('wave-b', 'argocd.argoproj.io/sync-wave: "1"'),
    'waves/pre.yaml': configMap('hook-pre', 'argocd.argoproj.io/hook: PreSync'),
    'waves/post.yaml': configMap(
      'hook-post',
      'argocd.argoproj.io/hook: PostSync, argocd.argoproj.io/hook-delete-policy: HookSucceeded',
    ),
    'bad/good.yaml': configMap('good'),
    'bad/role.yaml':
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: escalate}\nrules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]\n',
    'doomed/good.yaml': configMap('doomed'),
    'doomed/role.yaml':
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: doomed}\nrules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]\n',
    'hang/pre.yaml':
      'apiVersion: batch/v1\nkind: Job\nmetadata: {name: slow, annotations: {argocd.argoproj.io/hook: PreSync}}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: registry.example.com/slow:1}]}}}\n',
    'hang/after.yaml': configMap('after-hang'),
    'space/one.yaml': configMap('in-new-space'),
    'locked/hook.yaml': configMap('old-hook', 'argocd.argoproj.io/hook: PreSync'),
    'locked/one.yaml': configMap('behind-hook'),
  });
  await stage.apply(platform());
  await stage.start({ controlPlane: 'ops-argocd', appNamespaces: ['ops-team'] });
});

after(async () => {
  await stage?.stop();
  repository?.remove();
});

const view = (name: string): Promise<AppView | undefined> => appView(stage, 'ops-team', name);
const ended = (app: AppView | undefined): boolean =>
  ['Succeeded', 'Failed', 'Error'].includes(app?.status?.operationState?.phase ?? '');
const names = (plural: string, verb: string): (string | undefined)[] =>
  stage
    .writes(plural, 'ops-shop')
    .filter((event) => event.verb === verb)
    .map(({ objectRef }) => objectRef?.name);

test('1: without an automatic policy nothing is deployed and the status says so', async () => {
  await stage.apply(application('plain', 'plain'));
  const app = await until(
    () => view('plain'),
    (found) => found?.status?.sync?.status === 'OutOfSync',
  );
  assert.equal(app?.status?.health?.status, 'Missing');
  assert.equal(app?.status?.operationState, undefined);
});

test('40, 97: an operation written by hand is carried out, for the objects it names only', async () => {
  await stage.patch('Application', 'ops-team', 'plain', {
    operation: { sync: { resources: [{ kind: 'ConfigMap', name: 'one' }] } },
  });
  const app = await until(
    () => view('plain'),
    (found) => ended(found) && found?.operation === undefined,
  );
  assert.equal(app?.status?.operationState?.phase, 'Succeeded');
  assert.deepEqual(app?.status?.history ?? [], []);
  assert.notEqual(await stage.get('ConfigMap', 'ops-shop', 'one'), undefined);
  assert.equal(await stage.get('ConfigMap', 'ops-shop', 'two'), undefined);
});

test('a whole sync leaves a line of history, and one write of the Application besides the one that asked for it', async () => {
  const before = stage.writes('applications', 'ops-team').length;
  await stage.patch('Application', 'ops-team', 'plain', { operation: { sync: {} } });
  const app = await until(
    () => view('plain'),
    (found) => found?.status?.sync?.status === 'Synced' && found.operation === undefined,
  );
  assert.deepEqual(
    app?.status?.history?.map(({ id }) => id),
    [0],
  );
  assert.equal(app?.status?.operationState?.message, 'successfully synced (all tasks run)');
  await sleep(500);
  assert.equal(stage.writes('applications', 'ops-team').length - before, 2);
});

test('68: an object removed from Git stays without prune, and the result says so', async () => {
  repository.commit({ 'plain/two.yaml': null });
  await until(
    () => view('plain'),
    (found) => found?.status?.resources?.some(({ requiresPruning }) => requiresPruning === true) === true,
  );
  await stage.patch('Application', 'ops-team', 'plain', { operation: { sync: {} } });
  const app = await until(
    () => view('plain'),
    (found) =>
      found?.status?.operationState?.syncResult?.resources?.some(({ status }) => status === 'PruneSkipped') === true,
  );
  const two = app?.status?.operationState?.syncResult?.resources?.find(({ name }) => name === 'two');
  assert.equal(two?.message, 'ignored (requires pruning)');
  assert.equal(app?.status?.sync?.status, 'OutOfSync');
  assert.notEqual(await stage.get('ConfigMap', 'ops-shop', 'two'), undefined);
});

test('100: a dry run changes nothing and leaves no history', async () => {
  await stage.patch('Application', 'ops-team', 'plain', { operation: { sync: { dryRun: true, prune: true } } });
  await until(
    () => view('plain'),
    (found) =>
      found?.operation === undefined &&
      found?.status?.operationState?.syncResult?.resources?.some(({ status }) => status === 'Pruned') === true,
  );
  assert.notEqual(await stage.get('ConfigMap', 'ops-shop', 'two'), undefined);
  assert.equal((await view('plain'))?.status?.history?.length, 2);
});

test('48, 66: hooks and waves run in order, and a hook that asks for it is cleaned up', async () => {
  await stage.apply(application('waves', 'waves', 'automated: {}'));
  const app = await until(() => view('waves'), ended);
  assert.equal(app?.status?.operationState?.phase, 'Succeeded', app?.status?.operationState?.message);
  const order = names('configmaps', 'patch').filter((name) => /wave|hook/.test(name ?? ''));
  assert.deepEqual([...new Set(order)], ['hook-pre', 'wave-a', 'wave-b', 'hook-post']);
  await until(
    () => stage.get('ConfigMap', 'ops-shop', 'hook-post'),
    (object) => object === undefined,
  );
  assert.notEqual(await stage.get('ConfigMap', 'ops-shop', 'hook-pre'), undefined);
  // Hooks are listed, without a status of their own.
  assert.deepEqual(
    app?.status?.resources?.map(({ name, status }) => `${name} ${status ?? ''}`),
    ['hook-post ', 'hook-pre ', 'wave-a Synced', 'wave-b Synced'],
  );
});

test('87, 44: an object the API server refuses fails the sync, the rest of its wave is applied, and it is tried again', async () => {
  await stage.apply(
    application('bad', 'bad', 'automated: {}\n    retry: {limit: 1, backoff: {duration: 100ms, maxDuration: 200ms}}'),
  );
  const app = await until(() => view('bad'), ended);
  assert.equal(app?.status?.operationState?.phase, 'Failed');
  assert.match(
    app?.status?.operationState?.message ?? '',
    /^one or more objects failed to apply, reason: .*forbidden.*\(retried 1 times\)$/s,
  );
  assert.equal(app?.status?.operationState?.retryCount, 1);
  assert.notEqual(await stage.get('ConfigMap', 'ops-shop', 'good'), undefined);
  const failed = await until(
    () => view('bad'),
    (found) => found?.status?.conditions?.some(({ type }) => type === 'SyncError') === true,
  );
  assert.match(
    failed?.status?.conditions?.find(({ type }) => type === 'SyncError')?.message ?? '',
    /^Failed last sync attempt to \[/,
  );
});

test('a deletion waits for no further attempt of a sync that failed', async () => {
  const finalizers = '[resources-finalizer.argocd.argoproj.io]';
  const policy = 'automated: {}\n    retry: {limit: 5, backoff: {duration: 1h, maxDuration: 1h}}';
  await stage.apply(
    application('doomed', 'doomed', policy).replace('metadata: {', `metadata: {finalizers: ${finalizers}, `),
  );
  await until(
    () => view('doomed'),
    (found) => /Retrying attempt #1/.test(found?.status?.operationState?.message ?? ''),
  );
  assert.notEqual(await stage.get('ConfigMap', 'ops-shop', 'doomed'), undefined);
  await stage.remove('Application', 'ops-team', 'doomed');
  await until(
    () => view('doomed'),
    (found) => found === undefined,
  );
  assert.equal(await stage.get('ConfigMap', 'ops-shop', 'doomed'), undefined);
});

test('42: terminating removes a running hook, ends in Failed and is not tried again', async () => {
  await stage.apply(application('hang', 'hang', 'automated: {}'));
  const running = await until(
    () => view('hang'),
    (found) => found?.status?.operationState?.phase === 'Running',
  );
  await until(
    () => view('hang'),
    (found) => found?.status?.operationState?.message === 'waiting for completion of hook batch/Job/slow',
  );
  assert.notEqual(running?.operation, undefined);
  await stage.patch('Application', 'ops-team', 'hang', { status: { operationState: { phase: 'Terminating' } } });
  const app = await until(() => view('hang'), ended);
  assert.deepEqual(
    [app?.status?.operationState?.phase, app?.status?.operationState?.message],
    ['Failed', 'Operation terminated'],
  );
  await until(
    () => stage.get('Job', 'ops-shop', 'slow'),
    (job) => job === undefined,
  );
  assert.equal(await stage.get('ConfigMap', 'ops-shop', 'after-hang'), undefined);
});

test('84: CreateNamespace makes the namespace first, without a mark on it', async () => {
  await stage.apply(application('space', 'space', 'automated: {}\n    syncOptions: [CreateNamespace=true]', 'ops-new'));
  await until(
    () => view('space'),
    (found) => found?.status?.sync?.status === 'Synced',
  );
  const namespace = await stage.get('Namespace', '', 'ops-new');
  assert.equal(namespace?.metadata.annotations?.['argocd.argoproj.io/tracking-id'], undefined);
  assert.notEqual(await stage.get('ConfigMap', 'ops-new', 'in-new-space'), undefined);
});

test('a hook of the last sync that may not be deleted fails the sync, and says why', async () => {
  await stage.apply(configMap('old-hook').replace('name: old-hook', 'name: old-hook, namespace: ops-locked'));
  await stage.apply(application('locked', 'locked', 'automated: {}\n    retry: {limit: 0}', 'ops-locked'));
  const app = await until(() => view('locked'), ended);
  assert.equal(app?.status?.operationState?.phase, 'Failed');
  assert.match(
    app?.status?.operationState?.message ?? '',
    /completed unsuccessfully, reason: .*cannot delete resource "configmaps"/,
  );
  assert.equal(await stage.get('ConfigMap', 'ops-locked', 'behind-hook'), undefined);
});

test('77, 78: an object of another Application is told, and stops the sync where the options ask for it', async () => {
  await stage.apply(application('taker', 'plain', 'automated: {}\n    syncOptions: [FailOnSharedResource=true]'));
  const app = await until(() => view('taker'), ended);
  assert.equal(app?.status?.operationState?.phase, 'Failed');
  assert.match(
    app?.status?.operationState?.message ?? '',
    /^Shared resource found: ConfigMap\/one is part of applications /,
  );
  assert.ok(app?.status?.conditions?.some(({ type }) => type === 'SharedResourceWarning'));
  const owner = (await stage.get('ConfigMap', 'ops-shop', 'one'))?.metadata.annotations?.[
    'argocd.argoproj.io/tracking-id'
  ];
  assert.equal(owner, 'ops-team_plain:/ConfigMap:ops-shop/one');
});

test('every write for an Application was made as the account its project names', () => {
  const users = new Set(
    stage
      .writes('configmaps', 'ops-shop')
      .filter(({ userAgent }) => userAgent?.startsWith('argosy/'))
      .map(({ impersonatedUser }) => impersonatedUser?.username),
  );
  assert.deepEqual([...users], ['system:serviceaccount:ops-team:deployer']);
});

function configMap(name: string, annotations = ''): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, annotations: {${annotations}}}\ndata: {greeting: hello}\n`;
}

function platform(): string {
  const namespaces = ['ops-argocd', 'ops-team', 'ops-shop', 'ops-locked']
    .map((name) => `---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`)
    .join('');
  return `${namespaces}---
apiVersion: v1
kind: ServiceAccount
metadata: {name: deployer, namespace: ops-team}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: locked, namespace: ops-team}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: locked, namespace: ops-locked}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get, list, create, patch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: locked, namespace: ops-locked}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: locked}
subjects: [{kind: ServiceAccount, name: locked, namespace: ops-team}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: ops-deployer}
rules:
- {apiGroups: ["", batch], resources: [configmaps, jobs, namespaces], verbs: [get, list, create, update, patch, delete]}
- {apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [get, list, create, update, patch, delete]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: ops-deployer}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ops-deployer}
subjects: [{kind: ServiceAccount, name: deployer, namespace: ops-team}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: ops-argocd, labels: {app.kubernetes.io/part-of: argocd}}
data: {application.sync.impersonation.enabled: "true", source.allowedHosts: "file:"}
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: ops-team, namespace: ops-argocd}
spec:
  sourceRepos: ['*']
  sourceNamespaces: [ops-team]
  destinations: [{server: https://kubernetes.default.svc, namespace: 'ops-*'}]
  clusterResourceWhitelist: [{group: '', kind: Namespace}]
  destinationServiceAccounts:
  - {server: https://kubernetes.default.svc, namespace: ops-locked, defaultServiceAccount: 'ops-team:locked'}
  - {server: https://kubernetes.default.svc, namespace: 'ops-*', defaultServiceAccount: 'ops-team:deployer'}
`;
}

function application(name: string, path: string, policy = '', namespace = 'ops-shop'): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: ops-team}
spec:
  project: ops-team
  source: {repoURL: '${repository.url}', path: ${path}, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: ${namespace}}
  ${policy === '' ? '' : `syncPolicy:\n    ${policy}`}
`;
}
