import assert from 'node:assert/strict';
import { test } from 'node:test';
import { projectWarnings, serviceAccountUser } from '../../../src/core/policy/index.ts';
import { Given, local, project, settings } from './given.ts';
import { app, flags, given, team } from './two-teams.ts';

// As whom a sync is carried out.

const identity = (account: string, destination?: string): string => {
  const rules = team('team-a').replace('deployer}', `${JSON.stringify(account)}}`);
  const yaml = project('team-a', rules) + app(destination === undefined ? {} : { destination });
  return new Given(settings('application.sync.impersonation.enabled: "true"') + yaml, flags).identity('team-a/shop');
};
test('T-055 no matching entry is the default account, never the controller’s', () => {
  const none = project('team-a', team('team-a').replace(/destinationServiceAccounts.*\n/, ''));
  assert.equal(
    new Given(settings('application.sync.impersonation.enabled: "true"') + none + app(), flags).identity('team-a/shop'),
    'system:serviceaccount:team-a:default',
  );
});
test('T-056 an empty destination namespace is the Application’s own', () => {
  assert.equal(identity('deployer', `server: '${local}'`), 'system:serviceaccount:team-a:deployer');
});
test('T-057 a plain account lives in the destination namespace', () =>
  assert.equal(identity('admin'), 'system:serviceaccount:team-a:admin'));
test('T-058 accounts that are none', () => {
  for (const account of ['ns:name:x', 'a\nb', 'a b', 'a*', 'system:masters:', '', ':x', 'x:', 'Upper', 'a/b']) {
    assert.match(
      identity(account),
      /^refused: failed to derive service account to impersonate: default service account contains invalid chars '/,
      account,
    );
  }
});
test('T-059 an empty identity cannot be made', () => {
  for (const [namespace, name] of [
    ['', ''],
    ['', 'x'],
    ['team-a', ''],
    ['a:b', 'x'],
  ] as const)
    assert.equal(serviceAccountUser(namespace, name), undefined);
});
test('T-060 the controller’s own account is shown as a warning', () => {
  const all = given(
    project(
      'p',
      `destinationServiceAccounts: [{server: '*', namespace: '*', defaultServiceAccount: 'argocd:argocd-application-controller'}]`,
    ),
  );
  assert.deepEqual(
    projectWarnings(all.snapshot, 'p').map(({ code }) => code),
    ['PrivilegedServiceAccount'],
  );
});
test('T-072 rules while the feature is off', () => {
  const all = new Given(project('team-a', team('team-a')), flags);
  assert.deepEqual(
    projectWarnings(all.snapshot, 'team-a').map(({ code }) => code),
    ['ServiceAccountsUnused'],
  );
});
test('T-073 the first match counts, an invalid pattern is no skip', () => {
  const entry = (namespace: string, account: string): string =>
    `{server: '*', namespace: '${namespace}', defaultServiceAccount: ${account}}`;
  const with_ = (entries: string): string =>
    new Given(
      settings('application.sync.impersonation.enabled: "true"') +
        project(
          'team-a',
          team('team-a').replace(/destinationServiceAccounts.*\n/, `destinationServiceAccounts: [${entries}]\n`),
        ) +
        app(),
      flags,
    ).identity('team-a/shop');
  assert.equal(
    with_([entry('team-*', 'first'), entry('team-a', 'second')].join(', ')),
    'system:serviceaccount:team-a:first',
  );
  assert.match(
    with_([entry('[a', 'first'), entry('team-a', 'second')].join(', ')),
    /^refused: .*invalid glob pattern for destination namespace: '\[a'$/,
  );
});
