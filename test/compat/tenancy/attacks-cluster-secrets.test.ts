import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyAddress, permitsConnection, permitsFiles } from '../../../src/core/policy/index.ts';
import { clusterSecret, Given, settings } from './given.ts';
import { acceptance, app, given, mine, secret } from './two-teams.ts';

// What a tenant writes into a cluster Secret.

const forbidden = (key: string): string =>
  `'${key}' is not permitted in a cluster Secret outside the control-plane namespace`;

test('T-075 the local address without a credential', () => {
  assert.match(
    acceptance(secret(mine.replace('team-a.example.com', 'kubernetes.default.svc'), '{}')),
    /^server is the address of the local cluster/,
  );
});
test('T-076 other spellings of it without a credential', () => {
  for (const host of ['10.96.0.1', 'api.internal'])
    assert.match(acceptance(secret(mine.replace('team-a.example.com', host), '{}')), /^config holds no credential/);
  assert.match(acceptance(secret(mine.replace('team-a.example.com', '[::1]:6443'))), /^server is a loopback address/);
});
test('T-077 a program', () =>
  assert.equal(
    acceptance(secret(mine, '{"bearerToken":"t","execProviderConfig":{"command":"id"}}')),
    forbidden('config.execProviderConfig'),
  ));
test('T-078 cloud authentication', () =>
  assert.equal(
    acceptance(secret(mine, '{"bearerToken":"t","awsAuthConfig":{"clusterName":"x"}}')),
    forbidden('config.awsAuthConfig'),
  ));
test('T-079 files of the controller', () => {
  for (const key of ['tokenFile', 'bearerTokenFile'])
    assert.equal(acceptance(secret(mine, `{"bearerToken":"t","${key}":"/x"}`)), forbidden(`config.${key}`));
  for (const key of ['caFile', 'certFile', 'keyFile'])
    assert.equal(
      acceptance(secret(mine, `{"bearerToken":"t","tlsClientConfig":{"${key}":"/x"}}`)),
      forbidden(`config.tlsClientConfig.${key}`),
    );
});
test('T-080 a proxy', () =>
  assert.equal(acceptance(secret(mine, '{"bearerToken":"t","proxyUrl":"socks5://x"}')), forbidden('config.proxyUrl')));
test('T-081 insecure TLS and plain HTTP', () => {
  assert.equal(
    acceptance(secret(mine, '{"bearerToken":"t","tlsClientConfig":{"insecure":true}}')),
    forbidden('config.tlsClientConfig.insecure'),
  );
  assert.equal(acceptance(secret(mine.replace('https:', 'http:'))), 'server must begin with https://');
});
test('T-082 addresses no tenant may be connected to', () => {
  const { outbound } = given('').snapshot.settings;
  const to = (address: string): string =>
    permitsConnection(outbound, { purpose: 'tenant-cluster', host: 'x.example.com', port: 443, address }).answer;
  for (const address of [
    '127.0.0.1',
    '127.8.8.8',
    '::1',
    '169.254.169.254',
    'fe80::1',
    '0.0.0.0',
    '::',
    '::ffff:127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    'fd00:ec2::254',
    '100.100.100.200',
    '2002:7f00:1::',
    'nonsense',
    '224.0.0.1',
    '::ffff:0:127.0.0.1',
  ]) {
    assert.equal(to(address), 'denied', address);
  }
  for (const address of ['10.0.0.1', '192.168.1.1', '172.16.0.1', '8.8.8.8', 'fd12::1', '2001:db8::1'])
    assert.equal(to(address), 'allowed', address);
  assert.equal(
    acceptance(secret(mine.replace('team-a.example.com', '169.254.169.254'))),
    'server is a metadata address; an admin can list it in cluster.tenant.allowedHosts',
  );
  assert.equal(
    acceptance(secret(mine.replace('team-a.example.com', '2130706433'))),
    'server is a loopback address; an admin can list it in cluster.tenant.allowedHosts',
  );
});
test('T-082 an admin’s exception is for that host and port alone', () => {
  const { outbound } = new Given(
    settings("cluster.tenant.allowedHosts: '127.0.0.1:6443'\nsource.allowedHosts: 'git.local,file:'"),
  ).snapshot.settings;
  const cluster = (port: number): string =>
    permitsConnection(outbound, { purpose: 'tenant-cluster', host: '127.0.0.1', port, address: '127.0.0.1' }).answer;
  assert.deepEqual([cluster(6443), cluster(6444)], ['allowed', 'denied']);
  const source = (host: string): string =>
    permitsConnection(outbound, { purpose: 'source', host, port: 443, address: '127.0.0.1' }).answer;
  assert.deepEqual([source('git.local'), source('127.0.0.1')], ['allowed', 'denied']);
  assert.equal(permitsFiles(outbound), true);
  assert.equal(permitsFiles(given('').snapshot.settings.outbound), false);
  assert.equal(classifyAddress('127.1'), undefined);
});
test('T-085 no project', () =>
  assert.match(acceptance(secret(mine.replace('\nproject: team-a-ext', ''))), /^project is required/));
test('T-086 a project that does not list the namespace and a missing one read alike', () => {
  const text_ = (name: string): string => `project '${name}' does not exist or does not permit namespace 'team-a'`;
  assert.equal(acceptance(secret(mine.replace('team-a-ext', 'team-b-ext'))), text_('team-b-ext'));
  assert.equal(acceptance(secret(mine.replace('team-a-ext', 'nowhere'))), text_('nowhere'));
});
test('T-087 a project value that is no name', () => {
  for (const name of ["' team-a-ext'", '"team-a-ext\\n"', 'Team-A-Ext', "'team-a-ext, team-b-ext'"]) {
    assert.equal(acceptance(secret(mine.replace('team-a-ext', name))), 'project is not the name of a project');
  }
});
test('T-090 cluster resources where the project permits none', () => {
  assert.equal(
    acceptance(secret(`${mine}\nnamespaces: a\nclusterResources: "true"`)),
    "clusterResources is true, but project 'team-a-ext' permits no cluster-scoped kind",
  );
});
test('T-098 a shard is ignored', () => {
  for (const shard of ['0', '-1', '99999', 'x'])
    assert.equal(acceptance(secret(`${mine}\nshard: "${shard}"`)), 'accepted');
});
test('T-099 ten thousand namespaces are refused before anything is connected', () => {
  const all = given(secret(`${mine}\nnamespaces: "${Array.from({ length: 10_000 }, (_, i) => `n${i}`).join(',')}"`));
  assert.deepEqual(all.snapshot.clusters, []);
  assert.deepEqual(all.assembled.unreadable, [
    { object: 'Secret team-a/mine', reason: 'data.namespaces: is too long' },
  ]);
  assert.equal(
    acceptance(
      secret(`${mine}\nnamespaces: "${Array.from({ length: 1100 }, (_, i) => (i % 36).toString(36)).join(',')}"`),
    ),
    'namespaces lists more than 1000',
  );
});
test('T-100 ten thousand Secrets do not disturb another tenant', () => {
  const many = Array.from(
    { length: 10_000 },
    (_, i) =>
      `\n---\n{apiVersion: v1, kind: Secret, metadata: {name: bad-${i}, namespace: team-a, labels: {argocd.argoproj.io/secret-type: cluster}}, stringData: {server: 'https://x-${i}'}}`,
  ).join('');
  const b = clusterSecret(
    'mine',
    'team-b',
    `name: mine\nserver: https://team-b.example.com\nproject: team-b-ext\nconfig: '{"bearerToken":"t"}'`,
  );
  const all = given(
    many +
      b +
      app({
        project: 'team-b-ext',
        namespace: 'team-b',
        repo: 'https://git.example.com/team-b/x',
        destination: 'name: mine, namespace: x',
      }),
  );
  assert.equal(all.admitted('team-b/shop').cluster.namespace, 'team-b');
});
test('T-108 a tenant’s Secret of another type', () => {
  for (const type of ['repository', 'repo-creds', 'scm-creds']) {
    const all = given(secret(`${mine}\nurl: https://x`).replace('secret-type: cluster', `secret-type: ${type}`));
    assert.deepEqual([all.snapshot.clusters, all.snapshot.repositories], [[], []]);
  }
});
test('T-109 content that cannot be read costs that Secret alone', () => {
  for (const config of [
    '{',
    '[]',
    '"x"',
    '{"bearerToken":1}',
    '{"a":1,"a":2}',
    `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`,
    '{"tlsClientConfig":[]}',
  ]) {
    const all = given(secret(mine, config) + app());
    assert.ok(
      all.snapshot.clusters.every(({ acceptance: { accepted } }) => !accepted),
      config,
    );
    assert.ok(all.admitted('team-a/shop').ok);
  }
  assert.equal(
    acceptance(secret(mine, '{"bearerToken":"t","__proto__":{"insecure":true}}')),
    forbidden('config.__proto__'),
  );
});
