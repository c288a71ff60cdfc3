import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { type AppView, appView, openStage, type Stage, tokenOf, until } from '../support/story.ts';
import { configMap } from '../support/tenant.ts';

const tenants = ['red', 'gold'] as const;
type Tenant = (typeof tenants)[number];

let stage: Stage;
let repository: TestRepository;
const tokens = new Map<Tenant, string>();

before(async () => {
  stage = await openStage();
  repository = createTestRepository({
    'shop/map.yaml': configMap('shop'),
    'shop/keep.yaml': configMap('keep'),
    'other/map.yaml': configMap('other'),
  });
  const child = application('red', 'from-root', 'red-prod').replace('path: shop', 'path: other');
  repository.commit({ 'roots/red/shop.yaml': child });
  await stage.apply(platform());
  for (const tenant of tenants) tokens.set(tenant, await tokenOf(stage, `${tenant}-prod`, 'deployer'));
  await stage.start({ controlPlane: 'ten-argocd', appNamespaces: ['ten-*'] });
  for (const tenant of tenants) await stage.apply(clusterSecret(tenant));
});

after(async () => {
  await stage?.stop();
  repository?.remove();
});

const view = (tenant: Tenant, name: string): Promise<AppView | undefined> => appView(stage, `ten-${tenant}`, name);
const synced = (app: AppView | undefined): boolean => app?.status?.sync?.status === 'Synced';
const condition = (app: AppView | undefined): string | undefined => app?.status?.conditions?.[0]?.message;
const writers = (namespace: string): string[] => [
  ...new Set(
    stage
      .writes('configmaps', namespace)
      .filter(({ userAgent }) => userAgent?.startsWith('argosy/'))
      .map(({ impersonatedUser, user }) => impersonatedUser?.username ?? user.username),
  ),
];

test('two tenants bring a Secret each for one address, and each write carries the credential of its own', async () => {
  for (const tenant of tenants) await stage.apply(application(tenant, 'shop', `${tenant}-prod`));
  for (const tenant of tenants) await until(() => view(tenant, 'shop'), synced);
  for (const tenant of tenants)
    assert.deepEqual(writers(`${tenant}-prod`), [`system:serviceaccount:${tenant}-prod:deployer`]);
});

test("another tenant's cluster reads as if it were not there", async () => {
  await stage.apply(application('red', 'thief', 'gold-prod', 'gold-cluster'));
  const app = await until(
    () => view('red', 'thief'),
    (found) => condition(found) !== undefined,
  );
  await stage.apply(application('red', 'nowhere', 'gold-prod', 'no-such-cluster'));
  const absent = await until(
    () => view('red', 'nowhere'),
    (found) => condition(found) !== undefined,
  );
  assert.equal(condition(app)?.replaceAll('gold-cluster', 'X'), condition(absent)?.replaceAll('no-such-cluster', 'X'));
  assert.equal(app?.status?.sync?.status, 'Unknown');
});

test('a namespace beyond the project is refused with the sentence of Argo CD', async () => {
  await stage.apply(application('red', 'greedy', 'gold-prod'));
  const app = await until(
    () => view('red', 'greedy'),
    (found) => condition(found) !== undefined,
  );
  assert.equal(
    condition(app),
    "application destination server 'red-cluster' and namespace 'gold-prod' do not match any of the allowed destinations in project 'ten-red'",
  );
});

test('an Application of a project that does not list its namespace is refused', async () => {
  await stage.apply(application('red', 'stranger', 'red-prod', 'red-cluster', 'ten-gold'));
  const app = await until(
    () => view('red', 'stranger'),
    (found) => condition(found) !== undefined,
  );
  assert.deepEqual(
    app?.status?.conditions?.map(({ type, message }) => `${type}: ${message}`),
    ["UnknownError: application 'stranger' in namespace 'ten-red' is not permitted to use project 'ten-gold'"],
  );
});

test('a Secret that asks for more than a tenant may gets a Warning Event that names the key, and is never used', async () => {
  const secret = clusterSecret('red')
    .replace('name: cluster', 'name: sly')
    .replace('red-cluster', 'sly-cluster')
    .replace('"bearerToken"', '"execProviderConfig":{"command":"/bin/sh"},"bearerToken"');
  await stage.apply(secret);
  const event = await until(
    async () =>
      (await stage.list('Event', 'ten-red')).find(
        (each) => (each['involvedObject'] as { name?: string } | undefined)?.name === 'sly',
      ),
    (found) => found !== undefined,
  );
  assert.equal(event?.['type'], 'Warning');
  assert.match(String(event?.['message']), /execProviderConfig/);
});

test('app-of-apps: a root Application makes others in the tenant’s own namespace, as the account its project names', async () => {
  await stage.apply(`
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: root, namespace: ten-red}
spec:
  project: ten-red
  source: {repoURL: '${repository.url}', path: roots/red, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: ten-red}
  syncPolicy: {automated: {}}
`);
  await until(() => view('red', 'from-root'), synced);
  const made = stage
    .writes('applications', 'ten-red')
    .filter(({ objectRef, impersonatedUser }) => objectRef?.name === 'from-root' && impersonatedUser !== undefined);
  assert.deepEqual(
    [...new Set(made.map(({ impersonatedUser }) => impersonatedUser?.username))],
    ['system:serviceaccount:ten-red:deployer'],
  );
});

test('a namespace that is not listed is not looked at', async () => {
  await stage.apply(application('red', 'outside', 'red-prod').replaceAll('namespace: ten-red', 'namespace: outside'));
  await sleep(700);
  assert.equal((await appView(stage, 'outside', 'outside'))?.status, undefined);
});

test('a project that stops listing the namespace stops its Applications at once, and leaves their objects', async () => {
  await stage.patch('AppProject', 'ten-argocd', 'ten-gold', { spec: { sourceNamespaces: [] } });
  await until(
    () => view('gold', 'shop'),
    (app) => condition(app) !== undefined,
  );
  repository.commit({ 'shop/map.yaml': null });
  await until(
    () => stage.get('ConfigMap', 'red-prod', 'shop'),
    (object) => object === undefined,
  );
  assert.notEqual(await stage.get('ConfigMap', 'gold-prod', 'shop'), undefined);
});

function clusterSecret(tenant: Tenant): string {
  const { url, ca } = stage.cluster;
  const config = JSON.stringify({
    bearerToken: tokens.get(tenant),
    tlsClientConfig: { caData: Buffer.from(ca).toString('base64') },
  });
  return `
apiVersion: v1
kind: Secret
metadata: {name: cluster, namespace: ten-${tenant}, labels: {argocd.argoproj.io/secret-type: cluster}}
stringData: {name: ${tenant}-cluster, server: '${url}', project: ten-${tenant}, namespaces: ${tenant}-prod, config: '${config}'}
`;
}

function application(
  tenant: Tenant,
  name: string,
  namespace: string,
  cluster = `${tenant}-cluster`,
  project = `ten-${tenant}`,
): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: ten-${tenant}}
spec:
  project: ${project}
  source: {repoURL: '${repository.url}', path: shop, targetRevision: main}
  destination: {name: ${cluster}, namespace: ${namespace}}
  syncPolicy: {automated: {prune: true, allowEmpty: true}}
`;
}

function platform(): string {
  const { host } = new URL(stage.cluster.url);
  const parts = tenants.map(
    (tenant) => `---
apiVersion: v1
kind: Namespace
metadata: {name: ten-${tenant}}
---
apiVersion: v1
kind: Namespace
metadata: {name: ${tenant}-prod}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: deployer, namespace: ${tenant}-prod}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: deployer, namespace: ${tenant}-prod}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}
subjects: [{kind: ServiceAccount, name: deployer, namespace: ${tenant}-prod}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: deployer, namespace: ten-${tenant}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: applications, namespace: ten-${tenant}}
rules: [{apiGroups: [argoproj.io], resources: [applications], verbs: [get, list, create, patch, update, delete]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: applications, namespace: ten-${tenant}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: applications}
subjects: [{kind: ServiceAccount, name: deployer, namespace: ten-${tenant}}]
---
apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: ten-${tenant}, namespace: ten-argocd}
spec:
  sourceRepos: ['*']
  sourceNamespaces: [ten-${tenant}]
  destinations:
  - {server: https://kubernetes.default.svc, namespace: ten-${tenant}}
  - {name: ${tenant}-cluster, namespace: ${tenant}-prod}
  destinationServiceAccounts:
  - {server: https://kubernetes.default.svc, namespace: ten-${tenant}, defaultServiceAccount: deployer}
`,
  );
  return `
apiVersion: v1
kind: Namespace
metadata: {name: ten-argocd}
---
apiVersion: v1
kind: Namespace
metadata: {name: outside}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: ten-argocd, labels: {app.kubernetes.io/part-of: argocd}}
data: {application.sync.impersonation.enabled: "true", source.allowedHosts: "file:", cluster.tenant.allowedHosts: "${host}"}
${parts.join('')}`;
}
