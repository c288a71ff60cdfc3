import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAppProject } from '../../../src/core/api/index.ts';
import { integrityFor, permitsSync, projectWarnings, validateProject } from '../../../src/core/policy/index.ts';
import { application, clusterSecret, Given, local, project, settings, yamlOf } from './given.ts';

const app = (source: string, destination = `server: '${local}', namespace: shop`): string =>
  application('shop', 'argocd', `project: p\nsource: {repoURL: '${source}', path: .}\ndestination: {${destination}}`);
const anywhere = "destinations: [{server: '*', namespace: '*'}]";
const repoRefused = (url: string): string =>
  `InvalidSpecError: application repo ${url} is not permitted in project 'p'`;

const repositories: readonly [title: string, entries: string, source: string, permitted: boolean][] = [
  ['B1 a star stops at a slash', "['https://g/x/*']", 'https://g/x/y/z', false],
  ['B1 a star takes one segment', "['https://g/x/*']", 'https://g/x/y.git', true],
  ['B2 two stars cross slashes', "['https://g/x/**']", 'https://g/x/y/z', true],
  ['B3 a deny wins over a permit for everything', "['!https://g/x/**', '*']", 'https://g/x/y', false],
  ['B3 a deny leaves the rest permitted', "['!https://g/x/**', '*']", 'https://g/y', true],
  ['B3 a deny wins in the other order, too', "['*', '!https://g/x/**']", 'https://g/x/y', false],
  ['B4 a list of denies permits nothing', "['!https://g/x']", 'https://g/other', false],
  ['B5 case and .git do not count', "['https://G/X.git']", 'https://g/x', true],
];
for (const [title, entries, source, permitted] of repositories) {
  test(title, () => {
    const given = new Given(project('p', `sourceRepos: ${entries}\n${anywhere}`) + app(source));
    if (permitted) assert.ok(given.admitted('shop').ok);
    else assert.equal(given.refusal('shop'), repoRefused(source));
  });
}

test('B4 a list of denies is warned about', () => {
  const given = new Given(project('p', `sourceRepos: ['!https://g/x']\n${anywhere}`));
  const [warning] = projectWarnings(given.snapshot, 'p');
  assert.equal(warning?.code, 'DenyEntryMeaning');
  assert.equal(
    warning?.message,
    'an entry with "!" only denies; released Argo CD also permits what such an entry does not match',
  );
});

test('B6 one of three sources that is not permitted is named', () => {
  const sources = `
sources:
- {repoURL: 'https://g/a', path: .}
- {repoURL: 'https://g/b', ref: values}
- {repoURL: 'https://g/c', path: .}`;
  const spec = `project: p${sources}\ndestination: {server: '${local}', namespace: shop}`;
  const yaml = project('p', `sourceRepos: ['https://g/a', 'https://g/c']\n${anywhere}`);
  assert.equal(new Given(yaml + application('shop', 'argocd', spec)).refusal('shop'), repoRefused('https://g/b'));
});

const clusters =
  clusterSecret('prod', 'argocd', "name: prod\nserver: https://prod\nconfig: '{}'") +
  clusterSecret('a', 'argocd', "name: a\nserver: https://a\nconfig: '{}'") +
  clusterSecret('b', 'argocd', "name: b\nserver: https://b\nconfig: '{}'") +
  clusterSecret('nameless', 'argocd', "server: https://nameless\nconfig: '{}'");

const destinations: readonly [title: string, entries: string, destination: string, permitted: boolean][] = [
  [
    'B7 a list of denied servers permits no other',
    "[{server: '!https://a', namespace: '*'}]",
    'server: https://b, namespace: x',
    false,
  ],
  [
    'B8 a denied namespace is denied beside a permit for all',
    "[{server: '*', namespace: '*'}, {server: '*', namespace: '!kube-system'}]",
    `server: '${local}', namespace: kube-system`,
    false,
  ],
  [
    'B8 other namespaces stay permitted',
    "[{server: '*', namespace: '*'}, {server: '*', namespace: '!kube-system'}]",
    `server: '${local}', namespace: shop`,
    true,
  ],
  [
    'B9 a namespace denied by the name of its cluster is denied',
    "[{name: prod, namespace: '*'}, {name: prod, namespace: '!kube-system'}]",
    'server: https://prod, namespace: kube-system',
    false,
  ],
  [
    'B9 other namespaces of that cluster stay permitted',
    "[{name: prod, namespace: '*'}, {name: prod, namespace: '!kube-system'}]",
    'name: prod, namespace: shop',
    true,
  ],
  [
    'B10 a denied server is denied whatever the name says',
    "[{server: '!https://prod', name: '*', namespace: '*'}]",
    'name: prod, namespace: x',
    false,
  ],
  [
    'B10 a deny permits nobody, not even by its plain fields',
    "[{server: '!https://prod', name: '*', namespace: '*'}]",
    'name: a, namespace: x',
    false,
  ],
  [
    'B10 a denied name is denied whatever the server says',
    "[{server: '*', name: '!prod', namespace: '*'}]",
    'name: prod, namespace: x',
    false,
  ],
  [
    'B10 a deny of a namespace permits no other one',
    "[{server: '*', namespace: ok}, {server: '*', namespace: '!kyverno'}]",
    'server: https://a, namespace: other',
    false,
  ],
  [
    'B10 a denied name acts in every namespace',
    "[{server: '*', namespace: '*'}, {name: '!prod', namespace: team-a}]",
    'name: prod, namespace: team-b',
    false,
  ],
  [
    'B10 a denied name acts on a cluster without a name',
    "[{server: '*', namespace: '*'}, {name: '!prod', namespace: '*'}]",
    'server: https://nameless, namespace: x',
    false,
  ],
  [
    'B10 a trailing slash of an entry does not count',
    "[{server: 'https://a/', namespace: '*'}]",
    'server: https://a, namespace: x',
    true,
  ],
  [
    'B10 an unreadable deny denies everything it could concern',
    "[{server: '*', namespace: '*'}, {server: '*', namespace: '!['}]",
    'server: https://a, namespace: x',
    false,
  ],
  [
    'B10 an unreadable permit permits nothing',
    "[{server: '*', namespace: '['}]",
    'server: https://a, namespace: x',
    false,
  ],
];
for (const [title, entries, destination, permitted] of destinations) {
  test(title, () => {
    const yaml = project('p', `sourceRepos: ['*']\ndestinations: ${entries}`) + clusters;
    const given = new Given(yaml + app('https://g/x', destination));
    const { server, name, namespace } = given.app('shop').spec.destination;
    const text = `InvalidSpecError: application destination server '${name ?? server}' and namespace '${namespace}' do not match any of the allowed destinations in project 'p'`;
    if (permitted) assert.ok(given.admitted('shop').ok);
    else assert.equal(given.refusal('shop'), text);
  });
}

const rules = (more: string): Given =>
  new Given(
    project(
      'p',
      `sourceRepos: ['*']\ndestinations: [{server: '${local}', namespace: shop}, {server: '${local}', namespace: other}]\n${more}`,
    ) + app('https://g/x'),
  );
const kindRefused = (kind: string): string => `resource ${kind} is not permitted in project p`;

test('B11 an object in a namespace of its own is refused', () => {
  assert.equal(
    rules('').object('shop', { kind: 'ConfigMap', namespace: 'kube-system' }),
    "namespace kube-system is not permitted in project 'p'",
  );
  assert.equal(
    rules('').object('shop', { kind: 'ConfigMap', namespace: '' }),
    "namespace  is not permitted in project 'p'",
  );
});

test('B12 without a list every namespaced kind is permitted', () => {
  assert.equal(rules('').object('shop', { group: 'x.io', kind: 'Anything', namespace: 'shop' }), 'allowed');
  assert.equal(
    rules('namespaceResourceWhitelist: null').object('shop', { kind: 'ConfigMap', namespace: 'shop' }),
    'allowed',
  );
});

test('B13 an empty list permits no namespaced kind', () => {
  assert.equal(
    rules('namespaceResourceWhitelist: []').object('shop', { kind: 'ConfigMap', namespace: 'shop' }),
    kindRefused(':ConfigMap'),
  );
});

test('B14 without a list no cluster-scoped kind is permitted', () => {
  const role = { group: 'rbac.authorization.k8s.io', kind: 'ClusterRole', namespaced: false };
  assert.equal(rules('').object('shop', role), kindRefused('rbac.authorization.k8s.io:ClusterRole'));
  assert.equal(
    rules('').object('shop', { ...role, namespaced: true }),
    kindRefused('rbac.authorization.k8s.io:ClusterRole'),
  );
});

test('B15 a permitted Namespace is permitted by its name only', () => {
  const given = rules("clusterResourceWhitelist: [{group: '', kind: Namespace, name: 'team1-*'}]");
  assert.equal(given.object('shop', { kind: 'Namespace', namespaced: false, name: 'team1-dev' }), 'allowed');
  assert.equal(
    given.object('shop', { kind: 'Namespace', namespaced: false, name: 'other' }),
    kindRefused(':Namespace'),
  );
});

test('B16 a kind in both lists is refused', () => {
  const lists =
    'namespaceResourceWhitelist: [{group: "", kind: Secret}]\nnamespaceResourceBlacklist: [{group: "", kind: "S*"}]';
  assert.equal(rules(lists).object('shop', { kind: 'Secret', namespace: 'shop' }), kindRefused(':Secret'));
});

test('B16 a denied pattern that cannot be read denies every kind', () => {
  const given = rules('namespaceResourceBlacklist: [{group: "", kind: "["}]');
  assert.equal(given.object('shop', { kind: 'Secret', namespace: 'shop' }), kindRefused(':Secret'));
});

test('B18 a live object of a forbidden kind is not the Application’s to delete', () => {
  const given = rules('namespaceResourceBlacklist: [{group: apps, kind: Deployment}]');
  assert.equal(
    given.object('shop', { group: 'apps', kind: 'Deployment', namespace: 'shop' }),
    kindRefused('apps:Deployment'),
  );
});

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

const noon = Date.UTC(2026, 10, 16, 12, 0); // a Monday
const sync = (windows: string, request: { manual?: boolean; now?: number; startedAt?: number } = {}): string => {
  const given = new Given(
    project('p', `sourceRepos: ['*']\n${anywhere}\nsyncWindows:\n${windows}`) + app('https://g/x'),
  );
  const verdict = permitsSync(given.project('p'), given.app('shop'), { now: noon, manual: false, ...request });
  return verdict.answer === 'allowed' ? 'allowed' : verdict.message;
};
const blocked = 'cannot sync: blocked by sync window';
const window = (kind: string, schedule: string, more = "applications: ['*']"): string =>
  `- {kind: ${kind}, schedule: '${schedule}', duration: 1h, ${more}}\n`;

const windows: readonly [
  title: string,
  windows: string,
  request: { manual?: boolean; now?: number; startedAt?: number },
  open: boolean,
][] = [
  ['B23 an inactive allow window keeps automation out', window('allow', '0 3 * * *'), {}, false],
  ['B23 and a person, unless it says manualSync', window('allow', '0 3 * * *'), { manual: true }, false],
  [
    'B23 manualSync lets a person in',
    window('allow', '0 3 * * *', "applications: ['*'], manualSync: true"),
    { manual: true },
    true,
  ],
  ['B23 an active allow window lets automation in', window('allow', '30 11 * * *'), {}, true],
  ['B23 the start instant itself is not yet inside', window('allow', '0 12 * * *'), {}, false],
  ['B23 one millisecond later it is', window('allow', '0 12 * * *'), { now: noon + 1 }, true],
  ['B23 a window for others does not count', window('allow', '0 3 * * *', 'applications: [other]'), {}, true],
  [
    'B23 a window of a time zone opens by its clock',
    window('allow', '30 12 * * *', "applications: ['*'], timeZone: Europe/Vienna"),
    {},
    true,
  ],
  [
    'B23 and not by the clock of UTC',
    window('allow', '30 11 * * *', "applications: ['*'], timeZone: Europe/Vienna"),
    {},
    false,
  ],
  ['B23 both days restricted are joined by or', window('allow', '30 11 1 * mon'), {}, true],
  [
    'B23 andOperator needs every selector',
    window('deny', '30 11 * * *', "applications: ['*'], namespaces: [other], andOperator: true"),
    {},
    true,
  ],
  [
    'B23 without andOperator one selector suffices',
    window('deny', '30 11 * * *', 'applications: [other], namespaces: [shop]'),
    {},
    false,
  ],
  [
    'B23 a pattern with a slash asks for the namespace',
    window('deny', '30 11 * * *', "applications: ['argocd/*']"),
    {},
    false,
  ],
  [
    'B23 a selector that cannot be read blocks',
    window('deny', '0 3 * * *', "applications: [other, 'a[']"),
    { manual: true },
    false,
  ],
  ['B23 a selector that cannot be read opens nothing', window('allow', '30 11 * * *', "namespaces: ['{a']"), {}, false],
  ['B23 an unreadable window blocks', window('deny', 'never'), { manual: true }, false],
  [
    'B24 every active deny must let a person in',
    window('deny', '30 11 * * *', "applications: ['*'], manualSync: true") + window('deny', '40 11 * * *'),
    { manual: true },
    false,
  ],
  [
    'B24 all of them do',
    window('deny', '30 11 * * *', "applications: ['*'], manualSync: true"),
    { manual: true },
    true,
  ],
  ['B24 a deny wins over an allow', window('allow', '30 11 * * *') + window('deny', '30 11 * * *'), {}, false],
  [
    'B25 a running sync goes on where all denies overrun',
    window('deny', '30 11 * * *', "applications: ['*'], syncOverrun: true"),
    { startedAt: noon - 3_600_000 },
    true,
  ],
  [
    'B25 and stops where one does not',
    window('deny', '30 11 * * *', "applications: ['*'], syncOverrun: true") + window('deny', '40 11 * * *'),
    { startedAt: noon - 3_600_000 },
    false,
  ],
  [
    'B25 and where it was not permitted at its start',
    window('deny', '30 11 * * *', "applications: ['*'], syncOverrun: true"),
    { startedAt: noon - 60_000 },
    false,
  ],
];
for (const [title, list, request, open] of windows) {
  test(title, () => assert.equal(sync(list, request), open ? 'allowed' : blocked));
}

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
