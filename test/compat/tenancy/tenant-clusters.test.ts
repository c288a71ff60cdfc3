import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterSecret, Given, local, project, settings } from './given.ts';
import { app, blue, byUrl, given, notFound, sample, token, unlisted } from './two-tenants.ts';

// Which cluster Secrets of tenants are accepted; who may use them is in tenant-cluster-use.

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
