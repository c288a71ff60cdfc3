import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { type Installed, openInstallation, type RunningProgram } from '../support/installed.ts';
import { until } from '../support/story.ts';
import { configMap } from '../support/tenant.ts';

const inCluster = 'https://kubernetes.default.svc';
const argosy = 'system:serviceaccount:argocd:argosy';
let place: Installed;
let repository: TestRepository;
let program: RunningProgram | undefined;

before(async () => {
  place = await openInstallation();
  repository = createTestRepository({ 'shop/one.yaml': configMap('one'), 'shop/two.yaml': configMap('two') });
});

afterEach(async () => {
  await program?.stop();
  program = undefined;
  await uninstall();
});

after(async () => {
  await place?.stop();
  repository?.remove();
});

/** Nothing of one installation may help the next. */
async function uninstall(): Promise<void> {
  for (const kind of ['clusterrole', 'clusterrolebinding']) {
    await place.kubectl('delete', kind, '-l', 'app.kubernetes.io/part-of=argocd');
  }
  const ours = ['namespace', 'argocd', 'team-a', 'a-shop', '--ignore-not-found', '--timeout=60s'];
  const apps = await place.kubectl(
    'get',
    'applications',
    '-A',
    '-o',
    'jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name} {end}',
  );
  for (const app of apps.split(' ').filter((each) => each !== '')) {
    const [namespace = '', name = ''] = app.split('/');
    const patch = '{"metadata":{"finalizers":null}}';
    await place.tryKubectl('patch', 'application', name, '-n', namespace, '--type=merge', '-p', patch);
  }
  await place.kubectl('delete', ...ours);
}

const everywhere = [
  '*.* list watch',
  'applications.argoproj.io get list watch patch',
  'events create patch',
  'secrets get list watch',
];
const inControlPlane = [
  'applications.argoproj.io get list watch patch',
  'appprojects.argoproj.io get list watch patch',
  'configmaps [argocd-cm] get list watch',
  'configmaps [argocd-cmd-params-cm] get list watch',
  'configmaps [argocd-gpg-keys-cm] get list watch',
  'configmaps [argocd-rbac-cm] get list watch',
  'configmaps [argocd-ssh-known-hosts-cm] get list watch',
  'configmaps [argocd-tls-certs-cm] get list watch',
  'events create patch',
  'secrets get list watch',
];
const impersonate = 'serviceaccounts impersonate';

test('cluster-wide: the account has exactly the promised rights, its pod is admitted as restricted', async () => {
  await place.install('deploy/base/cluster-wide');
  await haveRights('kube-system', [...everywhere, impersonate]);
  await haveRights('argocd', ['*.* list watch', ...inControlPlane, impersonate]);
  for (const [verb, what] of [
    ['get', 'pods/exec'],
    ['create', 'pods/exec'],
    ['get', 'nodes/proxy'],
    ['create', 'pods'],
    ['patch', 'configmaps'],
    ['delete', 'applications.argoproj.io'],
    ['create', 'appprojects.argoproj.io'],
    ['impersonate', 'users'],
    ['impersonate', 'groups'],
    ['escalate', 'clusterroles'],
    ['bind', 'clusterroles'],
  ] as const) {
    const { stdout } = await place.tryKubectl('auth', 'can-i', verb, what, '-n', 'argocd', `--as=${argosy}`);
    assert.equal(stdout.trim(), 'no', `${verb} ${what}`);
  }
  const image = await until(
    () => place.kubectl('get', 'pods', '-n', 'argocd', '-o', 'jsonpath={.items[0].spec.containers[0].image}'),
    (found) => found !== '',
  );
  assert.equal(image, 'argosy');
});

test('cluster-wide: a tenant is served end to end with nothing but those rights', async () => {
  await place.install('deploy/base/cluster-wide');
  await onboard();
  program = await place.run('argocd/argosy');
  await place.apply(application(repository.url));
  await untilSynced();
  assert.equal(
    await place.kubectl('get', 'configmap', 'one', '-n', 'a-shop', '-o', 'jsonpath={.data.greeting}'),
    'hello',
  );
  repository.commit({ 'shop/two.yaml': null });
  await until(
    () => place.tryKubectl('get', 'configmap', 'two', '-n', 'a-shop'),
    ({ stderr }) => stderr.includes('NotFound'),
  );
  repository.commit({ 'shop/two.yaml': configMap('two') });
  await untilSynced();
  await place.kubectl('delete', 'application', 'shop', '-n', 'team-a', '--timeout=60s');
  const left = await place.kubectl('get', 'configmaps', '-n', 'a-shop', '-o', 'name');
  assert.deepEqual(left.trim().split('\n'), ['configmap/kube-root-ca.crt']);
  assert.deepEqual(writersOf('a-shop'), ['system:serviceaccount:a-shop:deployer']);
  assert.deepEqual(refusals(), []);
  assert.match(await program.ask('/healthz'), /^200 ok/);
});

test('T-135 a tenant’s pod that reaches the port learns of health alone; metrics are for accounts that may read them', async () => {
  await place.install('deploy/base/cluster-wide');
  await onboard();
  program = await place.run('argocd/argosy');
  await place.apply(application(repository.url));
  await untilSynced();
  const tokenOf = async (name: string, namespace: string): Promise<string> =>
    (await place.kubectl('create', 'token', name, '-n', namespace)).trim();
  await place.kubectl('create', 'serviceaccount', 'prometheus', '-n', 'argocd');
  const [tenant, prometheus] = [await tokenOf('deployer', 'a-shop'), await tokenOf('prometheus', 'argocd')];
  const told: string[] = [];
  for (const path of ['/healthz', '/readyz', '/', '/metrics/', '/debug', '/metrics', '/metrics?x=1'])
    for (const token of [undefined, 'invented', tenant]) told.push(await program.ask(path, token));
  assert.deepEqual([...new Set(told.map((answer) => answer.slice(0, 3)))].sort(), ['200', '401', '403', '404']);
  assert.doesNotMatch(told.join('\n'), /team-a|a-shop|shop/);
  const granting = ['clusterrolebinding', 'metrics', '--clusterrole=argosy-metrics-reader'];
  await place.kubectl('create', ...granting, '--serviceaccount=argocd:prometheus');
  await place.kubectl('label', 'clusterrolebinding', 'metrics', 'app.kubernetes.io/part-of=argocd');
  const metrics = await until(
    () => program?.ask('/metrics', prometheus) ?? Promise.resolve(''),
    (answer) => answer.startsWith('200'),
  );
  assert.match(metrics, /argocd_app_info\{.*name="shop"/);
  assert.match(await program.ask('/metrics', tenant), /^403 /);
  assert.deepEqual(refusals(), []);
});

test('impersonate-narrow: only what a namespace granted can be impersonated; a sync says so, nothing is written', async () => {
  await place.install('deploy/overlays/impersonate-narrow');
  await haveRights('kube-system', everywhere);
  await onboard();
  await haveRights('a-shop', [...everywhere, 'serviceaccounts [deployer] impersonate']);
  program = await place.run('argocd/argosy');
  await place.apply(application(repository.url));
  await untilSynced();
  assert.deepEqual(refusals(), []);
  await place.kubectl('delete', 'rolebinding', 'argosy-impersonate', '-n', 'a-shop');
  await haveRights('a-shop', everywhere);
  seen = place.cluster.audit().length;
  repository.commit({ 'shop/three.yaml': configMap('three') });
  const said = await until(
    () => place.kubectl('get', 'application', 'shop', '-n', 'team-a', '-o', 'jsonpath={.status}'),
    (status) => /cannot impersonate/.test(status),
  );
  assert.match(said, /is forbidden: User \\"system:serviceaccount:argocd:argosy\\" cannot impersonate/);
  assert.deepEqual(writersOf('a-shop'), []);
});

test('compat: impersonation is off and the account may do everything itself', async () => {
  await place.install('deploy/overlays/compat');
  await haveRights('kube-system', ['*.* * list watch', ...everywhere.slice(1)]);
  await onboard();
  program = await place.run('argocd/argosy');
  await place.apply(application(repository.url));
  await untilSynced();
  assert.deepEqual(writersOf('a-shop'), [argosy]);
  assert.match(
    await place.kubectl('get', 'deployment', 'argosy', '-n', 'argocd', '-o', 'yaml'),
    /--metrics-auth=false/,
  );
});

test('namespaced: deploys to prepared destinations, with no right anywhere else', async () => {
  await place.kubectl('create', 'namespace', 'argocd');
  await place.kubectl('create', 'namespace', 'a-shop');
  await place.install('deploy/base/namespaced');
  await place.installInto('deploy/destination', 'a-shop');
  await haveRights('kube-system', []);
  await haveRights('argocd', inControlPlane);
  await haveRights('a-shop', ['*.* list watch', 'serviceaccounts [deployer] impersonate']);
  await allowFiles();
  const token = (await place.kubectl('create', 'token', 'argosy', '-n', 'argocd')).trim();
  await place.apply(here(token));
  await place.apply(project(place.cluster.url));
  seen = place.cluster.audit().length;
  program = await place.run('argocd/argosy');
  await place.apply(application(repository.url, { namespace: 'argocd', destination: 'name: here' }));
  await untilSynced('argocd');
  assert.deepEqual(writersOf('a-shop'), ['system:serviceaccount:a-shop:deployer']);
  // To notice new kinds early their definitions are asked for, which only a cluster-wide right opens; nothing else is.
  assert.deepEqual(
    refusals().filter((request) => !/(customresourcedefinitions|apiservices)\?/.test(request)),
    [],
  );
});

test('read-narrow: a tenant is served without the right to list everything, or Secrets of others', async () => {
  await place.install('deploy/overlays/read-narrow');
  await onboard('team-a');
  await place.installInto('deploy/applications-here', 'team-a');
  await until(
    () => place.rights(argosy, 'a-shop'),
    (rights) =>
      rights.includes('deployments.apps get list watch') && !rights.some((right) => /^(secrets|\*)/.test(right)),
  );
  program = await place.run('argocd/argosy');
  await place.apply(application(repository.url));
  await untilSynced();
  assert.deepEqual(writersOf('a-shop'), ['system:serviceaccount:a-shop:deployer']);
});

test('migrate: what Argo CD has in the namespace is left as it is', async () => {
  await place.kubectl('create', 'namespace', 'argocd');
  await place.kubectl('create', 'configmap', 'argocd-cm', '-n', 'argocd', '--from-literal=url=https://cd.example.com');
  await place.install('deploy/overlays/migrate');
  const kept = await place.kubectl('get', 'configmap', 'argocd-cm', '-n', 'argocd', '-o', 'jsonpath={.data}');
  assert.equal(kept, '{"url":"https://cd.example.com"}');
  assert.equal(await place.kubectl('get', 'appprojects', '-n', 'argocd', '-o', 'name'), '');
  await haveRights('kube-system', ['*.* * list watch', ...everywhere.slice(1)]);
});

test('people: view, edit and admin reach Applications of their namespace, and no project', async () => {
  await place.install('deploy/base/cluster-wide');
  await onboard();
  const may = async (who: string, verb: string, what: string): Promise<string> =>
    (await place.tryKubectl('auth', 'can-i', verb, what, '-n', 'team-a', `--as=${who}`)).stdout.trim();
  for (const role of ['view', 'edit', 'admin']) {
    await place.kubectl('create', 'rolebinding', role, '-n', 'team-a', `--clusterrole=${role}`, `--user=${role}er`);
  }
  await until(
    () => may('editer', 'create', 'applications.argoproj.io'),
    (answer) => answer === 'yes',
  );
  assert.equal(await may('viewer', 'watch', 'applications.argoproj.io'), 'yes');
  assert.equal(await may('viewer', 'create', 'applications.argoproj.io'), 'no');
  assert.equal(await may('adminer', 'delete', 'applications.argoproj.io'), 'yes');
  for (const who of ['viewer', 'editer', 'adminer'])
    assert.equal(await may(who, 'get', 'appprojects.argoproj.io'), 'no');
});

test('the default project permits nothing, not even to the control plane', async () => {
  await place.install('deploy/base/cluster-wide');
  await onboard();
  program = await place.run('argocd/argosy');
  const stray = application(repository.url)
    .replaceAll('team-a', 'argocd')
    .replace('project: argocd', 'project: default');
  await place.apply(stray);
  const said = await until(
    () => place.kubectl('get', 'application', 'shop', '-n', 'argocd', '-o', 'jsonpath={.status.conditions[*].message}'),
    (message) => message !== '',
  );
  assert.match(said, /not permitted in project 'default'/);
  assert.deepEqual(writersOf('a-shop'), []);
});

/** The cluster needs a moment until what was granted or taken away is in force. */
async function haveRights(namespace: string, expected: readonly string[]): Promise<void> {
  const wanted = [...expected].sort().join('\n');
  await until(
    () => place.rights(argosy, namespace),
    (rights) => rights.join('\n') === wanted,
    10_000,
  ).catch(async () => assert.deepEqual(await place.rights(argosy, namespace), [...expected].sort()));
}

/** What the guide for onboarding a tenant says. */
async function onboard(listed = 'team-*'): Promise<void> {
  await place.kubectl('create', 'namespace', 'team-a');
  await place.kubectl('create', 'namespace', 'a-shop');
  await place.installInto('deploy/tenant', 'a-shop');
  const names = JSON.stringify({ data: { 'application.namespaces': listed } });
  await place.kubectl('patch', 'configmap', 'argocd-cmd-params-cm', '-n', 'argocd', '--type=merge', '-p', names);
  await allowFiles();
  await place.apply(project());
  seen = place.cluster.audit().length;
}

/** The repository of these tests lies on the disk, which no installation permits by itself. */
async function allowFiles(): Promise<void> {
  const hosts = '{"data":{"source.allowedHosts":"file:"}}';
  await place.kubectl('patch', 'configmap', 'argocd-cm', '-n', 'argocd', '--type=merge', '-p', hosts);
}

let seen = 0;

/** As whom the objects of Applications were written in a namespace since the tenant came. */
function writersOf(namespace: string): string[] {
  const events = place.cluster.audit().slice(seen);
  const ours = events.filter(
    ({ user, verb, objectRef, responseStatus }) =>
      user.username === argosy &&
      (responseStatus?.code ?? 0) < 300 &&
      !['get', 'list', 'watch'].includes(verb) &&
      objectRef?.resource === 'configmaps' &&
      objectRef.namespace === namespace,
  );
  return [...new Set(ours.map(({ user, impersonatedUser }) => impersonatedUser?.username ?? user.username))];
}

/** Requests of the account that the cluster refused. */
function refusals(): string[] {
  const events = place.cluster.audit().slice(seen);
  const refused = events.filter(({ user, responseStatus }) => user.username === argosy && responseStatus?.code === 403);
  return refused.map(({ verb, requestURI }) => `${verb} ${requestURI}`);
}

async function untilSynced(namespace = 'team-a'): Promise<void> {
  const revision = repository.git('rev-parse', 'HEAD');
  await until(
    () =>
      place.kubectl(
        'get',
        'application',
        'shop',
        '-n',
        namespace,
        '-o',
        'jsonpath={.status.sync.status} {.status.sync.revision} {.status.operationState}',
      ),
    (status) => status.startsWith(`Synced ${revision}`),
    60_000,
  );
}

function project(server = inCluster): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: team-a, namespace: argocd}
spec:
  sourceRepos: ['*']
  sourceNamespaces: [team-a]
  destinations: [{server: '${server}', namespace: 'a-*'}]
  destinationServiceAccounts:
  - {server: '${server}', namespace: 'a-*', defaultServiceAccount: deployer}
`;
}

/** The cluster of a namespaced installation, described by the address, the account and the destinations. */
function here(token: string): string {
  const { ca, url } = place.cluster;
  const tlsClientConfig = { caData: Buffer.from(ca).toString('base64') };
  const config = JSON.stringify({ bearerToken: token, tlsClientConfig });
  return `
apiVersion: v1
kind: Secret
metadata: {name: here, namespace: argocd, labels: {argocd.argoproj.io/secret-type: cluster}}
stringData: {name: here, server: '${url}', namespaces: a-shop, config: '${config}'}
`;
}

function application(repoURL: string, where = { namespace: 'team-a', destination: `server: '${inCluster}'` }): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: ${where.namespace}, finalizers: [resources-finalizer.argocd.argoproj.io]}
spec:
  project: team-a
  source: {repoURL: '${repoURL}', path: shop, targetRevision: main}
  destination: {${where.destination}, namespace: a-shop}
  syncPolicy: {automated: {prune: true, selfHeal: true}}
`;
}
