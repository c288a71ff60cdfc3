import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterSecret, Given, printIdentity, project, settings } from './given.ts';
import { app, blue, byUrl, given, notFound, other, sample, token } from './two-tenants.ts';

// Who uses which tenant’s cluster, and as whom.

test('J9 a tenant’s Application uses its own Secret', () => {
  const { cluster } = given(sample + blue('tenant-a') + app('tenant-a', byUrl)).admitted('tenant-a/shop');
  assert.deepEqual([cluster.namespace, cluster.secret, cluster.tenant], ['tenant-a', 'blue', true]);
});

test('J10 another tenant’s Secret does not exist, by address or by name', () => {
  const yaml = sample + blue('tenant-a');
  assert.equal(given(yaml + app('tenant-b', byUrl)).refusal('tenant-b/shop'), notFound);
  assert.equal(
    given(yaml + app('tenant-b', 'name: blue, namespace: dev')).refusal('tenant-b/shop'),
    'InvalidSpecError: there are no clusters with this name: blue',
  );
});

test('J11 nor for another project of the same namespace', () => {
  assert.equal(
    given(sample + other + blue('tenant-a') + app('tenant-a', byUrl, 'other')).refusal('tenant-a/shop'),
    notFound,
  );
});

test('J12 nor for an Application of the control plane', () => {
  assert.equal(given(sample + blue('tenant-a') + app('argocd', byUrl)).refusal('shop'), notFound);
});

const refused = (server: string, namespace: string): string =>
  `InvalidSpecError: application destination server '${server}' and namespace '${namespace}' do not match any of the allowed destinations in project 'sample'`;

test('J13 a cluster the destinations do not name is refused on use', () => {
  const red = clusterSecret('red', 'tenant-a', `name: red\nserver: https://red.example.com\nproject: sample\n${token}`);
  const all = given(sample + red + app('tenant-a', 'name: red, namespace: dev'));
  assert.equal(all.acceptance('tenant-a/red'), 'accepted');
  assert.equal(all.refusal('tenant-a/shop'), refused('red', 'dev'));
});

test('J14 a namespace the destinations do not name is refused on use', () => {
  const all = given(sample + blue('tenant-a') + app('tenant-a', 'name: blue, namespace: kube-system'));
  assert.equal(all.refusal('tenant-a/shop'), refused('blue', 'kube-system'));
});

const bare = project(
  'sample',
  "sourceRepos: ['*']\nsourceNamespaces: [tenant-a, tenant-b]\npermitOnlyProjectScopedClusters: true",
);

test('J15 a project that declares none and asks for scoped clusters has them as destinations', () => {
  const yaml = bare + blue('tenant-a', 'namespaces: dev, stage\n');
  assert.ok(given(yaml + app('tenant-a', byUrl)).admitted('tenant-a/shop').ok);
  assert.equal(
    given(yaml + app('tenant-a', 'name: blue, namespace: prod')).refusal('tenant-a/shop'),
    refused('blue', 'prod'),
  );
});

test('J15 the namespaces of one Secret serve nobody else', () => {
  const yaml = bare + blue('tenant-a', 'namespaces: dev, stage\n') + blue('tenant-b', 'namespaces: stage, prod\n');
  assert.equal(
    given(yaml + app('tenant-a', 'name: blue, namespace: prod')).refusal('tenant-a/shop'),
    refused('blue', 'prod'),
  );
  assert.ok(given(yaml + app('tenant-b', 'name: blue, namespace: prod')).admitted('tenant-b/shop').ok);
});

test('J15 without permitOnlyProjectScopedClusters every use is refused', () => {
  const yaml =
    bare.replace('permitOnlyProjectScopedClusters: true', 'permitOnlyProjectScopedClusters: false') + blue('tenant-a');
  assert.equal(
    given(yaml + app('tenant-a', byUrl)).refusal('tenant-a/shop'),
    refused('https://blue.example.com:6443', 'dev'),
  );
});

test('J15 an inherited destination counts as declared', () => {
  const globals = settings('globalProjects: |\n  - {projectName: global, labelSelector: {}}');
  const yaml =
    globals + project('global', 'destinations: [{server: https://elsewhere, namespace: x}]') + bare + blue('tenant-a');
  assert.equal(
    given(yaml + app('tenant-a', byUrl)).refusal('tenant-a/shop'),
    refused('https://blue.example.com:6443', 'dev'),
  );
});

test('J16 two tenants with one address each use their own credential', () => {
  const yaml = sample + blue('tenant-a', 'namespaces: dev, stage\n') + blue('tenant-b', 'namespaces: stage, prod\n');
  const all = given(
    yaml + app('tenant-a', 'name: blue, namespace: dev') + app('tenant-b', 'name: blue, namespace: prod'),
  );
  assert.equal(all.admitted('tenant-a/shop').cluster.namespace, 'tenant-a');
  assert.equal(all.admitted('tenant-b/shop').cluster.namespace, 'tenant-b');
  assert.equal(
    all.object('tenant-a/shop', { kind: 'ConfigMap', namespace: 'prod' }),
    'namespace "prod" for ConfigMap "x" is not managed',
  );
});

test('J17 equal configuration in two namespaces stays two clusters', () => {
  const all = given(sample + blue('tenant-a') + blue('tenant-b') + app('tenant-a', byUrl) + app('tenant-b', byUrl));
  assert.notEqual(all.admitted('tenant-a/shop').cluster, all.admitted('tenant-b/shop').cluster);
});

test('J18 distinct addresses work side by side', () => {
  const rules = sample.replace(
    'destinations:',
    "destinations:\n  - {server: 'https://red.example.com', namespace: dev}",
  );
  const red = clusterSecret('red', 'tenant-b', `name: red\nserver: https://red.example.com\nproject: sample\n${token}`);
  const all = given(
    rules + blue('tenant-a') + red + app('tenant-a', byUrl) + app('tenant-b', 'name: red, namespace: dev'),
  );
  assert.equal(all.admitted('tenant-a/shop').cluster.secret, 'blue');
  assert.equal(all.admitted('tenant-b/shop').cluster.secret, 'red');
});

test('J19 a deleted Secret takes the cluster from its own tenant only', () => {
  const yaml = sample + blue('tenant-b') + app('tenant-a', byUrl) + app('tenant-b', byUrl);
  assert.equal(given(yaml).refusal('tenant-a/shop'), notFound);
  assert.ok(given(yaml).admitted('tenant-b/shop').ok);
});

test('J20 and the Applications lose the cluster', () => {
  const moved = blue('tenant-a').replace('project: sample', 'project: strong');
  assert.equal(
    given(sample + project('strong', 'sourceNamespaces: [argo]') + moved + app('tenant-a', byUrl)).refusal(
      'tenant-a/shop',
    ),
    notFound,
  );
});

test('J28 an admin’s Application keeps the admin’s credential', () => {
  const rules = sample
    .replace('sourceNamespaces', 'x-unused')
    .replace('permitOnlyProjectScopedClusters: true', 'sourceNamespaces: [tenant-a]');
  const all = given(
    rules +
      blue('argocd') +
      blue('tenant-a') +
      app('argocd', byUrl) +
      app('argocd', 'name: blue, namespace: dev', 'sample', 'named'),
  );
  assert.equal(all.admitted('shop').cluster.namespace, 'argocd');
  assert.equal(all.admitted('named').cluster.namespace, 'argocd');
});

test('J29 a tenant’s own Secret comes before the control plane’s', () => {
  const all = given(sample + blue('argocd') + blue('tenant-a') + app('tenant-a', byUrl));
  assert.equal(all.admitted('tenant-a/shop').cluster.namespace, 'tenant-a');
});

const second = blue('tenant-a')
  .replace('name: blue\n  namespace', 'name: green\n  namespace')
  .replace('  name: blue\n  server', '  name: green\n  server');

test('J30 two own Secrets with one address are ambiguous by address', () => {
  const all = given(sample + blue('tenant-a') + second + app('tenant-a', byUrl));
  assert.equal(
    all.refusal('tenant-a/shop'),
    'InvalidSpecError: there are 2 clusters with the same server: https://blue.example.com:6443',
  );
});

test('J31 and clear by name', () => {
  const all = given(sample + blue('tenant-a') + second + app('tenant-a', 'name: green, namespace: dev'));
  assert.equal(all.admitted('tenant-a/shop').cluster.secret, 'green');
});

test('J32 a tenant’s Secret is a scoped cluster', () => {
  assert.ok(given(sample + blue('tenant-a') + app('tenant-a', byUrl)).admitted('tenant-a/shop').ok);
});

test('J41 on a tenant’s cluster a matching entry is impersonated, with no way back to the bare token', () => {
  const on = settings('application.sync.impersonation.enabled: "true"');
  const accounts =
    'destinationServiceAccounts: [{server: "https://blue*", namespace: dev, defaultServiceAccount: deployer}]';
  const all = given(
    on +
      sample.replace('spec:', `spec:\n  ${accounts}`) +
      blue('tenant-a') +
      app('tenant-a', byUrl) +
      app('tenant-a', 'name: blue, namespace: stage', 'sample', 'other'),
  );
  assert.equal(all.identity('tenant-a/shop'), 'system:serviceaccount:dev:deployer');
  assert.equal(all.identity('tenant-a/other'), 'cluster: tenant-credential');
});

test('J41 enforced does not turn a tenant’s own credential away', () => {
  const on = settings(
    'application.sync.impersonation.enabled: "true"\napplication.sync.impersonation.enforced: "true"',
  );
  const { identity } = given(on + sample + blue('tenant-a') + app('tenant-a', byUrl)).admitted('tenant-a/shop');
  assert.equal(printIdentity(identity), 'cluster: tenant-credential');
});

test('J43 an installation with Secrets of the control plane only decides as before', () => {
  const open = project('default', "sourceRepos: ['*']\ndestinations: [{server: '*', namespace: '*'}]");
  const all = new Given(
    open + blue('argocd').replace('project: sample\n', 'shard: "1"\n') + app('argocd', byUrl, 'default'),
  );
  assert.equal(all.admitted('shop').cluster.secret, 'blue');
});

test('J44 without the feature tenants’ clusters are unknown', () => {
  assert.equal(
    given(sample + blue('tenant-a') + app('tenant-a', byUrl), { tenantClusters: false }).refusal('tenant-a/shop'),
    notFound,
  );
});
