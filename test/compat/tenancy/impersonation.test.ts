import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admitApplication, projectWarnings } from '../../../src/core/policy/index.ts';
import { application, clusterSecret, Given, local, printIdentity, project, settings } from './given.ts';

const on = settings('application.sync.impersonation.enabled: "true"');
const enforced = (value: string): string =>
  settings(`application.sync.impersonation.enabled: "true"\napplication.sync.impersonation.enforced: "${value}"`);
const app = (destination: string, namespace = 'argocd'): string =>
  application(
    'guestbook',
    namespace,
    `project: my-project\nsource: {repoURL: 'https://g/x', path: guestbook}\ndestination: {${destination}}`,
  );
const to = (namespace: string): string => app(`server: '${local}', namespace: ${namespace}`);
const withoutNamespace = app(`server: '${local}'`);
const entry = (namespace: string, account: string): string =>
  `- {server: '${local}', namespace: '${namespace}', defaultServiceAccount: '${account}'}`;
const rules = (entries: string, destinations = "[{server: '*', namespace: '*'}]"): string =>
  project('my-project', `sourceRepos: ['*']\ndestinations: ${destinations}\ndestinationServiceAccounts:\n${entries}`);
const user = (namespace: string, name: string): string => `system:serviceaccount:${namespace}:${name}`;

const three = [
  entry('guestbook-prod', 'guestbook-prod-deployer'),
  entry('guestbook-*', 'guestbook-generic-deployer'),
  entry('*', 'generic-deployer'),
].join('\n');
const two = [entry('guestbook', 'guestbook-deployer'), entry('guestbook-ui', 'guestbook-ui-deployer')].join('\n');
const twoDestinations = `[{server: '${local}', namespace: guestbook}, {server: '${local}', namespace: guestbook-ui}]`;
const missing = (namespace: string): string =>
  `refused: no matching service account found for destination server ${local} and namespace ${namespace}`;

const rows: readonly [title: string, yaml: string, identity: string][] = [
  [
    'G2 a star takes the account of the destination namespace',
    on + rules(entry('*', 'generic-deployer')) + to('guestbook'),
    user('guestbook', 'generic-deployer'),
  ],
  [
    'G3 the entry of the namespace is taken',
    on + rules(two, twoDestinations) + to('guestbook'),
    user('guestbook', 'guestbook-deployer'),
  ],
  ['G4 the catch-all takes what no other entry does', on + rules(three) + to('myns'), user('myns', 'generic-deployer')],
  [
    'G5 a pattern before the catch-all is taken',
    on + rules(three) + to('guestbook-dev'),
    user('guestbook-dev', 'guestbook-generic-deployer'),
  ],
  [
    'G5 for each namespace it covers',
    on + rules(three) + to('guestbook-stage'),
    user('guestbook-stage', 'guestbook-generic-deployer'),
  ],
  [
    'G6 the first of three candidates is taken',
    on + rules(three) + to('guestbook-prod'),
    user('guestbook-prod', 'guestbook-prod-deployer'),
  ],
  [
    'G7 a star listed first hides an exact entry',
    on + rules([entry('*', 'generic'), entry('guestbook', 'exact')].join('\n')) + to('guestbook'),
    user('guestbook', 'generic'),
  ],
  [
    'G8 an account with a namespace lives there',
    on + rules(entry('*', 'mynamespace:guestbook-deployer')) + to('guestbook'),
    user('mynamespace', 'guestbook-deployer'),
  ],
  [
    'G9 without a destination namespace the account lives with the Application',
    on + rules(entry('*', 'x')) + withoutNamespace,
    user('argocd', 'x'),
  ],
  [
    'G10 without a destination namespace the first entry that is itself a destination is taken',
    on + rules(two, twoDestinations) + withoutNamespace,
    user('argocd', 'guestbook-deployer'),
  ],
  [
    'G10 an entry that is no destination of the project is passed over',
    on + rules([entry('secret', 'strong'), ...two.split('\n')].join('\n'), twoDestinations) + withoutNamespace,
    user('argocd', 'guestbook-deployer'),
  ],
  [
    'G10 a star is no destination where only names are permitted',
    on + rules(entry('*', 'x'), twoDestinations) + withoutNamespace,
    user('argocd', 'default'),
  ],
  [
    'G11 an account with a namespace is taken as it is',
    on + rules(entry('*', 'guestbook:guestbook-deployer')) + withoutNamespace,
    user('guestbook', 'guestbook-deployer'),
  ],
  [
    'G12 nothing matches: the default account of the destination namespace',
    on + rules(two) + to('elsewhere'),
    user('elsewhere', 'default'),
  ],
  [
    'G12 no entries at all: the default account of the destination namespace',
    on + rules('  []') + to('elsewhere'),
    user('elsewhere', 'default'),
  ],
  [
    'G12 enforced "true": nothing matches, nothing is done',
    enforced('true') + rules(two) + to('elsewhere'),
    missing('elsewhere'),
  ],
  [
    'G13 enforced "false": the credential of the cluster',
    enforced('false') + rules(two) + to('elsewhere'),
    'cluster: not-enforced',
  ],
  [
    'G14 an explicit catch-all names the default account',
    on +
      rules([entry('prod', 'p'), "- {server: '*', namespace: '*', defaultServiceAccount: default}"].join('\n')) +
      to('x'),
    user('x', 'default'),
  ],
  [
    'G16 the name of a cluster in server never matches',
    on + rules("- {server: in-cluster, namespace: '*', defaultServiceAccount: named}") + to('x'),
    user('x', 'default'),
  ],
  [
    'G19 an account with a star is an error, not a skip',
    on + rules([entry('*', 'a*b'), entry('*', 'next')].join('\n')) + to('x'),
    "refused: failed to derive service account to impersonate: default service account contains invalid chars 'a*b'",
  ],
  [
    'G20 a broken pattern that is reached is an error',
    on + rules([entry('[', 'a'), entry('*', 'next')].join('\n')) + to('x'),
    "refused: failed to derive service account to impersonate: invalid glob pattern for destination namespace: '['",
  ],
  [
    'G20 a broken pattern after the match is not reached',
    on + rules([entry('*', 'a'), entry('[', 'b')].join('\n')) + to('x'),
    user('x', 'a'),
  ],
  [
    'G30 deletion has the same identity, so it is refused alike',
    enforced('true') + rules(two) + to('elsewhere'),
    missing('elsewhere'),
  ],
  [
    'G42 switched off, the credential of the cluster is used',
    settings('application.sync.impersonation.enabled: "false"') + rules(two) + to('guestbook'),
    'cluster: impersonation-off',
  ],
  [
    'G43 fields of other kinds of impersonation have no effect',
    on +
      rules(
        entry('*', 'a').replace(
          '{server',
          "{user: admin, groups: ['system:masters'], allowedServiceAccounts: [b], server",
        ),
      ) +
      to('x'),
    user('x', 'a'),
  ],
];
for (const [title, yaml, identity] of rows) {
  test(title, () => assert.equal(new Given(yaml).identity('guestbook'), identity));
}

test('G9 an entry without a namespace is for destinations without one', () => {
  const entries = `- {server: '${local}', defaultServiceAccount: d}`;
  assert.equal(
    new Given(on + rules(entries, twoDestinations) + withoutNamespace).identity('guestbook'),
    user('argocd', 'd'),
  );
  assert.equal(
    new Given(on + rules(entries, twoDestinations) + to('guestbook')).identity('guestbook'),
    user('guestbook', 'default'),
  );
});

test('G10 without a destination namespace the cluster alone is checked, and each object by itself', () => {
  const given = new Given(on + rules(two, twoDestinations) + withoutNamespace);
  assert.equal(given.object('guestbook', { kind: 'ConfigMap', namespace: 'guestbook-ui' }), 'allowed');
  assert.equal(
    given.object('guestbook', { kind: 'ConfigMap', namespace: 'other' }),
    "namespace other is not permitted in project 'my-project'",
  );
  const refused = `InvalidSpecError: application destination server '${local}' and namespace '' do not match any of the allowed destinations in project 'my-project'`;
  for (const destinations of [
    "[{server: 'https://other', namespace: '*'}]",
    `[{server: '*', namespace: '*'}, {server: '!${local}', namespace: x}]`,
  ]) {
    assert.equal(new Given(on + rules(two, destinations) + withoutNamespace).refusal('guestbook'), refused);
  }
});

test('G42 a switch counts from the next decision on, also where an answer was remembered', () => {
  const given = new Given(on + rules(two, twoDestinations) + to('guestbook'));
  assert.equal(given.identity('guestbook'), user('guestbook', 'guestbook-deployer'));
  const { snapshot } = given;
  const impersonation = { enabled: false, enforced: undefined };
  const off = { ...snapshot, revision: 2, settings: { ...snapshot.settings, impersonation } };
  const admission = admitApplication(off, given.app('guestbook'));
  assert.ok(admission.ok);
  assert.equal(admission.project, given.project('my-project'), 'the project was compiled anew');
  assert.equal(printIdentity(admission.identity), 'cluster: impersonation-off');
});

test('G1 off: the credential of the cluster, and a warning on project and Application', () => {
  const given = new Given(rules(two, twoDestinations) + to('guestbook'));
  assert.equal(given.identity('guestbook'), 'cluster: impersonation-off');
  const text =
    'destinationServiceAccounts have no effect: impersonation is off (application.sync.impersonation.enabled in argocd-cm)';
  assert.deepEqual(given.admitted('guestbook').warnings, [text]);
  assert.deepEqual(
    projectWarnings(given.snapshot, 'my-project').map(({ message }) => message),
    [text],
  );
});

test('G1 each of the documented switches turns it on', () => {
  const yaml = rules(entry('*', 'x')) + to('ns');
  const key = settings('applicationcontroller.enable.impersonation: "true"');
  assert.equal(new Given(key + yaml).identity('guestbook'), user('ns', 'x'));
  assert.equal(new Given(yaml, { impersonation: true }).identity('guestbook'), user('ns', 'x'));
  assert.equal(
    new Given(settings('application.sync.impersonation.enabled: "True"') + yaml).identity('guestbook'),
    'cluster: impersonation-off',
  );
});

test('G13 the credential of the cluster is used with a warning', () => {
  const { warnings } = new Given(enforced('false') + rules(two) + to('elsewhere')).admitted('guestbook');
  assert.deepEqual(warnings, [
    `no matching service account found for destination server ${local} and namespace elsewhere; the cluster's credential is used because application.sync.impersonation.enforced is "false"`,
  ]);
});

test('G15 a destination by name matches the entry of its address', () => {
  const remote = clusterSecret('remote', 'argocd', "name: remote\nserver: https://remote:6443\nconfig: '{}'");
  const entries = "- {server: 'https://remote:6443/', namespace: '*', defaultServiceAccount: deployer}";
  const given = new Given(on + remote + rules(entries) + app('name: remote, namespace: shop'));
  assert.equal(given.identity('guestbook'), user('shop', 'deployer'));
});

test('G21 one identity serves every object, whatever its namespace', () => {
  const given = new Given(on + rules(three) + to('guestbook-prod'));
  assert.equal(given.object('guestbook', { kind: 'ConfigMap', namespace: 'elsewhere' }), 'allowed');
  assert.equal(given.identity('guestbook'), user('guestbook-prod', 'guestbook-prod-deployer'));
});

test('G22 an account with rights does not exceed the project', () => {
  const given = new Given(
    on + rules(`${entry('*', 'cluster-admin')}\nnamespaceResourceBlacklist: [{group: "", kind: Secret}]`) + to('x'),
  );
  assert.equal(
    given.object('guestbook', { kind: 'Secret', namespace: 'x' }),
    'resource :Secret is not permitted in project my-project',
  );
});

test('G35 an account of the control plane is accepted and warned about', () => {
  const given = new Given(
    on + rules(entry('*', 'argocd:argocd-application-controller'), "[{server: '*', namespace: x}]") + to('x'),
  );
  assert.equal(given.identity('guestbook'), user('argocd', 'argocd-application-controller'));
  assert.deepEqual(
    projectWarnings(given.snapshot, 'my-project').map(({ code, message }) => [code, message]),
    [
      [
        'PrivilegedServiceAccount',
        "'argocd:argocd-application-controller' is an account of 'argocd': Applications of this project act with its rights",
      ],
    ],
  );
});

test('G39 entries of the project come before those of a global one', () => {
  const globals = settings(
    'application.sync.impersonation.enabled: "true"\nglobalProjects: |\n  - {projectName: global, labelSelector: {}}',
  );
  const global = project('global', `destinationServiceAccounts:\n${entry('*', 'catch-all')}`);
  const yaml = globals + global + rules(entry('guestbook', 'own'));
  assert.equal(new Given(yaml + to('guestbook')).identity('guestbook'), user('guestbook', 'own'));
  assert.equal(new Given(yaml + to('other')).identity('guestbook'), user('other', 'catch-all'));
});
