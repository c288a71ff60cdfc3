/**
 * The examples and use cases of "Clusters in any namespace", as they stand there. What had to be mended: values stand
 * under `stringData`, namespaces are lower-case, each Secret has a name and a credential, and the project lists the
 * namespaces of the Secrets, as the text itself demands. Names carry `p4-`, because several stories share a cluster.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import {
  type AppView,
  conditionsOf,
  eventsAbout,
  type Hands,
  isSynced,
  openStage,
  personOf,
  type Stage,
  tokenOf,
  until,
  untilApp,
  writersIn,
} from '../support/story.ts';
import { clusterSecret, configMap, deployer, namespaces, settings, type Way } from '../support/tenant.ts';
import { testCluster } from '../support/test-cluster.ts';

const plane = 'p4-argocd';
const tenants = ['p4-user-tenant', 'p4-user-tenant-a', 'p4-user-tenant-b'] as const;
type Tenant = (typeof tenants)[number];

let stage: Stage;
let repository: TestRepository;
const people = new Map<Tenant, Hands>();
const ways = new Map<Tenant, Way>();
const places = ['p4-alone', 'p4-dev', 'p4-stage', 'p4-prod'];

before(async () => {
  stage = await openStage();
  repository = createTestRepository({
    'shop/map.yaml': configMap('shop'),
    'from-a/map.yaml': configMap('from-a'),
    'from-b/map.yaml': configMap('from-b'),
  });
  await stage.apply(namespaces(plane, ...tenants, ...places));
  await stage.apply(deployer('p4-user-tenant/me', ['p4-alone']));
  await stage.apply(deployer('p4-user-tenant-a/me', ['p4-dev', 'p4-stage']));
  await stage.apply(deployer('p4-user-tenant-b/me', ['p4-stage', 'p4-prod']));
  for (const tenant of tenants) {
    await stage.apply(selfService(tenant));
    people.set(tenant, await personOf(stage, tenant, 'me'));
    const { url, ca } = stage.cluster;
    ways.set(tenant, { url, ca, token: await tokenOf(stage, tenant, 'me') });
  }
  await stage.apply(
    settings(plane, { 'application.sync.impersonation.enabled': 'true', 'cluster.tenant.allowedHosts': '127.0.0.1:*' }),
  );
  await stage.apply(sample);
  await stage.start({ controlPlane: plane, appNamespaces: ['p4-user-tenant*'] });
});

after(async () => {
  for (const person of people.values()) await person.connection.close();
  await stage?.stop();
  repository?.remove();
});

const sample = `---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata:
  name: sample
  namespace: ${plane}           # Project managed by an argocd admin
spec:
  sourceRepos: ['*']
  sourceNamespaces: [${tenants.join(', ')}]
  permitOnlyProjectScopedClusters: true # Restricts apps to only use clusters that are part of this project.
`;

/** What a tenant may do in its own namespace, and nowhere else. */
function selfService(tenant: Tenant): string {
  return `---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: self-service, namespace: ${tenant}}
rules:
- {apiGroups: [argoproj.io], resources: [applications], verbs: ['*']}
- {apiGroups: [''], resources: [secrets], verbs: ['*']}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: self-service, namespace: ${tenant}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: self-service}
subjects: [{kind: ServiceAccount, name: me, namespace: ${tenant}}]
`;
}

function person(tenant: Tenant): Hands {
  const found = people.get(tenant);
  assert.ok(found);
  return found;
}

function wayOf(tenant: Tenant): Way {
  const found = ways.get(tenant);
  assert.ok(found);
  return found;
}

function application(tenant: Tenant, name: string, destination: string, path = 'shop'): string {
  return `---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: ${tenant}}
spec:
  project: sample
  source: {repoURL: '${repository.url}', path: ${path}, targetRevision: main}
  destination: {${destination}}
  syncPolicy: {automated: {}}
`;
}

const app = (tenant: Tenant, name: string, good: (found: AppView | undefined) => boolean): Promise<AppView> =>
  untilApp(stage, tenant, name, good);
const told = (found: AppView | undefined): boolean => conditionsOf(found).length > 0;
const user = (tenant: Tenant): string => `system:serviceaccount:${tenant}:me`;

test('as a user, I declaratively manage cluster secrets in my tenant namespace without admin intervention', async () => {
  const tenant = 'p4-user-tenant';
  await person(tenant).apply(clusterSecret(`${tenant}/test`, wayOf(tenant), { project: 'sample' }));
  await person(tenant).apply(application(tenant, 'shop', 'name: test, namespace: p4-alone'));
  await app(tenant, 'shop', isSynced);
  assert.deepEqual(writersIn(stage, 'p4-alone'), [user(tenant)]);
});

test('tenants manage cluster secrets without access to the control plane namespace, and the admin still sets the rules', async () => {
  const tenant = 'p4-user-tenant';
  const secret = clusterSecret(`${plane}/mine`, wayOf(tenant), { project: 'sample' });
  await assert.rejects(person(tenant).apply(secret), /cannot patch resource "secrets" .* in the namespace "p4-argocd"/);
  await assert.rejects(person(tenant).apply(sample), /cannot patch resource "appprojects"/);
});

test('tenants A and B deploy to different namespaces of one target cluster, each with the credentials of its secret', async () => {
  const shares = { 'p4-user-tenant-a': 'p4-dev, p4-stage', 'p4-user-tenant-b': 'p4-stage, p4-prod' } as const;
  for (const [tenant, list] of Object.entries(shares) as [Tenant, string][])
    await person(tenant).apply(clusterSecret(`${tenant}/test`, wayOf(tenant), { project: 'sample', namespaces: list }));
  const server = `server: '${stage.cluster.url}'`;
  await person('p4-user-tenant-a').apply(
    application('p4-user-tenant-a', 'dev', `${server}, namespace: p4-dev`) +
      application('p4-user-tenant-a', 'stage', `${server}, namespace: p4-stage`, 'from-a'),
  );
  await person('p4-user-tenant-b').apply(
    application('p4-user-tenant-b', 'prod', `${server}, namespace: p4-prod`) +
      application('p4-user-tenant-b', 'stage', `${server}, namespace: p4-stage`, 'from-b'),
  );
  for (const name of ['dev', 'stage']) await app('p4-user-tenant-a', name, isSynced);
  for (const name of ['prod', 'stage']) await app('p4-user-tenant-b', name, isSynced);
  assert.deepEqual(writersIn(stage, 'p4-dev'), [user('p4-user-tenant-a')]);
  assert.deepEqual(writersIn(stage, 'p4-prod'), [user('p4-user-tenant-b')]);
  assert.deepEqual(writersIn(stage, 'p4-stage'), [user('p4-user-tenant-a'), user('p4-user-tenant-b')]);
});

test('a user who targets a namespace that the secret does not have is refused', async () => {
  const tenant = 'p4-user-tenant-a';
  await person(tenant).apply(application(tenant, 'greedy', 'name: test, namespace: p4-prod'));
  assert.deepEqual(conditionsOf(await app(tenant, 'greedy', told)), [
    "InvalidSpecError: application destination server 'test' and namespace 'p4-prod' do not match any of the allowed destinations in project 'sample'",
  ]);
});

test('tenants cannot use cluster secrets that are created in a different namespace', async () => {
  const tenant = 'p4-user-tenant-b';
  await person('p4-user-tenant-a').apply(
    clusterSecret('p4-user-tenant-a/only-a', wayOf('p4-user-tenant-a'), { project: 'sample', name: 'only-a' }),
  );
  await person(tenant).apply(application(tenant, 'thief', 'name: only-a, namespace: p4-dev'));
  assert.deepEqual(conditionsOf(await app(tenant, 'thief', told)), [
    'InvalidSpecError: there are no clusters with this name: only-a',
  ]);
  await person('p4-user-tenant-a').remove('Secret', 'p4-user-tenant-a', 'only-a');
});

test('cluster secrets in any namespace point to different remote clusters', async () => {
  const tenant = 'p4-user-tenant';
  const other = await openStage({ cluster: await testCluster('embedded') });
  try {
    const { url, ca, adminToken: token } = other.cluster;
    await other.apply(namespaces('p4-far'));
    await person(tenant).apply(clusterSecret(`${tenant}/far`, { url, ca, token }, { project: 'sample' }));
    await person(tenant).apply(application(tenant, 'far', `server: '${url}', namespace: p4-far`));
    await app(tenant, 'far', isSynced);
    assert.notEqual(await other.get('ConfigMap', 'p4-far', 'shop'), undefined);
    assert.equal(await stage.get('ConfigMap', 'p4-far', 'shop').catch(() => undefined), undefined);
    await person(tenant).remove('Application', tenant, 'far');
    await person(tenant).remove('Secret', tenant, 'far');
  } finally {
    await other.stop();
  }
});

test('cluster secrets in any namespace point to the same remote cluster and with the same configuration', async () => {
  const same = wayOf('p4-user-tenant-a');
  const shared = { project: 'sample', name: 'same', namespaces: 'p4-stage' };
  for (const tenant of ['p4-user-tenant-a', 'p4-user-tenant-b'] as const) {
    await person(tenant).apply(clusterSecret(`${tenant}/same`, same, shared));
    const path = tenant.replace('p4-user-tenant', 'from');
    await person(tenant).apply(application(tenant, 'same', 'name: same, namespace: p4-stage', path));
  }
  for (const tenant of ['p4-user-tenant-a', 'p4-user-tenant-b'] as const) {
    const { status } = await app(tenant, 'same', (found) => found?.status?.resources !== undefined);
    assert.equal(status?.resources?.length, 1);
  }
});

const config = (more: object): string => JSON.stringify({ bearerToken: 't', ...more });
const rejected: readonly (readonly [what: string, data: Readonly<Record<string, string>>, text: RegExp])[] = [
  ['not scoped', { project: '' }, /project is required: a cluster Secret outside the control-plane namespace/],
  ['scoped to a project that does not have its namespace', { project: 'closed' }, /closed/],
  ['scoped to a project that does not exist', { project: 'nowhere' }, /nowhere/],
  ['a program', { config: config({ execProviderConfig: { command: 'sh' } }) }, /execProviderConfig/],
  ['a cloud identity', { config: config({ awsAuthConfig: { clusterName: 'x' } }) }, /awsAuthConfig/],
  [
    'the in-cluster address',
    { server: 'https://kubernetes.default.svc' },
    /server is the address of the local cluster, which no tenant may register/,
  ],
  ['no credential', { config: '{}' }, /credential/],
  ['a proxy', { config: config({ proxyUrl: 'http://127.0.0.1:1' }) }, /proxyUrl/],
  ['no check of the certificate', { config: config({ tlsClientConfig: { insecure: true } }) }, /insecure/],
];

test('Argo CD rejects the cluster if it is not scoped, scoped elsewhere, or asks for more than a tenant may', async () => {
  const tenant = 'p4-user-tenant';
  await stage.apply(sample.replace('name: sample', 'name: closed').replace(`[${tenants.join(', ')}]`, '[]'));
  for (const [number, [, data]] of rejected.entries()) {
    const name = `reject-${number}`;
    await person(tenant).apply(clusterSecret(`${tenant}/${name}`, wayOf(tenant), { project: 'sample', ...data }));
    await person(tenant).apply(application(tenant, name, `name: ${name}, namespace: p4-alone`));
  }
  for (const [number, [what, , text]] of rejected.entries()) {
    const name = `reject-${number}`;
    const events = await until(
      () => eventsAbout(stage, tenant, name),
      (found) => found.some((event) => event.startsWith('Warning ClusterRejected: ')),
    );
    assert.match(events.find((event) => event.startsWith('Warning ClusterRejected: ')) ?? '', text, what);
    // Why stands on the Secret; the Application reads as if it were not there.
    assert.deepEqual(
      conditionsOf(await app(tenant, name, told)),
      [`InvalidSpecError: there are no clusters with this name: ${name}`],
      what,
    );
  }
});

test('if a user tries to use a cluster that is not allowed by the scoped project, Argo CD will throw an error', async () => {
  const tenant = 'p4-user-tenant';
  await stage.apply(`${sample}  destinations: [{server: 'https://prod.example.com', namespace: '*'}]\n`);
  const text =
    "InvalidSpecError: application destination server 'test' and namespace 'p4-alone' do not match any of the allowed destinations in project 'sample'";
  await app(tenant, 'shop', (found) => conditionsOf(found).includes(text));
  assert.notEqual(await stage.get('ConfigMap', 'p4-alone', 'shop'), undefined);
  await stage.patch('AppProject', plane, 'sample', { spec: { destinations: null } });
  await app(tenant, 'shop', (found) => isSynced(found) && !conditionsOf(found).includes(text));
});
