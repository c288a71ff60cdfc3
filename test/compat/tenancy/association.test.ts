import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instanceName, qualifiedName } from '../../../src/core/api/index.ts';
import { printTrackingId } from '../../../src/core/objects/index.ts';
import { applicationsOverQuota, settingsWarnings } from '../../../src/core/policy/index.ts';
import { application, Given, local, project, settings } from './given.ts';

const spec = (projectName: string): string => `
project: ${projectName}
source: {repoURL: 'https://git.example.com/shop', path: deploy}
destination: {server: '${local}', namespace: shop}
`;
const open = `
sourceRepos: ['*']
destinations: [{server: '*', namespace: '*'}]
`;
const someProject = project('some-project', `${open}sourceNamespaces: [foo-ns, bar-ns]`);
const refused = (app: string, namespace: string, projectName: string): string =>
  `UnknownError: application '${app}' in namespace '${namespace}' is not permitted to use project '${projectName}'`;

test('A1 an Application in a listed namespace is reconciled', () => {
  const given = new Given(someProject + application('some-app', 'bar-ns', spec('some-project')), {
    appNamespaces: ['*-ns'],
  });
  assert.equal(given.admitted('bar-ns/some-app').project.name, 'some-project');
});

test('A2 an Application in a namespace the project does not list may not use it', () => {
  const given = new Given(someProject + application('other-app', 'other-ns', spec('some-project')), {
    appNamespaces: ['*-ns'],
  });
  assert.equal(given.refusal('other-ns/other-app'), refused('other-app', 'other-ns', 'some-project'));
});

test('A3 the control-plane namespace may use a project that does not list it', () => {
  const given = new Given(someProject + application('superuser-app', 'argocd', spec('some-project')));
  assert.ok(given.admitted('superuser-app').ok);
});

test('A4 a project without sourceNamespaces serves the control-plane namespace', () => {
  const given = new Given(project('p', open) + application('a', 'argocd', spec('p')));
  assert.ok(given.admitted('a').ok);
});

test('A5 a project without sourceNamespaces serves no other namespace', () => {
  const given = new Given(project('p', open) + application('a', 'foo-ns', spec('p')), { appNamespaces: ['foo-ns'] });
  assert.equal(given.refusal('foo-ns/a'), refused('a', 'foo-ns', 'p'));
});

const ignored = (namespace: string): string => `InvalidSpecError: namespace '${namespace}' is not permitted`;

const gates: readonly [id: string, list: readonly string[], namespace: string, counts: boolean][] = [
  ['A6 an empty list leaves every other namespace unread', [], 'foo-ns', false],
  ['A7 a pattern of the list covers a namespace', ['team-*'], 'team-x', true],
  ['A8 a namespace outside the patterns is ignored', ['team-*'], 'other', false],
  ['A9 a regex with lookahead leaves a namespace out', ['/^((?!secret).)*$/'], 'my-secret', false],
  ['A9 a regex with lookahead takes the others in', ['/^((?!secret).)*$/'], 'my-team', true],
  ['A10 an unanchored regex matches anywhere in the name', ['/team-a/'], 'x-team-a-y', true],
];
for (const [title, appNamespaces, namespace, counts] of gates) {
  test(title, () => {
    const yaml = project('p', `${open}sourceNamespaces: ['${namespace}']`) + application('a', namespace, spec('p'));
    const given = new Given(yaml, { appNamespaces });
    if (counts) assert.ok(given.admitted(`${namespace}/a`).ok);
    else assert.equal(given.refusal(`${namespace}/a`), ignored(namespace));
  });
}

test('A10 an unanchored regex is warned about', () => {
  const { snapshot } = new Given('', { appNamespaces: ['/team-a/', '/^team-b$/', 'team-*'] });
  assert.deepEqual(settingsWarnings(snapshot), [
    {
      code: 'UnanchoredPattern',
      field: 'application.namespaces[0]',
      message: "'/team-a/' is not anchored with ^ and $ and matches every namespace that contains it",
    },
  ]);
});

test('A11 sourceNamespaces * takes every namespace of the list', () => {
  const given = new Given(project('p', `${open}sourceNamespaces: ['*']`) + application('a', 'any', spec('p')), {
    appNamespaces: ['*'],
  });
  assert.ok(given.admitted('any/a').ok);
});

test('A12 sourceNamespaces know no negation', () => {
  const given = new Given(project('p', `${open}sourceNamespaces: ['!bad']`) + application('a', 'good', spec('p')), {
    appNamespaces: ['*'],
  });
  assert.equal(given.refusal('good/a'), refused('a', 'good', 'p'));
});

test('A13 an Application without a project uses default, which lists no tenant', () => {
  const yaml = project('default', `${open}clusterResourceWhitelist: [{group: '*', kind: '*'}]`);
  const given = new Given(yaml + application('a', 'foo-ns', spec('')), { appNamespaces: ['foo-ns'] });
  assert.equal(given.refusal('foo-ns/a'), refused('a', 'foo-ns', 'default'));
});

const missing = 'InvalidSpecError: Application referencing project nowhere which does not exist';

test('A14 a missing project is named', () => {
  const given = new Given(application('a', 'argocd', spec('nowhere')));
  assert.equal(given.refusal('a'), missing);
});

test('A15 a project in a tenant namespace is none', () => {
  const own = project('nowhere', `${open}sourceNamespaces: [foo-ns]`).replace('namespace: argocd', 'namespace: foo-ns');
  const given = new Given(own + application('a', 'foo-ns', spec('nowhere')), { appNamespaces: ['foo-ns'] });
  assert.equal(given.refusal('foo-ns/a'), missing);
});

test("A16 a tenant that names another team's project is refused as any stranger", () => {
  const yaml =
    project('team-a', `${open}sourceNamespaces: [team-a]`) + project('team-b', `${open}sourceNamespaces: [team-b]`);
  const given = new Given(yaml + application('a', 'team-a', spec('team-b')), { appNamespaces: ['team-*'] });
  assert.equal(given.refusal('team-a/a'), refused('a', 'team-a', 'team-b'));
});

test('A24 a namespace taken out of sourceNamespaces loses the project with the next snapshot', () => {
  const app = application('a', 'foo-ns', spec('some-project'));
  const before = new Given(someProject + app, { appNamespaces: ['*-ns'] });
  assert.ok(before.admitted('foo-ns/a').ok);
  const after = new Given(someProject.replace('foo-ns, ', '') + app, { appNamespaces: ['*-ns'] });
  assert.equal(after.refusal('foo-ns/a'), refused('a', 'foo-ns', 'some-project'));
});

test('A25 a namespace taken out of the list is frozen: ignored, not refused aloud', () => {
  const app = application('a', 'foo-ns', spec('some-project'));
  assert.ok(new Given(someProject + app, { appNamespaces: ['foo-ns'] }).admitted('foo-ns/a').ok);
  assert.equal(new Given(someProject + app, { appNamespaces: [] }).refusal('foo-ns/a'), ignored('foo-ns'));
});

test('A29 a quota of 10 leaves the eleventh Application out, oldest first, and lets it in when one goes', () => {
  const yaml = (names: readonly number[]): string =>
    project('p', `${open}quota: {applications: 10}`) +
    names
      .map((i) =>
        application(`app-${i}`, 'argocd', spec('p')).replace(
          'metadata: {',
          `metadata: {creationTimestamp: '2026-01-01T00:00:${String(20 - i).padStart(2, '0')}Z', `,
        ),
      )
      .join('');
  const over = (names: readonly number[]): readonly string[] => {
    const given = new Given(yaml(names));
    const found = applicationsOverQuota(given.project('p'), [...given.assembled.applications.values()]);
    return [...found].map(([app, verdict]) => `${app.metadata.name}: ${verdict.message}`);
  };
  const eleven = Array.from({ length: 11 }, (_, i) => i);
  assert.deepEqual(over(eleven), [
    "app-0: project 'p' has a quota of 10 applications, which older Applications use up",
  ]);
  assert.deepEqual(over(eleven.slice(0, 10)), []);
  const unlimited = new Given(yaml(eleven).replace('quota: {applications: 10}', ''));
  assert.equal(applicationsOverQuota(unlimited.project('p'), [...unlimited.assembled.applications.values()]).size, 0);
});

test('A30 equal names in two namespaces are two Applications', () => {
  const yaml = project('p', `${open}sourceNamespaces: [foons, barns]`);
  const given = new Given(
    yaml + application('some-app', 'foons', spec('p')) + application('some-app', 'barns', spec('p')),
    {
      appNamespaces: ['foons', 'barns'],
    },
  );
  for (const namespace of ['foons', 'barns']) {
    given.admitted(`${namespace}/some-app`);
    assert.equal(qualifiedName(given.app(`${namespace}/some-app`), 'argocd'), `${namespace}/some-app`);
  }
});

test('A31 an Application of the control plane keeps its bare name', () => {
  const given = new Given(project('p', open) + application('some-app', 'argocd', spec('p')));
  assert.equal(qualifiedName(given.app('some-app'), 'argocd'), 'some-app');
});

test('A35 the tracking id begins with namespace and name', () => {
  const given = new Given(application('some-app', 'foons', spec('p')));
  const instance = instanceName(given.app('foons/some-app'), 'argocd');
  const id = printTrackingId({
    instance,
    object: { group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web' },
  });
  assert.equal(id, 'foons_some-app:apps/Deployment:shop/web');
});

test('label tracking with tenant namespaces is warned about', () => {
  const { snapshot } = new Given(settings('application.resourceTrackingMethod: label'), { appNamespaces: ['team-a'] });
  assert.deepEqual(
    settingsWarnings(snapshot).map(({ code }) => code),
    ['LabelTracking'],
  );
});

test('A39 a management Application may write Applications into a tenant namespace, and nothing else', () => {
  const rules = `
sourceRepos: ['https://git.example.com/team-a/apps']
destinations: [{server: '${local}', namespace: team-a}]
namespaceResourceWhitelist: [{group: argoproj.io, kind: Application}]
`;
  const manager = `
project: team-a-apps
source: {repoURL: 'https://git.example.com/team-a/apps', path: .}
destination: {server: '${local}', namespace: team-a}
`;
  const given = new Given(project('team-a-apps', rules) + application('team-a', 'argocd', manager), {
    appNamespaces: ['team-a'],
  });
  const child = { group: 'argoproj.io', kind: 'Application', namespace: 'team-a' };
  assert.equal(given.object('team-a', child), 'allowed');
  assert.equal(
    given.object('team-a', { kind: 'ConfigMap', namespace: 'team-a' }),
    'resource :ConfigMap is not permitted in project team-a-apps',
  );
});

test('A40 a tenant may not write an Application into the control-plane namespace', () => {
  const rules = `${open.replace("namespace: '*'", 'namespace: team-a')}sourceNamespaces: [team-a]`;
  const own = spec('team-a').replace('namespace: shop', 'namespace: team-a');
  const given = new Given(project('team-a', rules) + application('apps', 'team-a', own), { appNamespaces: ['team-a'] });
  const child = { group: 'argoproj.io', kind: 'Application', namespace: 'argocd' };
  assert.equal(given.object('team-a/apps', child), "namespace argocd is not permitted in project 'team-a'");
});

test('A40 not even where the destinations cover the control-plane namespace by mistake', () => {
  const yaml = project('team-a', `${open}sourceNamespaces: [team-a]`) + application('apps', 'team-a', spec('team-a'));
  const given = new Given(yaml, { appNamespaces: ['team-a'] });
  const child = { group: 'argoproj.io', kind: 'Application', namespace: 'argocd' };
  assert.equal(given.object('team-a/apps', child), "namespace argocd is not permitted in project 'team-a'");
});

test('A42 an installation that uses nothing new decides as before', () => {
  const rules = `${open}clusterResourceWhitelist: [{group: '*', kind: '*'}]`;
  const given = new Given(project('default', rules) + application('guestbook', 'argocd', spec('default')));
  assert.equal(given.identity('guestbook'), 'cluster: impersonation-off');
  assert.equal(given.object('guestbook', { kind: 'Namespace', namespaced: false }), 'allowed');
  assert.equal(given.object('guestbook', { kind: 'ConfigMap', namespace: 'anything' }), 'allowed');
});
