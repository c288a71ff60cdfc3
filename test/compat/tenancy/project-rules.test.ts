import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAppProject } from '../../../src/core/api/index.ts';
import { integrityFor, projectWarnings, validateProject } from '../../../src/core/policy/index.ts';
import { Given, project, settings, yamlOf } from './given.ts';
import { anywhere, app, kindRefused } from './one-project.ts';

// What makes a project sound, what it inherits from others, and what its owner is warned about.

const problems = (spec: string): readonly string[] => {
  const parsed = parseAppProject(yamlOf(project('p', spec)));
  assert.ok(parsed.ok);
  return validateProject(parsed.value).map(({ message }) => message);
};

const validations: readonly [title: string, spec: string, message: string][] = [
  [
    'B19 a destination !* is refused',
    "destinations: [{server: '*', namespace: '!*'}]",
    "namespace has an invalid format, '!*'",
  ],
  [
    'B19 a server !* is refused',
    "destinations: [{server: '!*', namespace: '*'}]",
    "server has an invalid format, '!*'",
  ],
  ['B19 a name !* is refused', "destinations: [{name: '!*', namespace: '*'}]", "name has an invalid format, '!*'"],
  ['B20 a source namespace twice is refused', 'sourceNamespaces: [a, a]', "source namespace 'a' already added"],
  [
    'B20 a destination twice is refused',
    'destinations: [{server: https://x, namespace: a}, {server: https://x, name: y, namespace: a}]',
    "destination 'https://x/a' already added",
  ],
  [
    'B20 a destination by name twice is refused',
    'destinations: [{name: y, namespace: a}, {name: y, namespace: a}]',
    "destination 'y/a' already added",
  ],
  ['B20 a source !* is refused', "sourceRepos: ['!*']", "source repository has an invalid format, '!*'"],
  [
    'B20 a source twice is refused',
    'sourceRepos: [https://x, https://x]',
    "source repository 'https://x' already added",
  ],
  ['B20 a role twice is refused', 'roles: [{name: r}, {name: r}]', "role 'r' already exists"],
  [
    'B20 a policy twice is refused',
    'roles: [{name: r, policies: ["p, proj:p:r, applications, get, p/*, allow", "p, proj:p:r, applications, get, p/*, allow"]}]',
    "policy 'p, proj:p:r, applications, get, p/*, allow' already exists for role 'r'",
  ],
  ['B20 a group twice is refused', 'roles: [{name: r, groups: [g, g]}]', "group 'g' already exists for role 'r'"],
  [
    'B20 a window without a selector is refused',
    "syncWindows: [{kind: allow, schedule: '* * * * *', duration: 1h}]",
    "window 'allow':'* * * * *':'1h' requires one of application, cluster or namespace",
  ],
  [
    'B20 a window of another kind is refused',
    "syncWindows: [{kind: maybe, schedule: '* * * * *', duration: 1h, applications: ['*']}]",
    "kind 'maybe' mismatch: can only be allow or deny",
  ],
  [
    'B20 a schedule with a descriptor is refused',
    "syncWindows: [{kind: allow, schedule: '@daily', duration: 1h, applications: ['*']}]",
    "cannot parse schedule '@daily'",
  ],
  [
    'B20 a duration without unit is refused',
    "syncWindows: [{kind: allow, schedule: '* * * * *', duration: '5', applications: ['*']}]",
    "cannot parse duration '5'",
  ],
  [
    'G17 a negated server of a service account is refused',
    "destinationServiceAccounts: [{server: '!https://x', namespace: a, defaultServiceAccount: sa}]",
    "server has an invalid format, '!https://x'",
  ],
  [
    'G17 a negated namespace of a service account is refused',
    "destinationServiceAccounts: [{server: https://x, namespace: 'a!', defaultServiceAccount: sa}]",
    "namespace has an invalid format, 'a!'",
  ],
  [
    'G18 a service account with a star is refused',
    "destinationServiceAccounts: [{server: https://x, namespace: a, defaultServiceAccount: 's*'}]",
    "defaultServiceAccount has an invalid format, 's*'",
  ],
  [
    'G18 a blank service account is refused',
    "destinationServiceAccounts: [{server: https://x, namespace: a, defaultServiceAccount: ' '}]",
    "defaultServiceAccount has an invalid format, ' '",
  ],
  [
    'G18 a service account with two colons is refused',
    "destinationServiceAccounts: [{server: https://x, namespace: a, defaultServiceAccount: 'a:b:c'}]",
    "defaultServiceAccount has an invalid format, 'a:b:c'",
  ],
  [
    'G18 a second account for one destination is refused',
    'destinationServiceAccounts: [{server: https://x, namespace: a, defaultServiceAccount: s}, {server: https://x, namespace: a, defaultServiceAccount: t}]',
    "destinationServiceAccount 'https://x/a' already added",
  ],
];
for (const [title, spec, message] of validations) {
  test(title, () => assert.deepEqual(problems(spec), [message]));
}

test('B20 a sound project has no problem', () => {
  assert.deepEqual(
    problems(`
sourceRepos: ['https://git.example.com/**', '!https://git.example.com/bad']
sourceNamespaces: [a, b]
destinations: [{server: '*', namespace: 'a-*'}, {name: prod, namespace: '!kube-system'}]
roles: [{name: deploy-1, policies: ["p, proj:p:deploy-1, applications, action/apps/*, p/team-a/*, deny"], groups: ['"a, b"']}]
syncWindows: [{kind: deny, schedule: '0 22 * * mon-fri', duration: 1h30m, applications: ['*'], timeZone: Europe/Vienna}]
destinationServiceAccounts: [{server: '*', namespace: '*', defaultServiceAccount: 'ops:deploy.er'}]
`),
    [],
  );
});

test('B22 a global list narrows a project that has none', () => {
  const yaml =
    settings('globalProjects: |\n  - projectName: global\n    labelSelector: {matchLabels: {tier: tenant}}') +
    project('global', 'namespaceResourceWhitelist: [{group: apps, kind: Deployment}]') +
    project('p', `sourceRepos: ['*']\n${anywhere}`, 'labels: {tier: tenant}') +
    app('https://g/x');
  const given = new Given(yaml);
  assert.equal(given.object('shop', { group: 'apps', kind: 'Deployment', namespace: 'shop' }), 'allowed');
  assert.equal(given.object('shop', { kind: 'ConfigMap', namespace: 'shop' }), kindRefused(':ConfigMap'));
});

test('B22 a project without the label inherits nothing, and no project from itself', () => {
  const yaml =
    settings(
      'globalProjects: |\n  - projectName: p\n    labelSelector: {}\n  - projectName: global\n    labelSelector: {matchLabels: {tier: tenant}}',
    ) +
    project('global', 'namespaceResourceWhitelist: [{group: apps, kind: Deployment}]') +
    project('p', `sourceRepos: ['*']\n${anywhere}`) +
    app('https://g/x');
  assert.equal(new Given(yaml).object('shop', { kind: 'ConfigMap', namespace: 'shop' }), 'allowed');
  assert.equal(new Given(yaml).project('p').destinations.rules.length, 1);
});

test('B26 two policies for one repository are an error', () => {
  const policy = (url: string): string => `{repos: [{url: '${url}'}], gpg: {mode: strict, keys: [AB12]}}`;
  const given = new Given(
    project('p', `sourceIntegrity: {git: {policies: [${policy('https://g/*')}, ${policy('*x')}]}}`),
  );
  const answer = integrityFor(given.project('p'), 'https://g/x');
  assert.equal(
    !answer.ok && `${answer.verdict.condition}: ${answer.verdict.message}`,
    "ComparisonError: multiple (2) source integrity policies found for repo URL: 'https://g/x'",
  );
  assert.deepEqual(integrityFor(given.project('p'), 'https://g/y'), {
    ok: true,
    policy: { mode: 'strict', keys: ['AB12'] },
  });
  assert.deepEqual(integrityFor(given.project('p'), 'https://h/y'), { ok: true, policy: undefined });
});

test('B27 destinations that cover the control-plane namespace are warned about', () => {
  const given = new Given(
    project('p', `destinations: [{server: '*', namespace: '*'}]`) +
      project('q', `destinations: [{server: '*', namespace: 'team-*'}]`),
  );
  assert.deepEqual(
    projectWarnings(given.snapshot, 'p').map(({ message }) => message),
    [
      "the destinations cover the control-plane namespace 'argocd' of the local cluster: whoever deploys there administers every project",
    ],
  );
  assert.deepEqual(projectWarnings(given.snapshot, 'q'), []);
});
