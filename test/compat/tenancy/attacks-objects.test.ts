import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Given, local, project } from './given.ts';
import { app, flags, given, object, refusal, team } from './two-teams.ts';

// Where an Application may deploy to, and which objects.

const destinationRefused = (namespace: string, server = local): string =>
  `InvalidSpecError: application destination server '${server}' and namespace '${namespace}' do not match any of the allowed destinations in project 'team-a'`;
test('T-018 a destination edited before deletion is refused', () => {
  assert.equal(refusal(app({ destination: `server: '${local}', namespace: team-b` })), destinationRefused('team-b'));
});

for (const id of ['T-019 delete hooks', 'T-020 sync hooks', 'T-021 one manifest among many']) {
  test(`${id}: the same check refuses an object outside the project`, () => {
    assert.equal(
      object({ group: 'batch', kind: 'Job', namespace: 'kube-system' }),
      "namespace kube-system is not permitted in project 'team-a'",
    );
    assert.equal(
      object({ group: 'rbac.authorization.k8s.io', kind: 'ClusterRoleBinding', namespaced: false }),
      'resource rbac.authorization.k8s.io:ClusterRoleBinding is not permitted in project team-a',
    );
  });
}
test('T-022 cluster-scoped kinds', () => {
  for (const [group, kind] of [
    ['rbac.authorization.k8s.io', 'ClusterRoleBinding'],
    ['apiextensions.k8s.io', 'CustomResourceDefinition'],
    ['admissionregistration.k8s.io', 'ValidatingWebhookConfiguration'],
    ['apiregistration.k8s.io', 'APIService'],
    ['', 'Namespace'],
    ['scheduling.k8s.io', 'PriorityClass'],
  ] as const) {
    assert.equal(
      object({ group, kind, namespaced: false }),
      `resource ${group}:${kind} is not permitted in project team-a`,
    );
  }
});
test('T-023 a kind nobody knows is never taken for namespaced', () => {
  assert.equal(
    object({ group: 'x.io', kind: 'Thing', namespace: 'team-a', namespaced: undefined }),
    'failed to get API resource info for x.io/Thing: unable to verify permissions',
  );
});
test('T-024 a kind of another group with a permitted kind’s name', () => {
  const rules = project('team-a', `${team('team-a')}namespaceResourceWhitelist: [{group: '', kind: Secret}]`);
  const all = new Given(rules + app(), flags);
  assert.equal(all.object('team-a/shop', { kind: 'Secret', namespace: 'team-a' }), 'allowed');
  assert.equal(
    all.object('team-a/shop', { group: 'evil.io', kind: 'Secret', namespace: 'team-a' }),
    'resource evil.io:Secret is not permitted in project team-a',
  );
});
test('T-026 names that are none', () => {
  for (const name of ['', '.', '..', 'a/b', 'a%2fb', 'a\nb', 'x'.repeat(254)]) {
    assert.match(
      object({ kind: 'ConfigMap', namespace: 'team-a', name }),
      /^resource :ConfigMap has an invalid name '/,
    );
  }
  assert.equal(
    object({ group: 'rbac.authorization.k8s.io', kind: 'Role', namespace: 'team-a', name: 'system:reader' }),
    'allowed',
  );
});
test('T-027 another team’s namespace', () => {
  assert.equal(refusal(app({ destination: `server: '${local}', namespace: team-b` })), destinationRefused('team-b'));
});
test('T-028 namespaces that would match if somebody trimmed or folded them', () => {
  for (const namespace of ['team-a ', 'Team-A', 'team-a\n', 'tеam-a', ' team-a']) {
    const yaml =
      project('team-a', team('team-a').replace('namespace: team-a}]', "namespace: '*'}]")) +
      app({ destination: `server: '${local}', namespace: ${JSON.stringify(namespace)}` });
    assert.match(
      new Given(yaml, flags).refusal('team-a/shop'),
      /^InvalidSpecError: application destination namespace '.*' is not a valid namespace name$/,
    );
  }
});
test('T-029 other spellings of a server are other servers, and both name and server are refused', () => {
  assert.ok(given(app({ destination: `server: '${local}/', namespace: team-a` })).admitted('team-a/shop').ok);
  for (const server of ['https://KUBERNETES.default.svc', `${local}:443`, 'https://kubernetes', 'https://10.96.0.1']) {
    assert.equal(
      refusal(app({ destination: `server: '${server}', namespace: team-a` })),
      `InvalidSpecError: error getting cluster by server "${server}": cluster "${server}" not found`,
    );
  }
  assert.match(
    refusal(app({ destination: `server: '${local}', name: in-cluster, namespace: team-a` })),
    /can't have both name and server defined/,
  );
});
test('T-030 a deny wins before and after a permit', () => {
  for (const entries of [
    "{server: '*', namespace: '*'}, {server: '*', namespace: '!team-a'}",
    "{server: '*', namespace: '!team-a'}, {server: '*', namespace: '*'}",
  ]) {
    const yaml =
      project('team-a', `${team('team-a').replace(/destinations:.*\n/, '')}destinations: [${entries}]`) + app();
    assert.equal(new Given(yaml, flags).refusal('team-a/shop'), destinationRefused('team-a'));
  }
});
test('T-103 discovery that lies about built-in kinds', () => {
  assert.equal(
    object({ group: 'rbac.authorization.k8s.io', kind: 'ClusterRole', namespace: 'team-a', namespaced: true }),
    'resource rbac.authorization.k8s.io:ClusterRole is not permitted in project team-a',
  );
  assert.equal(object({ group: '__proto__', kind: 'constructor', namespace: 'team-a' }), 'allowed');
});
