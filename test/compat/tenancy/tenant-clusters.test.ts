import assert from 'node:assert/strict';
import { test } from 'node:test';
import { application, clusterSecret, Given, local, printIdentity, project, settings } from './given.ts';

const token = `config: '{"bearerToken":"t","tlsClientConfig":{"caData":"Y2E="}}'`;
const blue = (namespace: string, more = ''): string =>
  clusterSecret(
    'blue',
    namespace,
    `name: blue\nserver: https://blue.example.com:6443\nproject: sample\n${more}${token}`,
  );
const sample = project(
  'sample',
  `
sourceRepos: ['*']
sourceNamespaces: [tenant-a, tenant-b]
permitOnlyProjectScopedClusters: true
destinations:
- {server: 'https://blue.example.com:6443', namespace: dev}
- {server: 'https://blue.example.com:6443', namespace: stage}
- {server: 'https://blue.example.com:6443', namespace: prod}
`,
);
const other = project(
  'other',
  "sourceRepos: ['*']\nsourceNamespaces: [tenant-a]\ndestinations: [{server: '*', namespace: '*'}]",
);
const app = (namespace: string, destination: string, projectName = 'sample', name = 'shop'): string =>
  application(
    name,
    namespace,
    `project: ${projectName}\nsource: {repoURL: 'https://g/x', path: .}\ndestination: {${destination}}`,
  );
const byUrl = "server: 'https://blue.example.com:6443', namespace: dev";
const flags = { appNamespaces: ['tenant-a', 'tenant-b'] };
const given = (yaml: string, more = {}): Given => new Given(yaml, { ...flags, ...more });
const notFound =
  'InvalidSpecError: error getting cluster by server "https://blue.example.com:6443": cluster "https://blue.example.com:6443" not found';
const unlisted = "project 'sample' does not exist or does not permit namespace 'tenant-a'";

test('J1 a scoped Secret in a listed namespace is accepted', () => {
  assert.equal(given(sample + blue('tenant-a')).acceptance('tenant-a/blue'), 'accepted');
});

const rejections: readonly [title: string, yaml: string, reason: string][] = [
  [
    'J2 a Secret without a project is rejected',
    sample + blue('tenant-a').replace('  project: sample\n', ''),
    'project is required: a cluster Secret outside the control-plane namespace must be scoped to a project',
  ],
  [
    'J3 a project that does not list the namespace rejects',
    sample.replace('tenant-a, ', '') + blue('tenant-a'),
    unlisted,
  ],
  ['J4 a project that does not exist rejects', blue('tenant-a'), unlisted],
  [
    'J7 switched off, nothing outside the control plane counts',
    sample + blue('tenant-a'),
    'cluster Secrets outside the control-plane namespace are switched off',
  ],
  [
    'J20 a Secret moved to a foreign project is rejected at once',
    sample +
      project('strong', 'sourceNamespaces: [argo]') +
      blue('tenant-a').replace('project: sample', 'project: strong'),
    "project 'strong' does not exist or does not permit namespace 'tenant-a'",
  ],
  [
    'J21 a namespace dropped from the project loses its Secrets',
    sample.replace('tenant-a, tenant-b', 'tenant-b') + blue('tenant-a'),
    unlisted,
  ],
  [
    'J23 a Secret that names a program is rejected',
    sample + blue('tenant-a').replace('"bearerToken":"t"', '"execProviderConfig":{"command":"sh"}'),
    "'config.execProviderConfig' is not permitted in a cluster Secret outside the control-plane namespace",
  ],
  [
    'J24 a Secret with cloud authentication is rejected',
    sample + blue('tenant-a').replace('"bearerToken":"t"', '"awsAuthConfig":{"roleARN":"x"}'),
    "'config.awsAuthConfig' is not permitted in a cluster Secret outside the control-plane namespace",
  ],
  [
    'J25 the local cluster is rejected',
    sample + blue('tenant-a').replace('https://blue.example.com:6443', local),
    'server is the address of the local cluster, which no tenant may register',
  ],
  [
    'J26 a Secret without a credential is rejected',
    sample + blue('tenant-a').replace('"bearerToken":"t",', ''),
    'config holds no credential: give bearerToken, or username and password, or certData and keyData',
  ],
  [
    'J27 a proxy is rejected',
    sample + blue('tenant-a').replace('"bearerToken":"t"', '"bearerToken":"t","proxyUrl":"http://x"'),
    "'config.proxyUrl' is not permitted in a cluster Secret outside the control-plane namespace",
  ],
  [
    'J27 insecure TLS is rejected',
    sample + blue('tenant-a').replace('"caData":"Y2E="', '"insecure":true'),
    "'config.tlsClientConfig.insecure' is not permitted in a cluster Secret outside the control-plane namespace",
  ],
];
for (const [title, yaml, reason] of rejections) {
  test(title, () => {
    const all = given(yaml + app('tenant-a', byUrl), title.startsWith('J7') ? { tenantClusters: false } : {});
    assert.equal(all.acceptance('tenant-a/blue'), reason);
    // Whatever the reason, the Application reads the same as for a cluster that is not there.
    if (all.snapshot.projects.has('sample') && !reason.startsWith('project'))
      assert.equal(all.refusal('tenant-a/shop'), notFound);
  });
}

test('J4 the Secret is accepted once its project appears', () => {
  assert.equal(given(blue('tenant-a')).acceptance('tenant-a/blue'), unlisted);
  assert.equal(given(sample + blue('tenant-a')).acceptance('tenant-a/blue'), 'accepted');
});

test('J5 a Secret in a namespace outside the list is never read', () => {
  assert.deepEqual(given(sample + blue('tenant-c')).snapshot.clusters, []);
});

test('J6 without a list only the control plane counts', () => {
  const all = new Given(sample + blue('tenant-a') + blue('argocd'));
  assert.deepEqual(
    all.snapshot.clusters.map(({ namespace }) => namespace),
    ['argocd'],
  );
});

test('J8 Secrets of the control plane work as before, scoped or not', () => {
  const all = given(
    sample +
      blue('argocd') +
      clusterSecret(
        'plain',
        'argocd',
        `name: plain\nserver: https://plain\nconfig: '{"execProviderConfig":{"command":"aws"}}'`,
      ),
  );
  assert.equal(all.acceptance('argocd/blue'), 'accepted');
  assert.equal(all.acceptance('argocd/plain'), 'accepted');
});

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

test('J22 a namespace taken out of the list loses Secrets and Applications', () => {
  const all = given(sample + blue('tenant-a') + app('tenant-a', byUrl), { appNamespaces: ['tenant-b'] });
  assert.deepEqual(all.snapshot.clusters, []);
  assert.equal(all.refusal('tenant-a/shop'), "InvalidSpecError: namespace 'tenant-a' is not permitted");
});

test('J25 every DNS form of the local cluster is rejected, with a credential, too', () => {
  for (const host of [
    'kubernetes',
    'kubernetes.default',
    'KUBERNETES.default.svc',
    'kubernetes.default.svc.cluster.local',
    'kubernetes.default.svc.:443',
  ]) {
    const yaml = sample + blue('tenant-a').replace('blue.example.com:6443', host);
    assert.equal(
      given(yaml).acceptance('tenant-a/blue'),
      'server is the address of the local cluster, which no tenant may register',
      host,
    );
  }
});

test('J25 not even an admin can lift that ban', () => {
  const yaml =
    settings('cluster.tenant.allowedHosts: "*"\ncluster.tenant.allowInsecure: "true"') +
    sample +
    blue('tenant-a').replace('https://blue.example.com:6443', local);
  assert.equal(
    given(yaml).acceptance('tenant-a/blue'),
    'server is the address of the local cluster, which no tenant may register',
  );
});

test('J26 each complete credential is one, half of one is none', () => {
  const with_ = (config: string): string =>
    given(sample + blue('tenant-a').replace(token, `config: '${config}'`)).acceptance('tenant-a/blue');
  const none = 'config holds no credential: give bearerToken, or username and password, or certData and keyData';
  assert.equal(with_('{"username":"u","password":"p"}'), 'accepted');
  assert.equal(with_('{"username":"u"}'), none);
  assert.equal(with_('{"tlsClientConfig":{"certData":"YQ==","keyData":"Yg=="}}'), 'accepted');
  assert.equal(with_('{"tlsClientConfig":{"certData":"YQ=="}}'), none);
  assert.equal(with_('{"bearerToken":""}'), none);
});

test('J27 insecure TLS is accepted where an admin allows it, and false asks for nothing', () => {
  const insecure = sample + blue('tenant-a').replace('"caData":"Y2E="', '"insecure":true');
  assert.equal(
    given(settings('cluster.tenant.allowInsecure: "true"') + insecure).acceptance('tenant-a/blue'),
    'accepted',
  );
  assert.equal(given(insecure.replace('"insecure":true', '"insecure":false')).acceptance('tenant-a/blue'), 'accepted');
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

test('J37 a shard is ignored', () => {
  const all = given(sample + blue('tenant-a', 'shard: "99999"\n'));
  assert.equal(all.acceptance('tenant-a/blue'), 'accepted');
});

test('J39 a quota of 20 accepts the 20 oldest of 500', () => {
  const many = Array.from({ length: 500 }, (_, i) =>
    clusterSecret(
      `c${i}`,
      'tenant-a',
      `name: c${i}\nserver: https://c${i}\nproject: sample\n${token}`,
      `2026-01-01T00:00:${String(59 - (i % 60)).padStart(2, '0')}Z`,
    ),
  ).join('');
  const all = given(sample.replace('spec:', 'spec:\n  quota: {clusters: 20}') + many);
  const accepted = all.snapshot.clusters.filter(({ acceptance }) => acceptance.accepted);
  assert.equal(accepted.length, 20);
  assert.ok(accepted.every(({ creationTimestamp }) => creationTimestamp <= '2026-01-01T00:00:02Z'));
  assert.equal(
    all.acceptance('tenant-a/c0'),
    "project 'sample' has a quota of 20 clusters, which older Secrets use up",
  );
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
