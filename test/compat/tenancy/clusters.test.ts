import assert from 'node:assert/strict';
import { test } from 'node:test';
import { application, clusterSecret, Given, local, project, settings } from './given.ts';

const app = (destination: string, projectName = 'p'): string =>
  application(
    'shop',
    'argocd',
    `project: ${projectName}\nsource: {repoURL: 'https://g/x', path: .}\ndestination: {${destination}}`,
  );
const open = project('p', "sourceRepos: ['*']\ndestinations: [{server: '*', namespace: '*'}]");
const secret = (name: string, data: string): string =>
  clusterSecret(name, 'argocd', `${data}\nconfig: '{"bearerToken":"t"}'`);
const scopedOnly = (destinations: string): string =>
  project('p', `sourceRepos: ['*']\ndestinations: ${destinations}\npermitOnlyProjectScopedClusters: true`);
const refused = (server: string, namespace: string): string =>
  `InvalidSpecError: application destination server '${server}' and namespace '${namespace}' do not match any of the allowed destinations in project 'p'`;

test('I1 name and server together are an error', () => {
  const given = new Given(open + app(`name: in-cluster, server: '${local}', namespace: x`));
  assert.equal(
    given.refusal('shop'),
    `InvalidSpecError: application destination can't have both name and server defined: in-cluster ${local}`,
  );
});

test('I1 neither of them is an error', () => {
  assert.equal(
    new Given(open + app('namespace: x')).refusal('shop'),
    'InvalidSpecError: Destination server missing from app spec',
  );
});

test('I2 a name held by two Secrets is an error that lists both addresses', () => {
  const two = secret('one', 'name: blue\nserver: https://one') + secret('two', 'name: blue\nserver: https://two');
  const given = new Given(open + two + app('name: blue, namespace: x'));
  assert.equal(
    given.refusal('shop'),
    'InvalidSpecError: there are 2 clusters with the same name: [https://one https://two]',
  );
});

test('I2 an unknown name and an unknown address have their texts', () => {
  assert.equal(
    new Given(open + app('name: nowhere, namespace: x')).refusal('shop'),
    'InvalidSpecError: there are no clusters with this name: nowhere',
  );
  assert.equal(
    new Given(open + app('server: https://nowhere/, namespace: x')).refusal('shop'),
    'InvalidSpecError: error getting cluster by server "https://nowhere": cluster "https://nowhere" not found',
  );
});

test('I3 of two Secrets with one address the one scoped to the project is taken', () => {
  const two = secret('one', 'name: one\nserver: https://x') + secret('two', 'name: two\nserver: https://x\nproject: p');
  assert.equal(new Given(open + two + app('server: https://x, namespace: x')).admitted('shop').cluster.secret, 'two');
});

test('I3 two unscoped ones are an error', () => {
  const two = secret('one', 'name: one\nserver: https://x') + secret('two', 'name: two\nserver: https://x');
  assert.equal(
    new Given(open + two + app('server: https://x, namespace: x')).refusal('shop'),
    'InvalidSpecError: there are 2 clusters with the same server: https://x',
  );
});

test('I3 by name each of them keeps its own credential', () => {
  const two = secret('one', 'name: one\nserver: https://x') + secret('two', 'name: two\nserver: https://x');
  assert.equal(new Given(open + two + app('name: two, namespace: x')).admitted('shop').cluster.secret, 'two');
});

test('I4 a disabled local cluster is none', () => {
  const off = settings('cluster.inClusterEnabled: "false"');
  assert.equal(
    new Given(off + open + app(`server: '${local}', namespace: x`)).refusal('shop'),
    `InvalidSpecError: cluster "${local}" is disabled`,
  );
  assert.equal(
    new Given(off + open + app('name: in-cluster, namespace: x')).refusal('shop'),
    'InvalidSpecError: there are no clusters with this name: in-cluster',
  );
});

test('I4 a Secret for the local cluster is hidden with it, and else replaces it', () => {
  const renamed = secret('local', `name: home\nserver: ${local}`);
  const off = settings('cluster.inClusterEnabled: "false"');
  assert.equal(
    new Given(off + open + renamed + app('name: home, namespace: x')).refusal('shop'),
    'InvalidSpecError: there are no clusters with this name: home',
  );
  assert.equal(new Given(open + renamed + app('name: home, namespace: x')).admitted('shop').cluster.secret, 'local');
  assert.equal(
    new Given(open + renamed + app('name: in-cluster, namespace: x')).refusal('shop'),
    'InvalidSpecError: there are no clusters with this name: in-cluster',
  );
});

test('I5 an object outside the namespaces of its cluster is not managed', () => {
  const given = new Given(
    open + secret('s', 'name: s\nserver: https://s\nnamespaces: a, b') + app('name: s, namespace: a'),
  );
  assert.equal(
    given.object('shop', { kind: 'ConfigMap', name: 'x', namespace: 'c' }),
    'namespace "c" for ConfigMap "x" is not managed',
  );
  assert.equal(given.object('shop', { kind: 'ConfigMap', name: 'x', namespace: 'b' }), 'allowed');
});

test('I6 a cluster-scoped object is not managed in namespaced mode', () => {
  const rules = project(
    'p',
    "sourceRepos: ['*']\ndestinations: [{server: '*', namespace: '*'}]\nclusterResourceWhitelist: [{group: '*', kind: '*'}]",
  );
  const given = (more: string): Given =>
    new Given(rules + secret('s', `name: s\nserver: https://s\nnamespaces: a${more}`) + app('name: s, namespace: a'));
  const role = { group: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'x', namespaced: false };
  assert.equal(
    given('').object('shop', role),
    'cluster level ClusterRole "x" can not be managed when in namespaced mode',
  );
  assert.equal(given('\nclusterResources: "true"').object('shop', role), 'allowed');
});

const scopedToP = secret('mine', 'name: mine\nserver: https://mine\nproject: p');

test('I7 a cluster scoped to the project is permitted where only such are', () => {
  const given = new Given(
    scopedOnly('[{server: https://mine, namespace: x}]') + scopedToP + app('name: mine, namespace: x'),
  );
  assert.equal(given.admitted('shop').cluster.secret, 'mine');
});

test('I8 an unscoped one is not, whatever the destinations say', () => {
  const given = new Given(
    scopedOnly("[{server: '*', namespace: '*'}]") +
      secret('u', 'name: u\nserver: https://u') +
      app('name: u, namespace: x'),
  );
  assert.equal(given.refusal('shop'), refused('u', 'x'));
});

test('I9 nor is the local cluster, unless a Secret scopes it', () => {
  const rules = scopedOnly("[{server: '*', namespace: '*'}]");
  const there = app(`server: '${local}', namespace: x`);
  assert.equal(new Given(rules + there).refusal('shop'), refused(local, 'x'));
  assert.ok(new Given(rules + secret('l', `name: l\nserver: ${local}\nproject: p`) + there).admitted('shop').ok);
});

test('I10 a cluster scoped to another project is used where the destinations name it, with a warning', () => {
  const other = secret('theirs', 'name: theirs\nserver: https://theirs\nproject: other');
  const rules = project('p', "sourceRepos: ['*']\ndestinations: [{server: https://theirs, namespace: x}]");
  const { cluster, warnings } = new Given(rules + other + app('name: theirs, namespace: x')).admitted('shop');
  assert.equal(cluster.secret, 'theirs');
  assert.deepEqual(warnings, [
    "the cluster of this Application is scoped to another project than 'p'; it is used because the project's destinations name it",
  ]);
  const none = project('p', "sourceRepos: ['*']\ndestinations: [{server: https://elsewhere, namespace: x}]");
  assert.equal(
    new Given(none + other + app('name: theirs, namespace: x')).refusal('shop'),
    'InvalidSpecError: there are no clusters with this name: theirs',
  );
});

const noDestinations = project('p', "sourceRepos: ['*']");

test('I11 a cluster scoped to the project is its destination without an entry', () => {
  assert.equal(
    new Given(noDestinations + scopedToP + app('name: mine, namespace: anything')).admitted('shop').cluster.secret,
    'mine',
  );
});

test('I12 a deny entry holds against that', () => {
  const rules = project('p', "sourceRepos: ['*']\ndestinations: [{server: '!https://mine', namespace: '*'}]");
  assert.equal(new Given(rules + scopedToP + app('name: mine, namespace: x')).refusal('shop'), refused('mine', 'x'));
});

test('I13 the namespaces of the Secret bound it', () => {
  const dev = secret('mine', 'name: mine\nserver: https://mine\nproject: p\nnamespaces: dev');
  assert.ok(new Given(noDestinations + dev + app('name: mine, namespace: dev')).admitted('shop').ok);
  assert.equal(
    new Given(noDestinations + dev + app('name: mine, namespace: prod')).refusal('shop'),
    refused('mine', 'prod'),
  );
});

test('I14 a malformed config costs that Secret alone', () => {
  const bad = clusterSecret('bad', 'argocd', "name: bad\nserver: https://bad\nconfig: '{token-of-somebody'");
  const given = new Given(open + bad + scopedToP + app('name: mine, namespace: x'));
  assert.ok(given.admitted('shop').ok);
  assert.deepEqual(given.assembled.unreadable, [
    { object: 'Secret argocd/bad', reason: 'data.config: is not a JSON object, or names a key twice' },
  ]);
});

test('I15 sharing a name with a scoped cluster is not being scoped', () => {
  const foreign = secret('foreign', 'name: mine\nserver: https://foreign');
  const given = new Given(
    scopedOnly("[{server: '*', namespace: '*'}]") +
      foreign +
      secret('mine', 'name: mine\nserver: https://mine\nproject: p') +
      app('server: https://foreign, namespace: x'),
  );
  assert.equal(given.refusal('shop'), refused('https://foreign', 'x'));
});
