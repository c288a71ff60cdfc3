import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assembleSnapshot, integrityFor, projectWarnings } from '../../../src/core/policy/index.ts';
import { application, clusterSecret, Given, local, project, settings, yamlOf } from './given.ts';

// The finer points of rows whose main point is tested elsewhere.

const flags = { appNamespaces: ['team-*'] };
const open = "sourceNamespaces: [team-a]\nsourceRepos: ['*']\n";
const app = (destination = `server: '${local}', namespace: team-a`): string =>
  application('shop', 'team-a', `project: p\nsource: {repoURL: 'https://g/x', path: .}\ndestination: {${destination}}`);
const given = (spec: string, more = ''): Given => new Given(project('p', open + spec) + app() + more, flags);
const anywhere = `destinations: [{server: '${local}', namespace: '*'}]\n`;

test('B15 an answer about one name is not the answer about another, though other entries ask for no name', () => {
  const all = given(
    `${anywhere}clusterResourceWhitelist: [{group: rbac.authorization.k8s.io, kind: ClusterRole}, {group: '', kind: Namespace, name: 'team1-*'}]`,
  );
  const namespace = (name: string): string =>
    all.object('team-a/shop', { kind: 'Namespace', name, namespace: '', namespaced: false });
  assert.equal(namespace('team1-x'), 'allowed');
  assert.equal(namespace('other'), 'resource :Namespace is not permitted in project p');
  assert.equal(namespace('team1-y'), 'allowed');
});

test('B16 a denied name leaves the other names of the kind alone, whichever is asked for first', () => {
  const all = given(
    `${anywhere}clusterResourceWhitelist: [{group: '', kind: Namespace}]\nclusterResourceBlacklist: [{group: '', kind: Node}, {group: '', kind: Namespace, name: 'kube-*'}]`,
  );
  const namespace = (name: string): string =>
    all.object('team-a/shop', { kind: 'Namespace', name, namespace: '', namespaced: false });
  assert.equal(namespace('mine'), 'allowed');
  assert.equal(namespace('kube-x'), 'resource :Namespace is not permitted in project p');
});

test('B8 a namespace denied on one server is open on another', () => {
  const all = given(
    `destinations: [{server: '*', namespace: '*'}, {server: 'https://other.example.com', namespace: '!team-a'}]`,
  );
  assert.ok(all.admitted('team-a/shop').ok);
});

test('B26 a policy whose pattern cannot be read covers the repository, and its exception does not', () => {
  const policy = (repos: string): string =>
    `${anywhere}sourceIntegrity: {git: {policies: [{repos: [${repos}], gpg: {mode: head, keys: [K]}}]}}`;
  const modeOf = (repos: string): string | undefined => {
    const found = integrityFor(given(policy(repos)).project('p'), 'https://g/x');
    return found.ok ? found.policy?.mode : found.verdict.message;
  };
  assert.equal(modeOf("{url: 'a['}"), 'head');
  assert.equal(modeOf("{url: '*'}, {url: '!a['}"), 'head');
  assert.equal(modeOf("{url: '*'}, {url: '!https://g/*'}"), undefined);
});

test('J1 Secrets that could not be read anywhere leave a tenant’s cluster unknown, and the control plane’s known', () => {
  const yaml = project('p', open + anywhere) + app() + app().replace('namespace: team-a}', 'namespace: argocd}');
  const objects = yaml.split('\n---\n').filter((text) => text.trim() !== '');
  const { snapshot, applications } = assembleSnapshot(
    objects.map(yamlOf),
    { controlPlane: 'argocd', ...flags },
    new Map([['', 'forbidden']]),
  );
  const all = new Given('', flags);
  Object.assign(all, { assembled: { snapshot, applications, unreadable: [] } });
  assert.equal(
    all.refusal('team-a/shop'),
    "InvalidSpecError: the cluster Secrets of namespace 'team-a' could not be read",
  );
  assert.ok(all.admitted('argocd/shop').ok);
});

test('T-090 cluster-scoped kinds of a global project suffice for clusterResources', () => {
  const secret = clusterSecret(
    'blue',
    'team-a',
    `server: https://blue\nproject: p\nnamespaces: a\nclusterResources: 'true'\nconfig: '{"bearerToken":"t"}'`,
  );
  const globals = settings("globalProjects: '[{projectName: global, labelSelector: {}}]'");
  const wide = project('global', "clusterResourceWhitelist: [{group: '', kind: Namespace}]");
  assert.equal(given('', secret + globals + wide).acceptance('team-a/blue'), 'accepted');
  assert.equal(
    given('', secret).acceptance('team-a/blue'),
    "clusterResources is true, but project 'p' permits no cluster-scoped kind",
  );
});

test('T-082 an exception holds for its port alone, the default one where none is written', () => {
  const listed = (hosts: string, server: string): string =>
    given(
      '',
      settings(`cluster.tenant.allowedHosts: '${hosts}'`) +
        clusterSecret('c', 'team-a', `server: '${server}'\nproject: p\nconfig: '{"bearerToken":"t"}'`),
    ).acceptance('team-a/c');
  const refused = 'server is a loopback address; an admin can list it in cluster.tenant.allowedHosts';
  assert.equal(listed('127.0.0.1:443', 'https://127.0.0.1'), 'accepted');
  assert.equal(listed('127.0.0.1:6443', 'https://127.0.0.1:6443'), 'accepted');
  assert.equal(listed('127.0.0.1:443', 'https://127.0.0.1:6443'), refused);
  assert.equal(listed('127.0.0.1:6443', 'https://127.0.0.1'), refused);
});

test('T-082 ordinary addresses that look a little like others are ordinary', () => {
  for (const server of ['https://169.1.2.3', 'https://10.254.0.1', 'https://[fd00:ec2::255]']) {
    const secret = clusterSecret('c', 'team-a', `server: '${server}'\nproject: p\nconfig: '{"bearerToken":"t"}'`);
    assert.equal(given('', secret).acceptance('team-a/c'), 'accepted', server);
  }
});

test('B7 whether a deny reads differently from Argo CD is said only of what was written', () => {
  const codes = (spec: string): readonly string[] =>
    projectWarnings(given(spec).snapshot, 'p')
      .filter(({ code }) => code === 'DenyEntryMeaning')
      .map(({ code }) => code);
  const all = "{server: '*', namespace: '*'}";
  const rows: readonly [entries: string, codes: readonly string[]][] = [
    ["{server: 'https://a', namespace: x}", []],
    ["{server: '!https://a', namespace: '*'}", ['DenyEntryMeaning']],
    [`${all}, {server: '!https://a', namespace: '*'}`, []],
    [`${all}, {server: '*', namespace: '!x'}`, []],
    [`${all}, {name: prod, namespace: '!x'}`, ['DenyEntryMeaning']],
    [`${all}, {server: '*', name: '!prod', namespace: '*'}`, ['DenyEntryMeaning']],
  ];
  for (const [entries, wanted] of rows) assert.deepEqual(codes(`destinations: [${entries}]`), wanted, entries);
});
