import assert from 'node:assert/strict';
import { test } from 'node:test';
import { projectWarnings } from '../../../src/core/policy/index.ts';
import { application, clusterSecret, Given, local, project } from './given.ts';
import { anywhere, app, kindRefused } from './one-project.ts';

// What a project permits: repositories, destinations, kinds.

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
