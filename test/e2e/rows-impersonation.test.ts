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
  tokenOf,
  until,
  untilApp,
} from '../support/story.ts';
import { clusterSecret, configMap, deployer, namespaces, settings } from '../support/tenant.ts';

const plane = 'g-argocd';
const strict = 'g2-argocd';
const finalizer = 'resources-finalizer.argocd.argoproj.io';
const account = 'system:serviceaccount:g-shop:deployer';
const never = 'automated: {}, retry: {limit: 0}';

let stage: Stage;
let repository: TestRepository;

before(async () => {
  stage = await openStage();
  repository = createTestRepository({
    'two/here.yaml': configMap('here'),
    'two/there.yaml': configMap('there', 'namespace: g-side'),
    'secret/secret.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: hidden}\nstringData: {word: x}\n',
    'poor/map.yaml': configMap('poor'),
    'ghost/map.yaml': configMap('ghost'),
    'hooks/pre.yaml': hook('pre', 'PreSync'),
    'hooks/sync.yaml': hook('mid', 'Sync'),
    'hooks/post.yaml': hook('post', 'PostSync'),
    'hooks/map.yaml': configMap('hooked'),
    'fails/rescue.yaml': hook('rescue', 'SyncFail'),
    'fails/broken.yaml': 'apiVersion: v1\nkind: Service\nmetadata: {name: broken}\nspec: {ports: [{port: 0}]}\n',
    'prune/keep.yaml': configMap('keep'),
    'prune/drop.yaml': configMap('drop'),
    'dry/map.yaml': configMap('dry'),
    'make/map.yaml': configMap('make'),
    'delete/map.yaml': configMap('deleted'),
    'delete/before.yaml': hook('before', 'PreDelete'),
    'delete/after.yaml': hook('after', 'PostDelete'),
    'enforced/map.yaml': configMap('enforced'),
    'diff/map.yaml': configMap('diff'),
    'narrow/map.yaml': configMap('narrow'),
    'blind/map.yaml': configMap('blind'),
  });
  await stage.apply(namespaces(plane, strict, 'g-team', 'g2-team', 'g-shop', 'g-side', 'g-poor', 'g-ghost'));
  await stage.apply(deployer('g-shop/deployer', ['g-shop', 'g-side']) + deployer('g-poor/poor', []));
  const on = { 'application.sync.impersonation.enabled': 'true', 'resource.respectRBAC': 'normal' };
  await stage.apply(settings(plane, on));
  await stage.apply(settings(strict, { ...on, 'application.sync.impersonation.enforced': 'true' }));
  await stage.apply(project('g-team', "namespaceResourceBlacklist: [{group: '', kind: Secret}]"));
  await stage.start({ controlPlane: plane, appNamespaces: ['g-team'] });
});

after(async () => {
  await stage?.stop();
  repository?.remove();
});

/** A hook that is over as soon as it is there, and goes then. */
function hook(name: string, phase: string): string {
  const policy = `argocd.argoproj.io/hook-delete-policy: ${phase === 'SyncFail' ? 'HookFailed' : 'HookSucceeded'}`;
  return configMap(name, `annotations: {argocd.argoproj.io/hook: ${phase}, ${policy}}`);
}

function project(name: string, more = '', home = plane): string {
  return `---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: ${name}, namespace: ${home}}
spec:
  sourceRepos: ['*']
  sourceNamespaces: [g-team, g2-team]
  destinations: [{server: '*', namespace: 'g-*'}]
  clusterResourceWhitelist: [{group: '', kind: Namespace}]
  destinationServiceAccounts:
  - {server: '*', namespace: g-poor, defaultServiceAccount: poor}
  - {server: '*', namespace: g-ghost, defaultServiceAccount: nobody-made-it}
  - {server: '*', namespace: 'g-*', defaultServiceAccount: 'g-shop:deployer'}
  ${more}
`;
}

interface Told {
  readonly to?: string;
  readonly policy?: string;
  readonly metadata?: string;
  readonly home?: string;
}

function application(path: string, told: Told = {}): string {
  const { to = 'g-shop', policy = 'automated: {prune: true}', metadata = '', home = 'g-team' } = told;
  return `---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${path}, namespace: ${home}${metadata === '' ? '' : `, ${metadata}`}}
spec:
  project: g-team
  source: {repoURL: '${repository.url}', path: ${path}, targetRevision: main}
  destination: {${to.includes(':') ? to : `server: https://kubernetes.default.svc, namespace: ${to}`}}
  syncPolicy: {${policy}}
`;
}

const app = (name: string, good: (found: AppView | undefined) => boolean, home = 'g-team'): Promise<AppView> =>
  untilApp(stage, home, name, good);
/** What was asked about one ConfigMap, in order and without reads: `verb as whom`. */
const writes = (name: string, namespace = 'g-shop', plural = 'configmaps'): string[] =>
  calls(stage, plural, namespace)
    .filter(({ verb, objectRef }) => objectRef?.name === name && verb !== 'get')
    .map((event) => `${event.verb} as ${asWhom(event)}`);
const gone = (name: string, home = 'g-team'): Promise<AppView | undefined> =>
  until(
    () => appView(stage, home, name),
    (found) => found === undefined,
  );
const forbidden = (who: string, name: string, namespace: string): RegExp =>
  new RegExp(
    `"${name}" is forbidden: User "${who}" cannot patch resource "configmaps" .* in the namespace "${namespace}"`,
  );

test('G21 a manifest with a namespace of its own is written as the one account of the Application', async () => {
  await stage.apply(application('two'));
  await app('two', isSynced);
  assert.deepEqual([writes('here'), writes('there', 'g-side')], [[`patch as ${account}`], [`patch as ${account}`]]);
});

test('G22 an account with rights does not exceed the project', async () => {
  await stage.apply(application('secret', { policy: never }));
  const refused = await app('secret', isOver);
  assert.equal(
    refused.status?.operationState?.message,
    'one or more synchronization tasks are not valid: resource :Secret is not permitted in project g-team',
  );
  assert.deepEqual(writes('hidden', 'g-shop', 'secrets'), []);
});

test('G23 an account without rights fails the sync with the API server’s words', async () => {
  await stage.apply(application('poor', { to: 'g-poor', policy: never }));
  const failed = await app('poor', isOver);
  assert.equal(failed.status?.operationState?.phase, 'Failed');
  assert.match(failed.status?.operationState?.message ?? '', /^one or more objects failed to apply/);
  assert.match(
    failed.status?.operationState?.syncResult?.resources?.[0]?.message ?? '',
    forbidden('system:serviceaccount:g-poor:poor', 'poor', 'g-poor'),
  );
  assert.equal(await stage.get('ConfigMap', 'g-poor', 'poor'), undefined);
});

test('G24 an account that does not exist fails it alike', async () => {
  await stage.apply(application('ghost', { to: 'g-ghost', policy: never }));
  const failed = await app('ghost', isOver);
  assert.equal(failed.status?.operationState?.phase, 'Failed');
  assert.match(
    failed.status?.operationState?.syncResult?.resources?.[0]?.message ?? '',
    forbidden('system:serviceaccount:g-ghost:nobody-made-it', 'ghost', 'g-ghost'),
  );
  assert.equal(await stage.get('ConfigMap', 'g-ghost', 'ghost'), undefined);
});

test('G25 hooks of every phase are created and deleted as the account', async () => {
  await stage.apply(application('hooks'));
  await stage.apply(application('fails', { policy: never }));
  await app('hooks', (found) => isSynced(found) && isOver(found));
  const failed = await app('fails', isOver);
  assert.equal(failed.status?.operationState?.phase, 'Failed');
  for (const name of ['pre', 'mid', 'post', 'rescue']) {
    await until(
      () => stage.get('ConfigMap', 'g-shop', name),
      (found) => found === undefined,
    );
    const [created, ...others] = writes(name);
    assert.match(created ?? '', new RegExp(`^(patch|create) as ${account}$`), name);
    assert.ok(others.includes(`delete as ${account}`), name);
    assert.deepEqual(
      others.filter((each) => !each.endsWith(` as ${account}`)),
      [],
    );
  }
});

test('G26 pruning is done as the account', async () => {
  await stage.apply(application('prune'));
  await app('prune', isSynced);
  repository.commit({ 'prune/drop.yaml': null });
  await until(
    () => stage.get('ConfigMap', 'g-shop', 'drop'),
    (found) => found === undefined,
  );
  assert.deepEqual(writes('drop'), [`patch as ${account}`, `delete as ${account}`]);
});

test('G27 a dry run is asked for as the account, and nothing else is', async () => {
  await stage.apply(application('dry', { policy: '' }));
  await app('dry', (found) => found?.status?.sync?.status === 'OutOfSync');
  await stage.patch('Application', 'g-team', 'dry', { operation: { sync: { dryRun: true } } });
  const over = await app('dry', isOver);
  assert.equal(over.status?.operationState?.phase, 'Succeeded');
  assert.deepEqual(writes('dry'), [`patch as ${account}`]);
  const asked = calls(stage, 'configmaps', 'g-shop').filter(({ objectRef }) => objectRef?.name === 'dry');
  for (const { verb, requestURI } of asked) if (verb !== 'get') assert.match(requestURI, /dryRun=All/);
  assert.equal(await stage.get('ConfigMap', 'g-shop', 'dry'), undefined);
});

test('G28 CreateNamespace fails where the account may not create namespaces', async () => {
  await stage.apply(application('make', { to: 'g-made', policy: `${never}, syncOptions: [CreateNamespace=true]` }));
  const failed = await app('make', isOver);
  assert.equal(failed.status?.operationState?.phase, 'Failed');
  assert.match(
    JSON.stringify(failed.status?.operationState),
    new RegExp(`User \\\\"${account}\\\\" cannot patch resource \\\\"namespaces\\\\"`),
  );
  assert.equal(await stage.get('Namespace', '', 'g-made'), undefined);
});

test('G29 a deletion removes objects and runs its hooks as the account', async () => {
  await stage.apply(application('delete', { metadata: `finalizers: [${finalizer}]` }));
  await app('delete', (found) => isSynced(found) && (found?.metadata.finalizers ?? []).length > 1);
  await stage.remove('Application', 'g-team', 'delete');
  await gone('delete');
  assert.deepEqual(writes('deleted'), [`patch as ${account}`, `delete as ${account}`]);
  for (const name of ['before', 'after']) {
    assert.match(writes(name)[0] ?? '', new RegExp(`^(patch|create) as ${account}$`), name);
    assert.deepEqual(
      writes(name).filter((each) => !each.endsWith(` as ${account}`)),
      [],
    );
    assert.ok(writes(name).includes(`delete as ${account}`), name);
  }
});

test('G30 enforced, without a matching entry a deletion stops with DeletionError and deletes nothing', async () => {
  await stage.apply(project('g-team', '', strict));
  const controller = await stage.start({ controlPlane: strict, appNamespaces: ['g2-team'] });
  await stage.apply(application('enforced', { home: 'g2-team', metadata: `finalizers: [${finalizer}]` }));
  await app('enforced', isSynced, 'g2-team');
  await stage.patch('AppProject', strict, 'g-team', { spec: { destinationServiceAccounts: [] } });
  const text =
    'no matching service account found for destination server https://kubernetes.default.svc and namespace g-shop';
  await app('enforced', (found) => conditionsOf(found).includes(`SyncError: ${text}`), 'g2-team');
  await stage.remove('Application', 'g2-team', 'enforced');
  const stuck = await app('enforced', (found) => conditionsOf(found).length > 1, 'g2-team');
  assert.deepEqual(conditionsOf(stuck), [`DeletionError: ${text}`, `SyncError: ${text}`]);
  assert.deepEqual(writes('enforced'), [`patch as ${account}`]);
  await stage.apply(project('g-team', '', strict));
  await gone('enforced', 'g2-team');
  assert.deepEqual(writes('enforced'), [`patch as ${account}`, `delete as ${account}`]);
  await controller.stop();
});

test('G33 the dry run of a server-side diff is asked for as the account', async () => {
  const metadata = 'annotations: {argocd.argoproj.io/compare-options: ServerSideDiff=true}';
  await stage.apply(application('diff', { metadata }));
  await app('diff', isSynced);
  await stage.patch('ConfigMap', 'g-shop', 'diff', { data: { greeting: 'changed' } });
  await app('diff', (found) => found?.status?.sync?.status === 'OutOfSync');
  const dry = calls(stage, 'configmaps', 'g-shop').filter(
    ({ verb, objectRef, requestURI }) =>
      verb === 'patch' && objectRef?.name === 'diff' && /dryRun=All/.test(requestURI),
  );
  assert.ok(dry.length > 0);
  assert.deepEqual([...new Set(dry.map(asWhom))], [account]);
});

test('G34 the cache lists and watches with the credential of the cluster', async () => {
  await remote('reader', [readAll]);
  await stage.apply(
    application('here-too', { to: 'name: reader, namespace: g-side' }).replace('path: here-too', 'path: poor'),
  );
  const reads = (): string[] =>
    calls(stage, 'configmaps')
      .filter(({ verb, user }) => ['list', 'watch'].includes(verb) && user.username.includes(`:${plane}:`))
      .map(
        ({ verb, user, impersonatedUser }) => `${verb} ${user.username} ${impersonatedUser?.username ?? 'as itself'}`,
      );
  const expected = ['list', 'watch'].map((verb) => `${verb} system:serviceaccount:${plane}:reader as itself`);
  await until(
    () => Promise.resolve([...new Set(reads())].sort()),
    (found) => found.length >= expected.length,
  );
  assert.deepEqual([...new Set(reads())].sort(), expected);
});

test('G36 a credential that may not impersonate the account is refused with a clear message, and nothing is applied', async () => {
  const some = { ...impersonate, resourceNames: ['somebody-else'] };
  await remote('narrow', [readAll, some]);
  await stage.apply(application('narrow', { to: 'name: narrow, namespace: g-shop', policy: never }));
  const failed = await app('narrow', isOver);
  assert.match(
    failed.status?.operationState?.message ?? '',
    /is forbidden: User "system:serviceaccount:g-argocd:narrow" cannot impersonate.* in the namespace "g-shop"/,
  );
  assert.equal(await stage.get('ConfigMap', 'g-shop', 'narrow'), undefined);
});

test('G37 a remote credential that may only impersonate and review serves the kinds the account may use', async () => {
  await remote('blind', [impersonate]);
  await stage.apply(application('blind', { to: 'name: blind, namespace: g-shop' }));
  await app('blind', isSynced);
  repository.commit({ 'blind/map.yaml': configMap('blind', '', 'again') });
  await until(
    () => stage.get('ConfigMap', 'g-shop', 'blind'),
    (found) => JSON.stringify(found?.['data']).includes('again'),
  );
  assert.deepEqual([...new Set(writes('blind'))], [`patch as ${account}`]);
  // Its own reads are all refused; single objects are read as the account.
  const own = calls(stage, 'configmaps').filter(({ user }) => user.username.endsWith(':blind'));
  assert.deepEqual([...new Set(own.map(({ responseStatus }) => responseStatus?.code))], [403]);
});

test('G38 the audit log has both identities of every write', () => {
  const made = calls(stage, 'configmaps', 'g-shop').filter(({ objectRef }) => objectRef?.name === 'blind');
  assert.ok(made.length > 0);
  for (const { user, impersonatedUser } of made) {
    assert.equal(user.username, `system:serviceaccount:${plane}:blind`);
    assert.equal(impersonatedUser?.username, account);
    // Only the user is set; the groups are those the API server itself gives to every service account.
    assert.deepEqual([...(impersonatedUser?.groups ?? [])].sort(), [
      'system:authenticated',
      'system:serviceaccounts',
      'system:serviceaccounts:g-shop',
    ]);
  }
});

const readAll = { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] };
const impersonate = { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['impersonate'] };

/** The cluster once more, under its own address, with a credential that has just these rights. */
async function remote(name: string, rules: readonly object[]): Promise<void> {
  await stage.apply(`---
apiVersion: v1
kind: ServiceAccount
metadata: {name: ${name}, namespace: ${plane}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: g-${name}}
rules: ${JSON.stringify(rules)}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: g-${name}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: g-${name}}
subjects: [{kind: ServiceAccount, name: ${name}, namespace: ${plane}}]
`);
  const { url, ca } = stage.cluster;
  await stage.apply(clusterSecret(`${plane}/${name}`, { url, ca, token: await tokenOf(stage, plane, name) }, {}));
}
