import assert from 'node:assert/strict';
import { test } from 'node:test';
import { permitsSync } from '../../../src/core/policy/index.ts';
import { application, clusterSecret, Given, local, project, text } from './given.ts';

// What one address can be written as: a spelling never gets more than the plain form gets.

const flags = { appNamespaces: ['team-*'] };
const everywhere = `{server: '${local}', namespace: '*'}`;

function app(repo: string, destination = `server: '${local}', namespace: team-a`): string {
  const source = `source: {repoURL: ${JSON.stringify(repo)}, path: .}`;
  return application('shop', 'team-a', `project: team-a\n${source}\ndestination: {${destination}}`);
}

function sources(entries: readonly string[], repo: string): Given {
  const repos = `sourceRepos: ${JSON.stringify(entries)}`;
  const yaml = project('team-a', `sourceNamespaces: [team-a]\n${repos}\ndestinations: [${everywhere}]`);
  return new Given(yaml + app(repo), flags);
}

const wrongHost: readonly [entry: string, repo: string][] = [
  ['https://*.example.com/**', 'https://evil.net?.example.com/x'],
  ['https://*.example.com/**', 'https://evil.net#.example.com/x'],
  ['https://*.example.com/**', 'https://evil.net#@git.example.com/x'],
  ['https://*.example.com/**', 'https://a@evil.net@git.example.com/x'],
  ['https://**', 'https:///evil.net/x'],
  ['https://git.example.com/*/shop', 'https://git.example.com/other?/shop'],
  ['https://git.example.com/kube', 'https://git.example.com/\u212aube'],
  ['https://git.example.com/team-a/**', 'https://git.example.com/team-a/..;/team-b'],
  ['https://git.example.com/team-a/**', 'https://git.example.com/team-a/%252e%252e/team-b'],
  ['https://git.example.com/team-a/**', 'https://git.example.com/team-a/x%0ahost=evil.net'],
];
for (const [entry, repo] of wrongHost) {
  test(`T-041 ${JSON.stringify(repo)} leads elsewhere than ${entry} reads and is refused`, () => {
    assert.match(
      sources([entry], repo).refusal('team-a/shop'),
      /^InvalidSpecError: application repo .* is not permitted in project 'team-a'$/,
    );
  });
}

const sameRepository: readonly [deny: string, repo: string][] = [
  ['https://g.example.com/bad/**', 'https://g.example.com/b%61d/x'],
  ['https://g.example.com/bad/**', 'https://g.example.com//bad/x'],
  ['https://g.example.com/bad/**', 'https://g.example.com./bad/x'],
  ['https://g.example.com/bad/**', 'https://g.example.com:443/bad/x'],
  ['https://g.example.com/bad/**', 'https://somebody@g.example.com/bad/x'],
  ['https://g.example.com/bad/**', 'HTTPS://G.EXAMPLE.COM/Bad/x'],
  ['https://g.example.com:443/bad/**', 'https://g.example.com/bad/x'],
  ['https://g.example.com/bad', 'https://g.example.com/bad/'],
  ['https://g.example.com/bad/', 'https://g.example.com/bad'],
  ['https://g.example.com/bad', 'https://g.example.com/bad.git/'],
  ['https://g.example.com/bad', 'https://g.example.com/bad.git.git'],
  ['git@g.example.com:bad', 'ssh://git@g.example.com:22/bad'],
  ['git@g.example.com:bad', 'git@g.example.com:/bad'],
  ['git@g.example.com:bad', 'ssh://g.example.com/bad'],
  ['git@g.example.com:bad', 'git+ssh://git@g.example.com/bad'],
  ['git@g.example.com:bad', 'root@g.example.com:bad'],
  ['git@g.example.com:bad', 'g.example.com:bad'],
];
for (const [deny, repo] of sameRepository) {
  test(`T-030 !${deny} also keeps out ${repo}`, () => {
    assert.match(
      sources([`!${deny}`, '*'], repo).refusal('team-a/shop'),
      /^InvalidSpecError: application repo .* is not permitted in project 'team-a'$/,
    );
  });
}

test('T-030 a deny keeps out nothing that it does not name', () => {
  const entries = ['!https://g.example.com/bad/**', '!git@g.example.com:bad', '!https://old@g.example.com/shop', '*'];
  for (const repo of [
    'https://g.example.com/badger/x',
    'https://g.example.com:8443/bad/x',
    'https://g.example.com/shop.git',
    'git@g.example.com:good.git',
    'https://g.example.com/good/bad/x',
    'https://me@g.example.com/good/',
  ]) {
    assert.ok(sources(entries, repo).admitted('team-a/shop').ok, repo);
  }
});

const prod = 'https://prod.example.com:6443';

function cluster(server: string, destinations: string): Given {
  const yaml = project('team-a', `sourceNamespaces: [team-a]\nsourceRepos: ['*']\ndestinations: [${destinations}]`);
  const data = `name: mine\nserver: ${JSON.stringify(server)}\nproject: team-a\nconfig: '{"bearerToken":"t"}'`;
  return new Given(
    yaml + clusterSecret('mine', 'team-a', data) + app('https://g/x', 'name: mine, namespace: team-a'),
    flags,
  );
}

for (const server of [
  'https://PROD.example.com:6443',
  'https://prod.example.com.:6443',
  'https://prod.example.com:06443',
  `${prod}/x/..`,
  `${prod}/%2F`,
  `${prod}/x//y`,
  'https://prod%2eexample.com:6443',
  'https:prod.example.com:6443',
  'https:\\\\prod.example.com:6443',
  ` ${prod}`,
  `${prod}\n`,
  `${prod}?`,
  `${prod}#`,
  'https://@prod.example.com:6443',
  'https://prod.example.com:',
]) {
  test(`T-088 a Secret with the server ${JSON.stringify(server)} is not written plainly and rejected`, () => {
    const given = cluster(server, `{server: '*', namespace: '*'}, {server: '!${prod}', namespace: '*'}`);
    assert.equal(
      given.acceptance('team-a/mine'),
      'server is not written plainly: lower case, https://host:port, no empty, dotted or escaped parts',
    );
    assert.equal(given.refusal('team-a/shop'), 'InvalidSpecError: there are no clusters with this name: mine');
  });
}

for (const [deny, server] of [
  [prod, `${prod}/any/path`],
  ['https://prod.example.com', 'https://prod.example.com:443'],
  ['https://prod.example.com:443', 'https://prod.example.com'],
  ['https://prod.example.com/k8s/c-1', 'https://prod.example.com:443/k8s/c-1'],
] as const) {
  test(`T-088 a project that denies ${deny} denies a Secret's ${server}`, () => {
    const given = cluster(server, `{server: '*', namespace: '*'}, {server: '!${deny}', namespace: '*'}`);
    assert.equal(given.acceptance('team-a/mine'), 'accepted');
    assert.equal(
      given.refusal('team-a/shop'),
      "InvalidSpecError: application destination server 'mine' and namespace 'team-a' do not match any of the allowed destinations in project 'team-a'",
    );
  });
}

test('T-088 a namespace denied on one server is denied under every spelling of it', () => {
  const given = cluster(`${prod}/x`, `{server: '*', namespace: '*'}, {server: '${prod}', namespace: '!team-a'}`);
  assert.equal(
    given.refusal('team-a/shop'),
    "InvalidSpecError: application destination server 'mine' and namespace 'team-a' do not match any of the allowed destinations in project 'team-a'",
  );
});

test('T-088 a deny of one address leaves a Secret with another alone', () => {
  for (const server of [
    'https://prod.example.com',
    'https://prod.example.com:6444',
    'https://blue.example.com/k8s/c-1',
  ]) {
    const given = cluster(server, `{server: '*', namespace: '*'}, {server: '!${prod}', namespace: '*'}`);
    assert.ok(given.admitted('team-a/shop').ok, server);
  }
});

for (const address of [
  '[fd00:ec2::254]',
  '[fd00:ec2::23]',
  '[fd20:ce::254]',
  '169.254.169.254',
  '[::ffff:a9fe:a9fe]',
]) {
  test(`T-082 the address ${address} hands out credentials and is rejected`, () => {
    assert.equal(
      cluster(`https://${address}`, "{server: '*', namespace: '*'}").acceptance('team-a/mine'),
      'server is a metadata address; an admin can list it in cluster.tenant.allowedHosts',
    );
  });
}

for (const server of [`${local}.cluster.local`, 'https://kubernetes.default', `${local}:443`]) {
  test(`T-037 the control plane's own objects stay closed where its cluster is called ${server}`, () => {
    const yaml =
      project(
        'team-a',
        "sourceNamespaces: [team-a]\nsourceRepos: ['*']\ndestinations: [{server: '*', namespace: '*'}]",
      ) +
      clusterSecret('local', 'argocd', `name: local\nserver: '${server}'\nconfig: '{"bearerToken":"t"}'`) +
      app('https://g/x', 'name: local, namespace: team-a');
    const subject = { group: 'argoproj.io', kind: 'Application' };
    const given = new Given(yaml, flags);
    assert.equal(
      given.object('team-a/shop', { ...subject, namespace: 'argocd' }),
      "namespace argocd is not permitted in project 'team-a'",
    );
    assert.equal(given.object('team-a/shop', { ...subject, namespace: 'team-a' }), 'allowed');
  });
}

const noon = Date.UTC(2026, 10, 16, 12, 0);

function atNoon(kind: string, clusters: string, destination: string): string {
  const spec = `sourceNamespaces: [team-a]\nsourceRepos: ['*']\ndestinations: [${everywhere}]`;
  const windows = `syncWindows: [{kind: ${kind}, schedule: '30 11 * * *', duration: 1h, clusters: ['${clusters}']}]`;
  const given = new Given(
    project('team-a', `${spec}\n${windows}`) + app('https://g/x', `${destination}, namespace: team-a`),
    flags,
  );
  const { project: effective, cluster } = given.admitted('team-a/shop');
  return text(permitsSync(effective, given.app('team-a/shop'), { now: noon, manual: false, cluster }));
}

for (const [clusters, destination] of [
  [local, `server: '${local}/'`],
  [local, 'name: in-cluster'],
  ['in-cluster', `server: '${local}'`],
] as const) {
  test(`B24 a deny window for ${clusters} holds for {${destination}}, too`, () => {
    assert.equal(atNoon('deny', clusters, destination), 'cannot sync: blocked by sync window');
    assert.equal(atNoon('deny', 'https://other.example.com', destination), 'allowed');
  });
}
