import assert from 'node:assert/strict';
import { test } from 'node:test';
import { application, clusterSecret, Given, project } from './given.ts';
import { acceptance, app, ext, extApp, given, mine, secret, world } from './two-teams.ts';

// Whose cluster an Application gets.

test('T-088 a server the destinations do not name', () => {
  const all = given(
    secret(mine.replace('team-a.example.com', 'other.example.com')) + extApp('name: mine, namespace: x'),
  );
  assert.match(all.refusal('team-a/shop'), /do not match any of the allowed destinations in project 'team-a-ext'$/);
});
test('T-089 namespaces beyond the destinations are checked on use; a star is no namespace', () => {
  const rules = project('team-a-ext', ext('team-a').replace("namespace: '*'", 'namespace: team-a'));
  const all = given(rules + secret(`${mine}\nnamespaces: kube-system`) + extApp('name: mine, namespace: kube-system'));
  assert.equal(all.acceptance('team-a/mine'), 'accepted');
  assert.match(all.refusal('team-a/shop'), /do not match any of the allowed destinations/);
  assert.equal(acceptance(secret(`${mine}\nnamespaces: '*'`)), "namespaces holds '*', which is no namespace");
});
test('T-091 the address of a control-plane cluster', () => {
  const platform = clusterSecret(
    'prod',
    'argocd',
    `name: prod\nserver: https://team-a.example.com\nconfig: '{"bearerToken":"p"}'`,
  );
  const all = given(
    platform +
      secret(mine) +
      application(
        'shop',
        'argocd',
        `project: platform\nsource: {repoURL: 'https://g/x', path: .}\ndestination: {server: 'https://team-a.example.com', namespace: x}`,
      ),
  );
  assert.equal(all.admitted('shop').cluster.secret, 'prod');
});
test('T-092 the name of another cluster', () => {
  for (const name of ['prod', 'in-cluster']) {
    const platform = clusterSecret('prod', 'argocd', `name: prod\nserver: https://prod\nconfig: '{"bearerToken":"p"}'`);
    const all = given(
      platform +
        secret(mine.replace('name: mine', `name: ${name}`)) +
        application(
          'shop',
          'argocd',
          `project: platform\nsource: {repoURL: 'https://g/x', path: .}\ndestination: {name: ${name}, namespace: x}`,
        ),
    );
    assert.equal(all.admitted('shop').cluster.tenant, false);
  }
});
test('T-093 empty names never match', () => {
  const two =
    secret(mine.replace('name: mine\n', '')) +
    clusterSecret('u', 'argocd', `server: https://nameless\nconfig: '{"bearerToken":"p"}'`);
  assert.match(
    given(two + extApp('server: https://nameless, namespace: x')).refusal('team-a/shop'),
    /do not match any of the allowed destinations/,
  );
});
test('T-094 another tenant’s cluster by address, by name, by the name of its Secret', () => {
  for (const destination of ['server: https://team-a.example.com, namespace: x', 'name: mine, namespace: x']) {
    const b = app({
      project: 'team-b-ext',
      namespace: 'team-b',
      repo: 'https://git.example.com/team-b/x',
      destination,
    });
    assert.match(
      given(secret(mine) + b).refusal('team-b/shop'),
      /not found$|there are no clusters with this name: mine$/,
    );
  }
});
test('T-095 a platform Application does not see it', () => {
  const yaml = application(
    'shop',
    'argocd',
    `project: team-a-ext\nsource: {repoURL: 'https://git.example.com/team-a/x', path: .}\ndestination: {name: mine, namespace: x}`,
  );
  assert.equal(
    given(secret(mine) + yaml).refusal('shop'),
    'InvalidSpecError: there are no clusters with this name: mine',
  );
});
test('T-110 a Secret gone or moved leaves no other cluster of that address to fall back to', () => {
  const other = clusterSecret(
    'theirs',
    'argocd',
    `name: theirs\nserver: https://team-a.example.com\nproject: team-b\nconfig: '{"bearerToken":"p"}'`,
  );
  const yaml = extApp('server: https://team-a.example.com, namespace: x');
  assert.ok(given(other + secret(mine) + yaml).admitted('team-a/shop').ok);
  assert.match(given(other + yaml).refusal('team-a/shop'), /cluster "https:\/\/team-a.example.com" not found$/);
});
test('T-112 a namespace taken out of the list loses its clusters', () => {
  assert.deepEqual(new Given(world + secret(mine), { appNamespaces: ['team-b'] }).snapshot.clusters, []);
});
test('T-114 two Secrets of one address are ambiguous by address, clear by name', () => {
  const two =
    secret(mine) +
    secret(mine.replace('name: mine', 'name: second')).replace('name: mine\n  namespace', 'name: other\n  namespace');
  assert.match(
    given(two + extApp('server: https://team-a.example.com, namespace: x')).refusal('team-a/shop'),
    /there are 2 clusters with the same server/,
  );
  assert.equal(given(two + extApp('name: second, namespace: x')).admitted('team-a/shop').cluster.secret, 'other');
});

test('T-136 a shadowing cluster, an empty identity and a foreign hook in one Application: the first check stops it', () => {
  const rules = project(
    'team-a-ext',
    `${ext('team-a')}destinationServiceAccounts: [{server: '*', namespace: '*', defaultServiceAccount: ''}]`,
  );
  const all = given(rules + secret(mine) + extApp('name: mine, namespace: x'));
  assert.match(all.identity('team-a/shop'), /^refused: /);
  assert.equal(
    all.object('team-a/shop', { group: 'rbac.authorization.k8s.io', kind: 'ClusterRole', namespaced: false }),
    'resource rbac.authorization.k8s.io:ClusterRole is not permitted in project team-a-ext',
  );
});
