import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import {
  type AppView,
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

// What somebody does with the rights of the accounts that Argosy looks through: the platform's, and a tenant's own.

const plane = 'see-argocd';
const graceMs = 1500;
const soon = { rightsMs: 20, leastRightsMs: 50 };
let stage: Stage;
let repository: TestRepository;

before(async () => {
  stage = await openStage();
  repository = createTestRepository({ 'shop/map.yaml': configMap('shop'), 'own/map.yaml': configMap('own') });
  await stage.apply(namespaces(plane, 'see-shop', 'see-team', 'see-own'));
  const data = {
    'application.sync.impersonation.enabled': 'true',
    'resource.respectRBAC': 'normal',
    'cluster.tenant.allowedHosts': '127.0.0.1:*',
  };
  await stage.apply(settings(plane, data) + deployer('see-shop/deployer') + platform + looker(['configmaps']));
  await stage.apply(remote(['get', 'list', 'watch']));
  const { url, ca } = stage.cluster;
  const [lookers, remotes] = [await tokenOf(stage, plane, 'looker'), await tokenOf(stage, 'see-own', 'remote')];
  await stage.apply(clusterSecret(`${plane}/looker`, { url, ca, token: lookers }, {}));
  const own = { project: 'see-team', namespaces: 'see-own' };
  await stage.apply(clusterSecret('see-team/own', { url, ca, token: remotes }, own));
  const rhythm = { graceMs, probeMs: 300, longestProbeMs: 600, againMs: 200, patienceMs: 5000, ...soon };
  await stage.start({ controlPlane: plane, appNamespaces: ['see-team'] }, { rhythm });
  await stage.apply(application(`${plane}/shop`, 'h', 'name: looker, namespace: see-shop'));
  await stage.apply(application('see-team/own', 'see-team', 'name: own, namespace: see-own'));
});

after(async () => {
  await stage?.stop();
  repository?.remove();
});

const platform = `---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: h, namespace: ${plane}}
spec:
  sourceRepos: ['*']
  destinations: [{server: '*', namespace: see-shop}]
  destinationServiceAccounts: [{server: '*', namespace: see-shop, defaultServiceAccount: deployer}]
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: see-team, namespace: ${plane}}
spec:
  sourceRepos: ['*']
  sourceNamespaces: [see-team]
  destinations: [{server: '*', namespace: see-own}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: looker, namespace: ${plane}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: see-looker}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: see-looker}
subjects: [{kind: ServiceAccount, name: looker, namespace: ${plane}}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: remote, namespace: see-own}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: remote, namespace: see-own}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: remote}
subjects: [{kind: ServiceAccount, name: remote, namespace: see-own}]
`;

/** The platform's account: it may impersonate, and list and watch just these kinds and roles, so that it sees them change. */
function looker(plurals: readonly string[]): string {
  return `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: see-looker}
rules:
- {apiGroups: [''], resources: [serviceaccounts], verbs: [impersonate]}
- {apiGroups: [''], resources: ${JSON.stringify(['nodes', ...plurals])}, verbs: [list, watch]}
- {apiGroups: [rbac.authorization.k8s.io], resources: [clusterroles], verbs: [list, watch]}
`;
}

/** The tenant's account, which is the tenant's to narrow; it sees roles change, so that the story need not wait. */
function remote(reads: readonly string[]): string {
  return `---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: remote, namespace: see-own}
rules:
- {apiGroups: [''], resources: [configmaps], verbs: ${JSON.stringify(['create', 'patch', ...reads])}}
- {apiGroups: [rbac.authorization.k8s.io], resources: [roles], verbs: [list, watch]}
`;
}

function application(key: string, project: string, destination: string): string {
  const [namespace = '', name = ''] = key.split('/');
  return `---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  project: ${project}
  source: {repoURL: '${repository.url}', path: ${name}, targetRevision: main}
  destination: {${destination}}
`;
}

const sync = (namespace: string, name: string): Promise<void> =>
  stage.patch('Application', namespace, name, { operation: { sync: { revision: 'main' } } });
const status = (found: AppView | undefined): string => found?.status?.sync?.status ?? '';
const own = (good: (found: AppView | undefined) => boolean): Promise<AppView> =>
  untilApp(stage, 'see-team', 'own', good);
const has = (text: string) => (found: AppView | undefined) => conditionsOf(found).some((each) => each.includes(text));
const drift = (text: string): Promise<void> => stage.patch('ConfigMap', 'see-own', 'own', { data: { greeting: text } });

test('T-118 a role taken away for a moment and given back, twenty times: no write, and what is there is seen again', async (context) => {
  await sync(plane, 'shop');
  await untilApp(stage, plane, 'shop', (found) => isSynced(found) && conditionsOf(found).length === 0);
  const user = `system:serviceaccount:${plane}:looker`;
  /** Waits until the view has asked for ConfigMaps after some time and was answered so; with 200: to watch them. */
  const answered = (code: number, since: number): Promise<boolean> =>
    until(
      () =>
        Promise.resolve(
          calls(stage, 'configmaps').some(
            ({ user: { username }, verb, responseStatus, requestReceivedTimestamp }) =>
              username === user &&
              responseStatus?.code === code &&
              (code !== 200 || verb === 'watch') &&
              Date.parse(requestReceivedTimestamp) > since,
          ),
        ),
      (is) => is,
      60_000,
    );
  const writes = (): number =>
    stage.writes('applications', plane).filter(({ userAgent }) => userAgent === 'argosy/test').length;
  const written = writes();
  let slow = 0;
  for (let turn = 0; turn < 20; turn++) {
    const began = Date.now();
    await stage.apply(looker([]));
    await answered(403, began);
    await stage.apply(looker(['configmaps']));
    // On a machine with too much to do a moment is not always one.
    if (Date.now() - began > graceMs * 0.75) slow++;
    await answered(200, Date.now());
  }
  context.diagnostic(`${writes() - written} writes, ${slow} of 20 turns were slow`);
  assert.ok(writes() - written <= 2 * slow, `${writes() - written} writes, ${slow} turns were slow`);
  await stage.patch('ConfigMap', 'see-shop', 'shop', { data: { greeting: 'drift' } });
  await untilApp(stage, plane, 'shop', (found) => status(found) === 'OutOfSync');
});

test('T-126 a tenant narrows its own account: what cannot be watched is looked at one by one, and drift still shows', async () => {
  await sync('see-team', 'own');
  await own((found) => isSynced(found) && conditionsOf(found).every((each) => !each.includes('ConfigMap')));
  await stage.apply(remote(['get']));
  const warned = await own(has('may not'));
  assert.match(
    conditionsOf(warned).join('\n'),
    /UnreadableResourceWarning: the credential may not (list|watch) ConfigMap in namespace see-own/,
  );
  await drift('one');
  await own((found) => status(found) === 'OutOfSync');
  await drift('hello');
  await own((found) => status(found) === 'Synced');
});

test('T-126 what cannot be read at all is Unknown, never Synced, however often one looks', async () => {
  await stage.apply(remote([]));
  const hidden = await own((found) => status(found) === 'Unknown');
  assert.match(conditionsOf(hidden).join('\n'), /ComparisonError: .*configmaps "own" is forbidden/);
  await drift('two');
  const refreshed = { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'hard' } } };
  await stage.patch('Application', 'see-team', 'own', refreshed);
  const looked = await own((found) => found?.metadata.annotations?.['argocd.argoproj.io/refresh'] === undefined);
  assert.equal(status(looked), 'Unknown');
  assert.ok(has('ComparisonError')(looked));
  await stage.apply(remote(['get', 'list', 'watch']));
  // One by one first, and then from a list again.
  await own((found) => status(found) === 'OutOfSync' && !has('ConfigMap')(found));
});
