import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  applicationsOverQuota,
  classifyAddress,
  permitsConnection,
  permitsFiles,
  permitsOperation,
  projectWarnings,
  readMeaning,
  serviceAccountUser,
  visibilityMode,
} from '../../../src/core/policy/index.ts';
import { urlsOf } from '../../../src/core/tree/index.ts';
import { application, clusterSecret, Given, local, project, settings, text } from './given.ts';

// The setting of the threat model: two teams, a platform project, impersonation on.
const team = (name: string): string => `
sourceNamespaces: [${name}]
sourceRepos: ['https://git.example.com/${name}/**']
destinations: [{server: '${local}', namespace: ${name}}]
destinationServiceAccounts: [{server: '${local}', namespace: ${name}, defaultServiceAccount: deployer}]
`;
const everything =
  "sourceRepos: ['*']\ndestinations: [{server: '*', namespace: '*'}]\nclusterResourceWhitelist: [{group: '*', kind: '*'}]";
const ext = (name: string): string => `
sourceNamespaces: [${name}]
sourceRepos: ['https://git.example.com/${name}/**']
permitOnlyProjectScopedClusters: true
destinations: [{server: 'https://${name}.example.com', namespace: '*'}]
`;
const world =
  settings('application.sync.impersonation.enabled: "true"') +
  project('team-a', team('team-a')) +
  project('team-a-ext', ext('team-a')) +
  project('team-b', team('team-b')) +
  project('team-b-ext', ext('team-b')) +
  project('platform', everything) +
  project('default', everything);
const flags = { appNamespaces: ['team-a', 'team-b'] };
const given = (yaml: string, more = ''): Given => new Given(world + yaml + more, flags);
const app = (over: { project?: string; repo?: string; destination?: string; namespace?: string } = {}): string => {
  const {
    project: name = 'team-a',
    repo = 'https://git.example.com/team-a/shop',
    destination = `server: '${local}', namespace: team-a`,
    namespace = 'team-a',
  } = over;
  return application(
    'shop',
    namespace,
    `project: ${name}\nsource: {repoURL: ${JSON.stringify(repo)}, path: .}\ndestination: {${destination}}`,
  );
};
const refusal = (yaml: string): string => given(yaml).refusal('team-a/shop');
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

const operation = (sync: string): string => {
  const yaml = app().replace('spec:', `operation: {sync: ${sync}}\nspec:`);
  const all = given(yaml);
  const asked = all.app('team-a/shop').operation;
  assert.ok(asked);
  return text(permitsOperation(all.project('team-a'), asked));
};
test('T-052 links that are scripts are dropped when they are read', () => {
  const link = (address: string): readonly string[] =>
    urlsOf({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'x', annotations: { 'link.argocd.argoproj.io/external-link': address } },
    });
  for (const address of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    't|data:text/html,x',
    'vbscript:x',
    'Docs | javascript:x',
  ])
    assert.deepEqual(link(address), [], address);
  assert.deepEqual(link('https://docs.example.com/'), ['https://docs.example.com/']);
});
test('T-013 manifests written into an operation', () => {
  assert.equal(operation("{manifests: ['{}']}"), 'local manifests in an operation are not permitted');
});
test('T-014 a foreign source in an operation', () => {
  const message = "application repo https://git.example.com/team-b/x is not permitted in project 'team-a'";
  assert.equal(operation("{source: {repoURL: 'https://git.example.com/team-b/x'}}"), message);
  assert.equal(
    operation(
      "{sources: [{repoURL: 'https://git.example.com/team-a/x'}, {repoURL: 'https://git.example.com/team-b/x'}]}",
    ),
    message,
  );
  assert.equal(operation("{source: {repoURL: 'https://git.example.com/team-a/x'}}"), 'allowed');
});

const destinationRefused = (namespace: string, server = local): string =>
  `InvalidSpecError: application destination server '${server}' and namespace '${namespace}' do not match any of the allowed destinations in project 'team-a'`;
test('T-018 a destination edited before deletion is refused', () => {
  assert.equal(refusal(app({ destination: `server: '${local}', namespace: team-b` })), destinationRefused('team-b'));
});

const object = (subject: Parameters<Given['object']>[1], more = ''): string =>
  given(app() + more).object('team-a/shop', subject);
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
test('T-041 addresses that a transport reads otherwise', () => {
  const open = project('team-a', team('team-a').replace("['https://git.example.com/team-a/**']", "['*']"));
  for (const repo of [
    'https://git.example.com/team-a/../team-b/x',
    'https://git.example.com/team-a/%2e%2e/team-b',
    'https://git.example.com/team-a/x%2fy',
    'ext::sh -c id',
    '-oProxyCommand=id',
    'https://git.example.com/x\nhttps://evil',
    'javascript://x',
    'https://a b/c',
    '',
  ]) {
    assert.match(
      new Given(open + app({ repo }), flags).refusal('team-a/shop'),
      /^InvalidSpecError: application repo .*is not permitted in project 'team-a'$/,
      repo,
    );
  }
  for (const repo of [
    'https://git.example.com@evil.example.com/team-a/x',
    'https://git.example.com:8443/team-a/x',
    'git@git.example.com:team-a/x',
    'https://git.example.com/team-b/team-a/x',
  ]) {
    assert.match(refusal(app({ repo })), /is not permitted in project 'team-a'$/, repo);
  }
  assert.ok(given(app({ repo: 'https://GIT.example.com/Team-A/.github.git' })).admitted('team-a/shop').ok);
});
test('T-041 a password in a refused address is not repeated', () => {
  assert.equal(
    refusal(app({ repo: 'https://user:canary@git.example.com/team-b/x' })),
    "InvalidSpecError: application repo https://***@git.example.com/team-b/x is not permitted in project 'team-a'",
  );
});
test('T-044 a ref source outside the project', () => {
  const spec = `project: team-a\nsources: [{repoURL: 'https://git.example.com/team-a/x', path: .}, {repoURL: 'https://git.example.com/team-b/values', ref: v}]\ndestination: {server: '${local}', namespace: team-a}`;
  assert.match(refusal(application('shop', 'team-a', spec)), /team-b\/values is not permitted/);
});
test('T-045 5,000 Applications against a quota', () => {
  const all = given(project('team-a', `${team('team-a')}quota: {applications: 100}`) + app());
  const one = all.app('team-a/shop');
  const many = Array.from({ length: 5000 }, (_, i) => ({ ...one, metadata: { ...one.metadata, name: `shop-${i}` } }));
  assert.equal(applicationsOverQuota(all.project('team-a'), many).size, 4900);
});

const identity = (account: string, destination?: string): string => {
  const rules = team('team-a').replace('deployer}', `${JSON.stringify(account)}}`);
  const yaml = project('team-a', rules) + app(destination === undefined ? {} : { destination });
  return new Given(settings('application.sync.impersonation.enabled: "true"') + yaml, flags).identity('team-a/shop');
};
test('T-049 control characters in names never reach a message as they are', () => {
  const hostile = '\u001b[31mred\r\n\u202eevil';
  const yaml = [
    app({ project: JSON.stringify(hostile) }),
    app({ destination: `name: ${JSON.stringify(hostile)}, namespace: team-a` }),
    app({ destination: `server: ${JSON.stringify(`https://${hostile}`)}, namespace: team-a` }),
    app({ repo: `https://g/${hostile}` }),
  ];
  for (const each of yaml) assert.doesNotMatch(refusal(each), /[\p{Cc}\u202e]/u);
  assert.doesNotMatch(object({ group: hostile, kind: hostile, namespace: hostile }), /[\p{Cc}\u202e]/u);
});
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

const secret = (data: string, config = '{"bearerToken":"t"}'): string =>
  clusterSecret('mine', 'team-a', `${data}\nconfig: '${config}'`);
const mine = 'name: mine\nserver: https://team-a.example.com\nproject: team-a-ext';
const acceptance = (yaml: string, more = ''): string =>
  new Given(
    more === '' ? world + yaml : more + world.replace(/^[\s\S]*?(?=\n---\napiVersion: argoproj)/, '') + yaml,
    flags,
  ).acceptance('team-a/mine');
const forbidden = (key: string): string =>
  `'${key}' is not permitted in a cluster Secret outside the control-plane namespace`;

test('T-075 the local address without a credential', () => {
  assert.match(
    acceptance(secret(mine.replace('team-a.example.com', 'kubernetes.default.svc'), '{}')),
    /^server is the address of the local cluster/,
  );
});
test('T-076 other spellings of it without a credential', () => {
  for (const host of ['10.96.0.1', 'api.internal'])
    assert.match(acceptance(secret(mine.replace('team-a.example.com', host), '{}')), /^config holds no credential/);
  assert.match(acceptance(secret(mine.replace('team-a.example.com', '[::1]:6443'))), /^server is a loopback address/);
});
test('T-077 a program', () =>
  assert.equal(
    acceptance(secret(mine, '{"bearerToken":"t","execProviderConfig":{"command":"id"}}')),
    forbidden('config.execProviderConfig'),
  ));
test('T-078 cloud authentication', () =>
  assert.equal(
    acceptance(secret(mine, '{"bearerToken":"t","awsAuthConfig":{"clusterName":"x"}}')),
    forbidden('config.awsAuthConfig'),
  ));
test('T-079 files of the controller', () => {
  for (const key of ['tokenFile', 'bearerTokenFile'])
    assert.equal(acceptance(secret(mine, `{"bearerToken":"t","${key}":"/x"}`)), forbidden(`config.${key}`));
  for (const key of ['caFile', 'certFile', 'keyFile'])
    assert.equal(
      acceptance(secret(mine, `{"bearerToken":"t","tlsClientConfig":{"${key}":"/x"}}`)),
      forbidden(`config.tlsClientConfig.${key}`),
    );
});
test('T-080 a proxy', () =>
  assert.equal(acceptance(secret(mine, '{"bearerToken":"t","proxyUrl":"socks5://x"}')), forbidden('config.proxyUrl')));
test('T-081 insecure TLS and plain HTTP', () => {
  assert.equal(
    acceptance(secret(mine, '{"bearerToken":"t","tlsClientConfig":{"insecure":true}}')),
    forbidden('config.tlsClientConfig.insecure'),
  );
  assert.equal(acceptance(secret(mine.replace('https:', 'http:'))), 'server must begin with https://');
});
test('T-082 addresses no tenant may be connected to', () => {
  const { outbound } = given('').snapshot.settings;
  const to = (address: string): string =>
    permitsConnection(outbound, { purpose: 'tenant-cluster', host: 'x.example.com', port: 443, address }).answer;
  for (const address of [
    '127.0.0.1',
    '127.8.8.8',
    '::1',
    '169.254.169.254',
    'fe80::1',
    '0.0.0.0',
    '::',
    '::ffff:127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    'fd00:ec2::254',
    '100.100.100.200',
    '2002:7f00:1::',
    'nonsense',
    '224.0.0.1',
    '::ffff:0:127.0.0.1',
  ]) {
    assert.equal(to(address), 'denied', address);
  }
  for (const address of ['10.0.0.1', '192.168.1.1', '172.16.0.1', '8.8.8.8', 'fd12::1', '2001:db8::1'])
    assert.equal(to(address), 'allowed', address);
  assert.equal(
    acceptance(secret(mine.replace('team-a.example.com', '169.254.169.254'))),
    'server is a metadata address; an admin can list it in cluster.tenant.allowedHosts',
  );
  assert.equal(
    acceptance(secret(mine.replace('team-a.example.com', '2130706433'))),
    'server is a loopback address; an admin can list it in cluster.tenant.allowedHosts',
  );
});
test('T-082 an admin’s exception is for that host and port alone', () => {
  const { outbound } = new Given(
    settings("cluster.tenant.allowedHosts: '127.0.0.1:6443'\nsource.allowedHosts: 'git.local,file:'"),
  ).snapshot.settings;
  const cluster = (port: number): string =>
    permitsConnection(outbound, { purpose: 'tenant-cluster', host: '127.0.0.1', port, address: '127.0.0.1' }).answer;
  assert.deepEqual([cluster(6443), cluster(6444)], ['allowed', 'denied']);
  const source = (host: string): string =>
    permitsConnection(outbound, { purpose: 'source', host, port: 443, address: '127.0.0.1' }).answer;
  assert.deepEqual([source('git.local'), source('127.0.0.1')], ['allowed', 'denied']);
  assert.equal(permitsFiles(outbound), true);
  assert.equal(permitsFiles(given('').snapshot.settings.outbound), false);
  assert.equal(classifyAddress('127.1'), undefined);
});
test('T-085 no project', () =>
  assert.match(acceptance(secret(mine.replace('\nproject: team-a-ext', ''))), /^project is required/));
test('T-086 a project that does not list the namespace and a missing one read alike', () => {
  const text_ = (name: string): string => `project '${name}' does not exist or does not permit namespace 'team-a'`;
  assert.equal(acceptance(secret(mine.replace('team-a-ext', 'team-b-ext'))), text_('team-b-ext'));
  assert.equal(acceptance(secret(mine.replace('team-a-ext', 'nowhere'))), text_('nowhere'));
});
test('T-087 a project value that is no name', () => {
  for (const name of ["' team-a-ext'", '"team-a-ext\\n"', 'Team-A-Ext', "'team-a-ext, team-b-ext'"]) {
    assert.equal(acceptance(secret(mine.replace('team-a-ext', name))), 'project is not the name of a project');
  }
});
const extApp = (destination: string, more: { namespace?: string; project?: string } = {}): string =>
  app({ project: 'team-a-ext', destination, ...more });
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
test('T-090 cluster resources where the project permits none', () => {
  assert.equal(
    acceptance(secret(`${mine}\nnamespaces: a\nclusterResources: "true"`)),
    "clusterResources is true, but project 'team-a-ext' permits no cluster-scoped kind",
  );
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
test('T-098 a shard is ignored', () => {
  for (const shard of ['0', '-1', '99999', 'x'])
    assert.equal(acceptance(secret(`${mine}\nshard: "${shard}"`)), 'accepted');
});
test('T-099 ten thousand namespaces are refused before anything is connected', () => {
  const all = given(secret(`${mine}\nnamespaces: "${Array.from({ length: 10_000 }, (_, i) => `n${i}`).join(',')}"`));
  assert.deepEqual(all.snapshot.clusters, []);
  assert.deepEqual(all.assembled.unreadable, [
    { object: 'Secret team-a/mine', reason: 'data.namespaces: is too long' },
  ]);
  assert.equal(
    acceptance(
      secret(`${mine}\nnamespaces: "${Array.from({ length: 1100 }, (_, i) => (i % 36).toString(36)).join(',')}"`),
    ),
    'namespaces lists more than 1000',
  );
});
test('T-100 ten thousand Secrets do not disturb another tenant', () => {
  const many = Array.from(
    { length: 10_000 },
    (_, i) =>
      `\n---\n{apiVersion: v1, kind: Secret, metadata: {name: bad-${i}, namespace: team-a, labels: {argocd.argoproj.io/secret-type: cluster}}, stringData: {server: 'https://x-${i}'}}`,
  ).join('');
  const b = clusterSecret(
    'mine',
    'team-b',
    `name: mine\nserver: https://team-b.example.com\nproject: team-b-ext\nconfig: '{"bearerToken":"t"}'`,
  );
  const all = given(
    many +
      b +
      app({
        project: 'team-b-ext',
        namespace: 'team-b',
        repo: 'https://git.example.com/team-b/x',
        destination: 'name: mine, namespace: x',
      }),
  );
  assert.equal(all.admitted('team-b/shop').cluster.namespace, 'team-b');
});
test('T-103 discovery that lies about built-in kinds', () => {
  assert.equal(
    object({ group: 'rbac.authorization.k8s.io', kind: 'ClusterRole', namespace: 'team-a', namespaced: true }),
    'resource rbac.authorization.k8s.io:ClusterRole is not permitted in project team-a',
  );
  assert.equal(object({ group: '__proto__', kind: 'constructor', namespace: 'team-a' }), 'allowed');
});
test('T-108 a tenant’s Secret of another type', () => {
  for (const type of ['repository', 'repo-creds', 'scm-creds']) {
    const all = given(secret(`${mine}\nurl: https://x`).replace('secret-type: cluster', `secret-type: ${type}`));
    assert.deepEqual([all.snapshot.clusters, all.snapshot.repositories], [[], []]);
  }
});
test('T-109 content that cannot be read costs that Secret alone', () => {
  for (const config of [
    '{',
    '[]',
    '"x"',
    '{"bearerToken":1}',
    '{"a":1,"a":2}',
    `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`,
    '{"tlsClientConfig":[]}',
  ]) {
    const all = given(secret(mine, config) + app());
    assert.ok(
      all.snapshot.clusters.every(({ acceptance: { accepted } }) => !accepted),
      config,
    );
    assert.ok(all.admitted('team-a/shop').ok);
  }
  assert.equal(
    acceptance(secret(mine, '{"bearerToken":"t","__proto__":{"insecure":true}}')),
    forbidden('config.__proto__'),
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

const target = { group: '', resource: 'pods', kind: 'Pod', namespace: '' };
const answer = { verb: 'list', status: 403, kubernetesStatus: true, acceptedElsewhere: true } as const;
test('T-115 a proxy’s 403', () =>
  assert.equal(readMeaning('normal', target, { ...answer, kubernetesStatus: false }).means, 'retry'));
test('T-116 an expired token', () =>
  assert.equal(
    readMeaning('normal', target, { ...answer, status: 401, acceptedElsewhere: false }).means,
    'connection-fault',
  ));
test('T-117 a true 403', () => {
  assert.equal(readMeaning('normal', target, answer).means, 'no-access');
  assert.equal(readMeaning('strict', target, answer).means, 'review');
});
test('T-121 list allowed, watch forbidden', () =>
  assert.equal(readMeaning('normal', target, { ...answer, verb: 'watch' }).means, 'no-access'));
test('T-122 equal plurals in two groups', () => {
  const review = (group: string): unknown => readMeaning('strict', { ...target, group }, answer);
  assert.notDeepEqual(review(''), review('metrics.k8s.io'));
});
test('T-123 decided per namespace', () => {
  const meaning = readMeaning('strict', { ...target, namespace: 'n2' }, answer);
  assert.ok(meaning.means === 'review' && meaning.reviews.every(({ namespace }) => namespace === 'n2'));
});
test('T-124 a review that fails', () =>
  assert.equal(readMeaning('strict', target, { ...answer, review: 'failed' }).means, 'undecided'));
test('T-127 unset, one forbidden kind on a tenant’s cluster', () => {
  assert.equal(readMeaning(visibilityMode('off', true), target, answer).means, 'no-access');
  assert.equal(readMeaning(visibilityMode('off', false), target, answer).means, 'cluster-error');
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
