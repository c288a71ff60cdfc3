/**
 * The examples and use cases of "Allow Application resources to exist in any namespace", as they stand there; the examples
 * show only what matters to them, so sources and destinations are added. Names of namespaces carry `p2-`, because several
 * stories share a cluster.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import {
  type AppView,
  appView,
  asWhom,
  calls,
  conditionsOf,
  type Hands,
  isOver,
  isSynced,
  openStage,
  personOf,
  type Stage,
  until,
  untilApp,
  writersIn,
} from '../support/story.ts';
import { configMap, deployer, namespaces, settings } from '../support/tenant.ts';

const plane = 'p2-argocd';
const teams = ['p2-foo-ns', 'p2-bar-ns', 'p2-other-ns', 'p2-foons', 'p2-barns', 'p2-dev', 'p2-onboard'];
const installation = { controlPlane: plane, appNamespaces: teams };
const account = 'system:serviceaccount:p2-shop:deployer';

let stage: Stage;
let repository: TestRepository;
let developer: Hands;
let controller: Awaited<ReturnType<Stage['start']>>;

before(async () => {
  stage = await openStage();
  repository = createTestRepository({
    ...Object.fromEntries(
      ['some-app', 'superuser-app', 'foons', 'barns', 'bare', 'mine', 'child', 'extra'].map((name) => [
        `${name}/map.yaml`,
        configMap(name),
      ]),
    ),
  });
  await stage.apply(namespaces(plane, 'p2-shop', ...teams));
  await stage.apply(deployer('p2-shop/deployer') + applications('p2-shop/deployer', ['p2-dev', 'p2-onboard', plane]));
  await stage.apply(deployer('p2-dev/developer') + applications('p2-dev/developer', ['p2-dev']));
  await stage.apply(settings(plane, { 'application.sync.impersonation.enabled': 'true' }));
  await stage.apply(project('some-project', ['p2-foo-ns', 'p2-bar-ns']) + project('default-project', undefined));
  developer = await personOf(stage, 'p2-dev', 'developer');
  controller = await stage.start(installation);
});

after(async () => {
  await developer?.connection.close();
  await stage?.stop();
  repository?.remove();
});

/** Lets an account write Applications in some namespaces. */
function applications(who: string, homes: readonly string[]): string {
  const [namespace = '', name = ''] = who.split('/');
  const grants = homes.map(
    (home) => `---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: applications-${name}, namespace: ${home}}
rules: [{apiGroups: [argoproj.io], resources: [applications], verbs: ['*']}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: applications-${name}, namespace: ${home}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: applications-${name}}
subjects: [{kind: ServiceAccount, name: ${name}, namespace: ${namespace}}]
`,
  );
  return grants.join('');
}

function project(name: string, from: readonly string[] | undefined, more = ''): string {
  return `---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata:
  name: ${name}
  namespace: ${plane}
spec:
  ${from === undefined ? '' : `sourceNamespaces: [${from.join(', ')}]`}
  sourceRepos: ['*']
  destinations:
  - {server: https://kubernetes.default.svc, namespace: p2-shop}
  - {server: https://kubernetes.default.svc, namespace: p2-dev}
  - {server: https://kubernetes.default.svc, namespace: p2-onboard}
  destinationServiceAccounts:
  - {server: '*', namespace: '*', defaultServiceAccount: 'p2-shop:deployer'}
  ${more}
`;
}

function application(home: string, name: string, of: string, path = name, to = 'p2-shop'): string {
  return `---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: ${name}
  namespace: ${home}
spec:
  project: ${of}
  source: {repoURL: '${repository.url}', path: ${path}, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: ${to}}
  syncPolicy: {automated: {prune: true}}
`;
}

const app = (home: string, name: string, good: (found: AppView | undefined) => boolean): Promise<AppView> =>
  untilApp(stage, home, name, good);
const told = (found: AppView | undefined): boolean => conditionsOf(found).length > 0;
const mark = async (name: string): Promise<string | undefined> =>
  (await stage.get('ConfigMap', 'p2-shop', name))?.metadata.annotations?.['argocd.argoproj.io/tracking-id'];
const notPermitted = (home: string, name: string, of: string): string =>
  `UnknownError: application '${name}' in namespace '${home}' is not permitted to use project '${of}'`;

test('the Application some-app would be allowed to associate to the AppProject some-project, other-app would be invalid', async () => {
  await stage.apply(application('p2-bar-ns', 'some-app', 'some-project'));
  await stage.apply(application('p2-other-ns', 'other-app', 'some-project', 'some-app'));
  await app('p2-bar-ns', 'some-app', isSynced);
  const invalid = await app('p2-other-ns', 'other-app', told);
  assert.deepEqual(conditionsOf(invalid), [notPermitted('p2-other-ns', 'other-app', 'some-project')]);
  assert.equal(await mark('some-app'), 'p2-bar-ns_some-app:/ConfigMap:p2-shop/some-app');
  assert.deepEqual(writersIn(stage, 'p2-shop'), [account]);
});

test("Applications created in the control-plane's namespace are allowed to associate with any project", async () => {
  await stage.apply(application(plane, 'superuser-app', 'some-project'));
  await app(plane, 'superuser-app', isSynced);
});

test("if no .spec.sourceNamespaces is set, a default of the control plane's namespace will be assumed", async () => {
  await stage.apply(application(plane, 'bare', 'default-project'));
  await stage.apply(application('p2-foo-ns', 'bare', 'default-project'));
  await app(plane, 'bare', isSynced);
  const refused = await app('p2-foo-ns', 'bare', told);
  assert.deepEqual(conditionsOf(refused), [notPermitted('p2-foo-ns', 'bare', 'default-project')]);
});

test('the name of the first application would become foons/some-app, of the second barns/some-app, in argocd still some-app', async () => {
  await stage.apply(project('names', ['p2-foons', 'p2-barns']));
  await stage.apply(application('p2-foons', 'some-app', 'names', 'foons'));
  await stage.apply(application('p2-barns', 'some-app', 'names', 'barns'));
  await stage.apply(application(plane, 'some-app', 'names', 'extra'));
  for (const home of ['p2-foons', 'p2-barns', plane]) await app(home, 'some-app', isSynced);
  assert.deepEqual(await Promise.all(['foons', 'barns', 'extra'].map(mark)), [
    'p2-foons_some-app:/ConfigMap:p2-shop/foons',
    'p2-barns_some-app:/ConfigMap:p2-shop/barns',
    'some-app:/ConfigMap:p2-shop/extra',
  ]);
});

test('use case 1: autonomous self-service of declarative configuration', async () => {
  await stage.apply(project('dev', ['p2-dev']));
  await developer.apply(application('p2-dev', 'mine', 'dev'));
  await app('p2-dev', 'mine', isSynced);
  await developer.patch('Application', 'p2-dev', 'mine', { spec: { project: 'some-project' } });
  const refused = await app('p2-dev', 'mine', told);
  assert.deepEqual(conditionsOf(refused), [notPermitted('p2-dev', 'mine', 'some-project')]);
  await assert.rejects(developer.apply(application(plane, 'sneaky', 'some-project', 'mine')), /cannot patch resource/);
  await developer.patch('Application', 'p2-dev', 'mine', { spec: { project: 'dev' } });
  await app('p2-dev', 'mine', isSynced);
  await developer.patch('Application', 'p2-dev', 'mine', {
    metadata: { finalizers: ['resources-finalizer.argocd.argoproj.io'] },
  });
  await developer.remove('Application', 'p2-dev', 'mine');
  await until(
    () => appView(stage, 'p2-dev', 'mine'),
    (found) => found === undefined,
  );
  assert.equal(await stage.get('ConfigMap', 'p2-shop', 'mine'), undefined);
});

test('use case 2: app-of-apps pattern for my own applications', async () => {
  repository.commit({
    'root/child.yaml': application('p2-dev', 'child', 'dev'),
    'climb/child.yaml': application(plane, 'climber', 'some-project', 'child'),
  });
  await developer.apply(application('p2-dev', 'root', 'dev', 'root', 'p2-dev'));
  await app('p2-dev', 'child', isSynced);
  const made = calls(stage, 'applications', 'p2-dev').filter(
    ({ objectRef, impersonatedUser }) => objectRef?.name === 'child' && impersonatedUser !== undefined,
  );
  assert.deepEqual([...new Set(made.map(asWhom))], [account]);
  await developer.apply(application('p2-dev', 'climb', 'dev', 'climb', 'p2-dev'));
  const refused = await app('p2-dev', 'climb', isOver);
  assert.match(refused.status?.operationState?.message ?? '', /p2-argocd is not permitted in project 'dev'/);
  assert.equal(await appView(stage, plane, 'climber'), undefined);
});

test('use case 3: easy onboarding of new applications and tenants', async () => {
  const kinds = 'namespaceResourceWhitelist: [{group: argoproj.io, kind: Application}]';
  await stage.apply(project('management', undefined, kinds) + project('tenant', ['p2-onboard']));
  repository.commit({ 'tenant/one.yaml': application('p2-onboard', 'one', 'tenant', 'child') });
  await stage.apply(application(plane, 'management', 'management', 'tenant', 'p2-onboard'));
  await app('p2-onboard', 'one', (found) => found?.status?.sync !== undefined && !told(found));
  // The tenant just commits: one more Application, and one that asks for a project of somebody else.
  repository.commit({
    'two/map.yaml': configMap('two'),
    'tenant/two.yaml': application('p2-onboard', 'two', 'tenant'),
    'tenant/three.yaml': application('p2-onboard', 'three', 'some-project', 'two'),
  });
  await app('p2-onboard', 'two', isSynced);
  const refused = await app('p2-onboard', 'three', told);
  assert.deepEqual(conditionsOf(refused), [notPermitted('p2-onboard', 'three', 'some-project')]);
  // Nothing but Applications goes through it.
  repository.commit({ 'tenant/map.yaml': configMap('smuggled') });
  const stopped = await app(plane, 'management', (found) => found?.status?.operationState?.phase === 'Failed');
  assert.match(
    stopped.status?.operationState?.message ?? '',
    /resource :ConfigMap is not permitted in project management/,
  );
  assert.equal(await stage.get('ConfigMap', 'p2-onboard', 'smuggled'), undefined);
});

test('an optional quota on the number of Application resources allowed to associate with an AppProject', async () => {
  await stage.apply(project('small', ['p2-foo-ns'], 'quota: {applications: 1}'));
  await stage.apply(application('p2-foo-ns', 'first', 'small', 'some-app'));
  await app('p2-foo-ns', 'first', (found) => found?.status?.sync !== undefined);
  await stage.apply(application('p2-foo-ns', 'second', 'small', 'some-app'));
  const text = "InvalidSpecError: project 'small' has a quota of 1 applications, which older Applications use up";
  await app('p2-foo-ns', 'second', (found) => conditionsOf(found).includes(text));
  await stage.remove('Application', 'p2-foo-ns', 'first');
  await app('p2-foo-ns', 'second', (found) => !conditionsOf(found).includes(text));
});

test('these applications would be simply ignored in a downgrade scenario, and effectively become unmanaged', async () => {
  await controller.stop();
  const old = await stage.start({ controlPlane: plane });
  const before = await appView(stage, 'p2-bar-ns', 'some-app');
  repository.commit({
    'some-app/map.yaml': configMap('some-app', '', 'changed'),
    'superuser-app/map.yaml': configMap('superuser-app', '', 'changed'),
  });
  const head = repository.git('rev-parse', 'HEAD');
  await app(plane, 'superuser-app', (found) => isSynced(found) && found?.status?.sync?.revision === head);
  assert.deepEqual(await appView(stage, 'p2-bar-ns', 'some-app'), before);
  assert.match(JSON.stringify(await stage.get('ConfigMap', 'p2-shop', 'some-app')), /hello/);
  await old.stop();
});
