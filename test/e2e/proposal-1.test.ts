/**
 * The examples of "Decouple Application sync user using impersonation", as they stand there. What had to be mended to make
 * them valid: destinations are objects, accounts and roles name their namespace, an apply needs `create` and `patch`, the
 * review is bound to its own role, the remote examples deploy to the remote address. Names carry `p1-`, because several
 * stories share a cluster.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { asWhom, calls, conditionsOf, isSynced, openStage, type Stage, tokenOf, untilApp } from '../support/story.ts';
import { clusterSecret, namespaces, settings } from '../support/tenant.ts';

const plane = 'p1-argocd';
const inCluster = 'https://kubernetes.default.svc';
const guestbook = `
apiVersion: v1
kind: Service
metadata: {name: guestbook-ui}
spec: {ports: [{port: 80, targetPort: 80}], selector: {app: guestbook-ui}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: guestbook-ui}
spec:
  replicas: 1
  selector: {matchLabels: {app: guestbook-ui}}
  template:
    metadata: {labels: {app: guestbook-ui}}
    spec: {containers: [{name: guestbook-ui, image: guestbook}]}
`;

let stage: Stage;
let repository: TestRepository;
let remote = '';

before(async () => {
  stage = await openStage();
  remote = stage.cluster.url;
  repository = createTestRepository({
    'guestbook/all.yaml': guestbook,
    'hardcoded/all.yaml': `${inNamespace('p1-hard')}---${inNamespace('p1-elsewhere')}`,
    'both/all.yaml': `${inNamespace('p1-both')}---${inNamespace('p1-both-ui')}`,
  });
  await stage.apply(namespaces(plane));
  await stage.apply(
    settings(plane, { 'application.sync.impersonation.enabled': 'true', 'resource.respectRBAC': 'normal' }),
  );
  await stage.start({ controlPlane: plane });
});

after(async () => {
  await stage?.stop();
  repository?.remove();
});

/** The guestbook with its namespaces written into the repository. */
function inNamespace(namespace: string): string {
  return guestbook.replaceAll('{name: guestbook-ui}', `{name: guestbook-ui, namespace: ${namespace}}`);
}

/** `kubectl create namespace`, `serviceaccount`, `role` and `rolebinding` of the examples, for places the account serves. */
function account(name: string, home: string, places: readonly string[] = [home]): string {
  const roles = places.map(
    (place) => `---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: ${name}-role, namespace: ${place}}
rules:
- {apiGroups: [''], resources: [pods, services], verbs: [get, list, create, update, patch, delete]}
- {apiGroups: [apps], resources: [deployments], verbs: [get, list, create, update, patch, delete]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: ${name}-rb, namespace: ${place}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ${name}-role}
subjects: [{kind: ServiceAccount, name: ${name}, namespace: ${home}}]
`,
  );
  const made = namespaces(...new Set([home, ...places]));
  return `${made}---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: ${name}, namespace: ${home}}\n${roles.join('')}`;
}

function project(name: string, destinations: string, accounts: string): string {
  return `---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata:
  name: ${name}
  namespace: ${plane}
  finalizers:
  - resources-finalizer.argocd.argoproj.io
spec:
  description: Example Project
  # Allow manifests to deploy from any Git repos
  sourceRepos:
  - '*'
  destinations:
${destinations}
  destinationServiceAccounts:${accounts}
`;
}

function application(name: string, projectName: string, destination: string, path = 'guestbook'): string {
  return `---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: ${name}
  namespace: ${plane}
spec:
  project: ${projectName}
  source:
    repoURL: ${repository.url}
    targetRevision: HEAD
    path: ${path}
  destination:
${destination}
  syncPolicy: {automated: {}}
`;
}

const target = (namespace: string, server = inCluster): string => `    server: ${server}\n    namespace: ${namespace}`;
const permits = (...places: readonly string[]): string =>
  places.map((place) => `  - namespace: '${place}'\n    server: ${inCluster}`).join('\n');
const entries = (...pairs: readonly (readonly [namespace: string, account: string])[]): string =>
  pairs
    .map(([place, name]) => `\n  - namespace: '${place}'\n    server: ${inCluster}\n    defaultServiceAccount: ${name}`)
    .join('');

/** As whom Service and Deployment were written, all of it allowed. */
function writers(namespace: string): string[] {
  const writes = ['services', 'deployments']
    .flatMap((plural) => calls(stage, plural, namespace))
    .filter(({ verb }) => !['get', 'list', 'watch'].includes(verb));
  assert.ok(writes.length >= 2, 'Service and Deployment were written');
  assert.deepEqual(
    writes.filter(({ responseStatus }) => (responseStatus?.code ?? 0) >= 400),
    [],
  );
  return [...new Set(writes.map(asWhom))];
}

const user = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`;
const synced = (name: string): ReturnType<typeof untilApp> => untilApp(stage, plane, name, isSynced);

test('service account name generic-deployer will get used as the namespace guestbook matches the glob pattern *', async () => {
  await stage.apply(account('generic-deployer', 'p1-guestbook'));
  await stage.apply(project('my-project-1', permits('*'), entries(['*', 'generic-deployer'])));
  await stage.apply(application('guestbook-1', 'my-project-1', target('p1-guestbook')));
  await synced('guestbook-1');
  assert.deepEqual(writers('p1-guestbook'), [user('p1-guestbook', 'generic-deployer')]);
});

test('service account name guestbook-deployer will get used as it matches to the specific namespace guestbook', async () => {
  await stage.apply(account('guestbook-deployer', 'p1-specific'));
  await stage.apply(account('guestbook-ui-deployer', 'p1-specific-ui'));
  const accounts = entries(['p1-specific', 'guestbook-deployer'], ['p1-specific-ui', 'guestbook-ui-deployer']);
  await stage.apply(project('my-project-2', permits('p1-specific', 'p1-specific-ui'), accounts));
  await stage.apply(application('guestbook-2', 'my-project-2', target('p1-specific')));
  await stage.apply(application('guestbook-2-ui', 'my-project-2', target('p1-specific-ui')));
  for (const name of ['guestbook-2', 'guestbook-2-ui']) await synced(name);
  assert.deepEqual(writers('p1-specific'), [user('p1-specific', 'guestbook-deployer')]);
  assert.deepEqual(writers('p1-specific-ui'), [user('p1-specific-ui', 'guestbook-ui-deployer')]);
});

test('a remote cluster whose default service account argocd-manager has cluster-admin privileges', async () => {
  await stage.apply(manager('argocd-manager', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]));
  await stage.apply(await remoteCluster('argocd-manager'));
  await stage.apply(account('guestbook-deployer', 'p1-remote'));
  const permitted = `  - namespace: p1-remote\n    server: ${remote}`;
  const accounts = `\n  - namespace: p1-remote\n    server: ${remote}\n    defaultServiceAccount: guestbook-deployer`;
  await stage.apply(project('my-project-3', permitted, accounts));
  await stage.apply(application('guestbook-3', 'my-project-3', `    name: argocd-manager\n    namespace: p1-remote`));
  await synced('guestbook-3');
  assert.deepEqual(writers('p1-remote'), [user('p1-remote', 'guestbook-deployer')]);
  assert.deepEqual(through('p1-remote'), [user(plane, 'argocd-manager')]);
});

test('a remote cluster with a non default service account that may only impersonate and ask for its own access', async () => {
  const impersonate = { apiGroups: [''], resources: ['users', 'groups', 'serviceaccounts'], verbs: ['impersonate'] };
  const review = { apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectaccessreviews'], verbs: ['create'] };
  await stage.apply(manager('argocd-admin', [impersonate, review]));
  await stage.apply(await remoteCluster('argocd-admin'));
  await stage.apply(account('guestbook-deployer', 'p1-foreign'));
  const permitted = `  - namespace: p1-foreign\n    server: ${remote}`;
  const accounts = `\n  - namespace: p1-foreign\n    server: ${remote}\n    defaultServiceAccount: guestbook-deployer`;
  await stage.apply(project('my-project-4', permitted, accounts));
  await stage.apply(application('guestbook-4', 'my-project-4', `    name: argocd-admin\n    namespace: p1-foreign`));
  const app = await synced('guestbook-4');
  assert.deepEqual(writers('p1-foreign'), [user('p1-foreign', 'guestbook-deployer')]);
  assert.deepEqual(through('p1-foreign'), [user(plane, 'argocd-admin')]);
  // What the credential may not list is read object by object, as the account; nothing more than that is known.
  const reads = calls(stage, 'deployments', 'p1-foreign').filter(({ verb }) => verb === 'get');
  assert.deepEqual([...new Set(reads.map(asWhom))], [user('p1-foreign', 'guestbook-deployer')]);
  assert.deepEqual(
    conditionsOf(app),
    ['Deployment.apps', 'Service'].map(
      (kind) =>
        `UnreadableResourceWarning: the credential may not list ${kind} (403); what is no longer wanted of it cannot be found and pruned`,
    ),
  );
});

test('users can provide the namespace of the service account explicitly: mynamespace:guestbook-deployer', async () => {
  await stage.apply(account('guestbook-deployer', 'p1-mynamespace', ['p1-explicit']));
  await stage.apply(project('my-project-5', permits('*'), entries(['*', 'p1-mynamespace:guestbook-deployer'])));
  await stage.apply(application('guestbook-5', 'my-project-5', target('p1-explicit')));
  await synced('guestbook-5');
  assert.deepEqual(writers('p1-explicit'), [user('p1-mynamespace', 'guestbook-deployer')]);
});

test('if there are multiple matches, the first valid match in the list of destinationServiceAccounts would be used', async () => {
  const expected = [
    ['p1-myns', 'generic-deployer'],
    ['p1-guestbook-dev', 'guestbook-generic-deployer'],
    ['p1-guestbook-stage', 'guestbook-generic-deployer'],
    ['p1-guestbook-prod', 'guestbook-prod-deployer'],
  ] as const;
  const accounts = entries(
    ['p1-guestbook-prod', 'guestbook-prod-deployer'],
    ['p1-guestbook-*', 'guestbook-generic-deployer'],
    ['*', 'generic-deployer'],
  );
  await stage.apply(project('my-project-6', permits('*'), accounts));
  for (const [place, name] of expected) {
    await stage.apply(account(name, place));
    await stage.apply(application(`guestbook-6-${place}`, 'my-project-6', target(place)));
  }
  for (const [place, name] of expected) {
    await synced(`guestbook-6-${place}`);
    assert.deepEqual(writers(place), [user(place, name)]);
  }
});

test('hardcoded namespaces in the git repository do not change the service account: it is one per Application', async () => {
  await stage.apply(account('guestbook-deployer', 'p1-hard', ['p1-hard', 'p1-elsewhere']));
  const accounts = entries(['p1-elsewhere', 'nobody'], ['p1-hard', 'guestbook-deployer']);
  await stage.apply(project('my-project-7', permits('p1-hard', 'p1-elsewhere'), accounts));
  await stage.apply(application('guestbook-7', 'my-project-7', target('p1-hard'), 'hardcoded'));
  await synced('guestbook-7');
  for (const place of ['p1-hard', 'p1-elsewhere'])
    assert.deepEqual(writers(place), [user('p1-hard', 'guestbook-deployer')]);
});

test("since spec.destination.namespace is not specified, Application's namespace argocd is used for scoping the service account", async () => {
  await stage.apply(account('guestbook-deployer', plane, ['p1-both', 'p1-both-ui']));
  const accounts = entries(['p1-both', 'guestbook-deployer'], ['p1-both-ui', 'guestbook-ui-deployer']);
  await stage.apply(project('my-project-8', permits('p1-both', 'p1-both-ui'), accounts));
  await stage.apply(application('guestbook-8', 'my-project-8', `    server: ${inCluster}`, 'both'));
  await synced('guestbook-8');
  for (const place of ['p1-both', 'p1-both-ui']) assert.deepEqual(writers(place), [user(plane, 'guestbook-deployer')]);
});

test('if the matching service account is specified with a namespace, that one will be used for the sync operation', async () => {
  await stage.apply(account('guestbook-deployer', 'p1-named', ['p1-named', 'p1-named-ui']));
  repository.commit({ 'named/all.yaml': `${inNamespace('p1-named')}---${inNamespace('p1-named-ui')}` });
  const accounts = entries(['p1-named', 'p1-named:guestbook-deployer'], ['p1-named-ui', 'guestbook-ui-deployer']);
  await stage.apply(project('my-project-9', permits('p1-named', 'p1-named-ui'), accounts));
  await stage.apply(application('guestbook-9', 'my-project-9', `    server: ${inCluster}`, 'named'));
  await synced('guestbook-9');
  for (const place of ['p1-named', 'p1-named-ui'])
    assert.deepEqual(writers(place), [user('p1-named', 'guestbook-deployer')]);
});

test('a catch all service account is used when all other matches fail; without any entry it is the same one', async () => {
  const any = `  - server: '*'\n    namespace: '*'`;
  const accounts = entries(['p1-guestbook', 'guestbook-deployer'], ['p1-guestbook-dev', 'guestbook-dev-deployer']);
  const last = `\n  - server: '*'\n    namespace: '*'\n    defaultServiceAccount: default`;
  await stage.apply(project('my-project-10', any, accounts + last));
  await stage.apply(project('my-project-11', any, ' []'));
  for (const number of [10, 11]) {
    await stage.apply(account('default', `p1-default-${number}`));
    await stage.apply(application(`guestbook-${number}`, `my-project-${number}`, target(`p1-default-${number}`)));
    await synced(`guestbook-${number}`);
    assert.deepEqual(writers(`p1-default-${number}`), [user(`p1-default-${number}`, 'default')]);
  }
});

test('if the new property is used, but the feature flag is not enabled, a warning message is displayed', async () => {
  await stage.patch('ConfigMap', plane, 'argocd-cm', { data: { 'application.sync.impersonation.enabled': null } });
  const warned = await untilApp(stage, plane, 'guestbook-1', (app) => conditionsOf(app).length > 0);
  assert.deepEqual(conditionsOf(warned), [
    'PolicyWarning: destinationServiceAccounts have no effect: impersonation is off (application.sync.impersonation.enabled in argocd-cm)',
  ]);
  const before = calls(stage, 'services', 'p1-guestbook').length;
  await stage.patch('ConfigMap', plane, 'argocd-cm', { data: { 'application.sync.impersonation.enabled': 'true' } });
  await untilApp(stage, plane, 'guestbook-1', (app) => conditionsOf(app).length === 0);
  assert.equal(calls(stage, 'services', 'p1-guestbook').length, before, 'a warning changes nothing in the cluster');
});

/** With whose credential the requests of an Application reached the remote cluster. */
function through(namespace: string): string[] {
  return [...new Set(calls(stage, 'deployments', namespace).map((event) => event.user.username))];
}

/** A service account of the remote cluster with rights everywhere, and nothing else. */
function manager(name: string, rules: readonly object[]): string {
  return `---
apiVersion: v1
kind: ServiceAccount
metadata: {name: ${name}, namespace: ${plane}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: p1-${name}-role}
rules: ${JSON.stringify(rules)}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: p1-${name}-role-binding}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: p1-${name}-role}
subjects: [{kind: ServiceAccount, name: ${name}, namespace: ${plane}}]
`;
}

/** What `argocd cluster add` leaves behind. */
async function remoteCluster(name: string): Promise<string> {
  const { url, ca } = stage.cluster;
  return clusterSecret(`${plane}/${name}`, { url, ca, token: await tokenOf(stage, plane, name) }, {});
}
