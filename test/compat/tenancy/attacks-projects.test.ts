import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applicationsOverQuota, projectWarnings } from '../../../src/core/policy/index.ts';
import { clusterSecret, Given, project, settings } from './given.ts';
import { app, everything, given, object, refusal, team, world } from './two-teams.ts';

// Whose project an Application uses, and what counts only in the control-plane namespace.

const notAssociated = (name: string): string =>
  `UnknownError: application 'shop' in namespace 'team-a' is not permitted to use project '${name}'`;

test('the setting itself works, as the account of the team', () => {
  assert.equal(given(app()).identity('team-a/shop'), 'system:serviceaccount:team-a:deployer');
});

test('T-001 another team’s project', () => assert.equal(refusal(app({ project: 'team-b' })), notAssociated('team-b')));
test('T-002 the platform’s project', () =>
  assert.equal(refusal(app({ project: 'platform' })), notAssociated('platform')));
test('T-003 the default project, named or by leaving it empty', () => {
  assert.equal(refusal(app({ project: 'default' })), notAssociated('default'));
  assert.equal(refusal(app({ project: "''" })), notAssociated('default'));
  assert.equal(refusal(app().replace('  project: team-a\n', '')), notAssociated('default'));
});
test('T-004 a project that does not exist', () => {
  assert.equal(
    refusal(app({ project: 'nowhere' })),
    'InvalidSpecError: Application referencing project nowhere which does not exist',
  );
});
test('T-005 a namespace the project lists and the controller does not', () => {
  const yaml = project('p', `${everything}\nsourceNamespaces: [team-c]`) + app({ project: 'p', namespace: 'team-c' });
  assert.equal(given(yaml).refusal('team-c/shop'), "InvalidSpecError: namespace 'team-c' is not permitted");
});
test('T-006 namespaces that only look like the one listed', () => {
  for (const namespace of ['team-a-x', 'x-team-a', 'team-a.']) {
    const all = new Given(world + app({ namespace }), { appNamespaces: ['*'] });
    assert.equal(
      all.refusal(`${namespace}/shop`),
      `UnknownError: application 'shop' in namespace '${namespace}' is not permitted to use project 'team-a'`,
    );
  }
});
test('T-007 an unanchored pattern of a project is searched, as Argo CD does, and warned about', () => {
  const all = new Given(project('p', "sourceNamespaces: ['/team-a/', '/^team-b$/']"), { appNamespaces: ['*'] });
  assert.deepEqual(
    projectWarnings(all.snapshot, 'p').map(({ code, field }) => `${code} ${field}`),
    ['UnanchoredPattern spec.sourceNamespaces[0]'],
  );
});
test('T-008 a catastrophic pattern decides in bounded work', () => {
  const name = `${'a'.repeat(60)}b`;
  const all = new Given(
    project('p', `${everything}\nsourceNamespaces: ['/^(a+)+$/', '/^(a|a)*$/']`) +
      app({ project: 'p', namespace: name }),
    { appNamespaces: ['/^(a+)+b$/'] },
  );
  assert.match(all.refusal(`${name}/shop`), /not permitted to use project 'p'/);
});
test('T-009 a valid Application edited to another project is refused with the next decision', () => {
  assert.ok(given(app()).admitted('team-a/shop').ok);
  assert.equal(refusal(app({ project: 'platform' })), notAssociated('platform'));
});

test('T-037 an Application written into the control plane or another team’s namespace', () => {
  const child = { group: 'argoproj.io', kind: 'Application' };
  assert.equal(object({ ...child, namespace: 'argocd' }), "namespace argocd is not permitted in project 'team-a'");
  assert.equal(object({ ...child, namespace: 'team-b' }), "namespace team-b is not permitted in project 'team-a'");
  const wide = project('wide', `${everything}\nsourceNamespaces: [team-a]`);
  assert.equal(
    given(wide + app({ project: 'wide' })).object('team-a/shop', { ...child, namespace: 'argocd' }),
    "namespace argocd is not permitted in project 'wide'",
  );
});
test('T-038 a project in a tenant’s namespace', () => {
  const own = project('mine', `${everything}\nsourceNamespaces: [team-a]`).replace(
    'namespace: argocd',
    'namespace: team-a',
  );
  assert.equal(
    refusal(own + app({ project: 'mine' })),
    'InvalidSpecError: Application referencing project mine which does not exist',
  );
});
test('T-039 settings and repositories in a tenant’s namespace', () => {
  const cm = settings('application.sync.impersonation.enabled: "false"').replace(
    'namespace: argocd',
    'namespace: team-a',
  );
  const repo = clusterSecret('r', 'team-a', "url: 'https://evil.example.com'\nproject: team-a").replace(
    'secret-type: cluster',
    'secret-type: repository',
  );
  const all = given(cm + repo + app());
  assert.equal(all.identity('team-a/shop'), 'system:serviceaccount:team-a:deployer');
  assert.deepEqual(all.snapshot.repositories, []);
  assert.match(
    given(repo + app({ repo: 'https://evil.example.com' })).refusal('team-a/shop'),
    /^InvalidSpecError: application repo/,
  );
});
test('T-045 5,000 Applications against a quota', () => {
  const all = given(project('team-a', `${team('team-a')}quota: {applications: 100}`) + app());
  const one = all.app('team-a/shop');
  const many = Array.from({ length: 5000 }, (_, i) => ({ ...one, metadata: { ...one.metadata, name: `shop-${i}` } }));
  assert.equal(applicationsOverQuota(all.project('team-a'), many).size, 4900);
});

test('T-131 prototype keys in every name', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    assert.equal(
      refusal(app({ project: name })),
      `InvalidSpecError: Application referencing project ${name} which does not exist`,
    );
    assert.match(
      refusal(app({ destination: `name: ${name}, namespace: team-a` })),
      /there are no clusters with this name/,
    );
  }
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});
