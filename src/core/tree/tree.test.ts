import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { load } from 'js-yaml';
import type { JsonObject } from '../json/index.ts';
import {
  claimPrefixes,
  imagesOf,
  indexNodes,
  inferOwners,
  infoOf,
  isClaimOf,
  orphansOf,
  orphanWarning,
  resourceTree,
  summarize,
  type TreeNode,
  urlsOf,
} from './index.ts';

/** `Kind:namespace/name <- owner, owner`; an object's uid is that of its text, owners are `Kind:namespace/name`, too. */
function nodesOf(lines: string): TreeNode[] {
  const texts = lines.split('\n').map((line) => line.trim());
  return texts
    .filter((line) => line !== '')
    .map((line) => {
      const [uid = '', owners = ''] = line.split(' <- ');
      return { key: keyOf(uid), uid, ownerUids: owners === '' ? [] : owners.split(', ') };
    });
}

function keyOf(text: string): TreeNode['key'] {
  const [, kind = '', namespace = '', name = ''] = /^([^:]+):([^/]*)\/(.*)$/.exec(text) ?? [];
  return { group: '', kind, namespace, name };
}

function show(nodes: readonly TreeNode[], roots: readonly string[], hidden: readonly string[] = []): string[] {
  const permits = (key: TreeNode['key']): boolean => !hidden.includes(key.kind);
  return resourceTree({ roots, index: indexNodes(nodes), permits }).map(
    ({ node, parents }) =>
      `${node.uid}${parents.length === 0 ? '' : ` <- ${parents.map(({ uid }) => uid).join(', ')}`}`,
  );
}

const web = `
  Deployment:a/web
  ReplicaSet:a/web-1 <- Deployment:a/web
  Pod:a/web-1-x <- ReplicaSet:a/web-1
  Pod:a/web-1-y <- ReplicaSet:a/web-1
  Pod:a/stray
  Deployment:a/other
  ReplicaSet:a/other-1 <- Deployment:a/other`;

const trees: readonly (readonly [
  title: string,
  lines: string,
  roots: string[],
  wanted: string[],
  hidden?: string[],
])[] = [
  [
    'a tree holds what the roots own and nothing else',
    web,
    ['Deployment:a/web'],
    [
      'Deployment:a/web',
      'ReplicaSet:a/web-1 <- Deployment:a/web',
      'Pod:a/web-1-x <- ReplicaSet:a/web-1',
      'Pod:a/web-1-y <- ReplicaSet:a/web-1',
    ],
  ],
  ['what may not be seen hides what is below it', web, ['Deployment:a/web'], ['Deployment:a/web'], ['ReplicaSet']],
  ['a root that is gone is passed over', web, ['Deployment:a/gone', 'Pod:a/stray'], ['Pod:a/stray']],
  [
    'an object of two owners is there once, with both',
    'A:a/1\nB:a/2\nC:a/3 <- A:a/1, B:a/2',
    ['A:a/1', 'B:a/2'],
    ['A:a/1', 'B:a/2', 'C:a/3 <- A:a/1, B:a/2'],
  ],
  [
    'a root that another root owns keeps its owner',
    'A:a/1\nB:a/2 <- A:a/1',
    ['B:a/2', 'A:a/1'],
    ['B:a/2 <- A:a/1', 'A:a/1'],
  ],
  ['a ring ends', 'A:a/1 <- B:a/2\nB:a/2 <- A:a/1', ['A:a/1'], ['A:a/1 <- B:a/2', 'B:a/2 <- A:a/1']],
  ['an object that owns itself is a root like others', 'A:a/1 <- A:a/1', ['A:a/1'], ['A:a/1']],
  ['an owner in another namespace is none', 'A:a/1\nB:b/2 <- A:a/1\nC:/3 <- A:a/1', ['A:a/1'], ['A:a/1']],
  [
    'something cluster-scoped owns through cluster-scoped things into namespaces',
    'A:/1\nB:/2 <- A:/1\nC:x/3 <- B:/2\nD:y/4 <- A:/1\nE:y/5 <- D:y/4\nF:x/6 <- D:y/4',
    ['A:/1'],
    ['A:/1', 'B:/2 <- A:/1', 'D:y/4 <- A:/1', 'C:x/3 <- B:/2', 'E:y/5 <- D:y/4'],
  ],
];

for (const [title, lines, roots, wanted, hidden] of trees) {
  test(title, () => assert.deepEqual(show(nodesOf(lines), roots, hidden), wanted));
}

test('the same objects give the same tree in whatever order they come', () => {
  const nodes = nodesOf(web);
  const wanted = show(nodes, ['Deployment:a/web', 'Deployment:a/other']);
  fc.assert(
    fc.property(fc.shuffledSubarray(nodes, { minLength: nodes.length }), (mixed) => {
      assert.deepEqual(show(mixed, ['Deployment:a/web', 'Deployment:a/other']), wanted);
    }),
  );
});

test('any web of references ends, with each object at most once', () => {
  const uid = fc.constantFrom('A:a/1', 'A:a/2', 'A:/3', 'A:b/4', 'A:a/5', 'A:/6');
  const nodes = fc.array(fc.record({ uid, ownerUids: fc.array(uid) }));
  fc.assert(
    fc.property(nodes, fc.array(uid), (given, roots) => {
      const all = given.map((node) => ({ ...node, key: keyOf(node.uid) }));
      const found = resourceTree({ roots, index: indexNodes(all), permits: () => true });
      assert.equal(new Set(found.map(({ node }) => node.uid)).size, found.length);
    }),
  );
});

test('an object served under two groups is there once, under the name that sorts first', () => {
  const twice = ['networking.k8s.io', 'extensions'].map((group) => ({
    key: { group, kind: 'Ingress', namespace: 'a', name: 'web' },
    uid: 'u',
    ownerUids: [],
  }));
  const [only, ...more] = resourceTree({ roots: ['u'], index: indexNodes(twice), permits: () => true });
  assert.equal(only?.node.key.group, 'extensions');
  assert.equal(more.length, 0);
});

const yaml = (text: string): JsonObject => load(text) as JsonObject;

test('owners are inferred where Kubernetes writes none', () => {
  const service = { uids: [], named: [{ group: '', kind: 'Service', name: 'web' }] };
  const none = { uids: [], named: [] };
  const rows: [string, unknown][] = [
    ['{apiVersion: v1, kind: Endpoints, metadata: {name: web}}', service],
    ['{apiVersion: v1, kind: Endpoints, metadata: {name: web, ownerReferences: [{uid: x}]}}', none],
    ['{apiVersion: example.io/v1, kind: Endpoints, metadata: {name: web}}', none],
    [
      '{apiVersion: v1, kind: Secret, type: kubernetes.io/service-account-token, metadata: {annotations: {kubernetes.io/service-account.name: robot, kubernetes.io/service-account.uid: u1}}}',
      { uids: ['u1'], named: [] },
    ],
    [
      '{apiVersion: v1, kind: Secret, type: Opaque, metadata: {annotations: {kubernetes.io/service-account.name: robot, kubernetes.io/service-account.uid: u1}}}',
      none,
    ],
    [
      '{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {annotations: {olm.operatorGroup: og}}}',
      { uids: [], named: [{ group: 'operators.coreos.com', kind: 'OperatorGroup', name: 'og' }] },
    ],
    ['{apiVersion: v1, kind: Pod}', none],
  ];
  for (const [text, wanted] of rows) assert.deepEqual(inferOwners(yaml(text)), wanted, text);
});

test('an object under an inferred owner stands below it', () => {
  const nodes: TreeNode[] = [
    ...nodesOf('Service:a/web\nService:b/web'),
    {
      key: keyOf('Endpoints:a/web'),
      uid: 'e',
      ownerUids: [],
      namedOwners: [{ group: '', kind: 'Service', name: 'web' }],
    },
  ];
  assert.deepEqual(show(nodes, ['Service:a/web']), ['Service:a/web', 'e <- Service:a/web']);
  assert.deepEqual(show(nodes, ['Service:b/web']), ['Service:b/web']);
});

test('the claims of a StatefulSet are known by their whole name', () => {
  const prefixes = claimPrefixes(
    yaml(
      '{metadata: {name: web}, spec: {volumeClaimTemplates: [{metadata: {name: data}}, {metadata: {name: logs}}, {}]}}',
    ),
  );
  const rows: [string, boolean][] = [
    ['data-web-0', true],
    ['logs-web-12', true],
    ['data-web-', false],
    ['data-web-x', false],
    ['old-data-web-0', false],
    ['data-web-2-0', false],
  ];
  for (const [name, wanted] of rows) assert.equal(isClaimOf(name, prefixes), wanted, name);
});

test('orphans are the roots that nobody manages, without what every namespace has', () => {
  const inferred = { group: '', kind: 'Service', name: 'kubernetes' };
  const listed = nodesOf(`
    ConfigMap:a/kube-root-ca.crt
    ServiceAccount:a/default
    Service:a/kubernetes
    ConfigMap:a/mine
    ConfigMap:a/theirs
    ConfigMap:a/forgotten
    Secret:a/hidden
    Deployment:a/left
    ReplicaSet:a/left-1 <- Deployment:a/left
    ReplicaSet:a/lost-1 <- Deployment:a/lost
    Job:a/nightly-1`);
  const nodes = [...listed, { key: keyOf('Endpoints:a/kubernetes'), uid: 'e', ownerUids: [], namedOwners: [inferred] }];
  const found = (settings: Parameters<typeof orphansOf>[0]['settings']): string[] =>
    orphansOf({
      candidates: nodes,
      index: indexNodes(nodes),
      managed: ({ name }) => name === 'mine',
      managedByOther: ({ key }) => key.name === 'theirs',
      permits: ({ kind }) => kind !== 'Secret',
      settings,
    }).map(({ uid }) => uid);
  const all = [
    'ConfigMap:a/forgotten',
    'Deployment:a/left',
    'Job:a/nightly-1',
    'ReplicaSet:a/lost-1',
    'Service:a/kubernetes',
  ];
  assert.deepEqual(found({}), all);
  assert.deepEqual(found({ ignore: [{ kind: 'Job' }, { name: 'left*' }] }), [all[0], all[3], all[4]]);
  assert.deepEqual(found({ ignore: [{ group: '*' }] }), []);
  assert.deepEqual(found({ ignore: [{ group: 'batch', kind: 'Job' }, { kind: '[' }] }), all);
});

test('an orphan warning counts, where it is wanted', () => {
  assert.equal(orphanWarning(3, { warn: true }), 'Application has 3 orphaned resources');
  assert.equal(orphanWarning(0, { warn: true }), undefined);
  assert.equal(orphanWarning(3, { warn: false }), undefined);
  assert.equal(orphanWarning(3, {}), undefined);
});

test('an Ingress shows where it is reached', () => {
  const ingress = (rest: string): JsonObject => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    ...yaml(rest),
  });
  const rows: [string, string[]][] = [
    ['{spec: {rules: [{host: a.example.com}]}}', ['http://a.example.com']],
    [
      '{spec: {tls: [{hosts: [a.example.com]}], rules: [{host: a.example.com, http: {paths: [{path: /x/*}, {path: /}]}}, {host: b.example.com}]}}',
      ['http://b.example.com', 'https://a.example.com/', 'https://a.example.com/x/'],
    ],
    [
      '{spec: {rules: [{http: {paths: [{path: /}]}}]}, status: {loadBalancer: {ingress: [{ip: 10.0.0.1}, {hostname: lb.example.com}]}}}',
      ['http://10.0.0.1/', 'http://lb.example.com/'],
    ],
    ['{spec: {defaultBackend: {}}}', []],
    [
      '{metadata: {annotations: {link.argocd.argoproj.io/external-link: "Docs | https://docs.example.com/x", argocd.argoproj.io/ignore-default-links: "true"}}, spec: {rules: [{host: a.example.com}]}}',
      ['https://docs.example.com/x'],
    ],
    [
      '{metadata: {annotations: {link.argocd.argoproj.io/x: "javascript:alert(1)", link.argocd.argoproj.io/y: "t|data:text/html,x"}}}',
      [],
    ],
  ];
  for (const [text, wanted] of rows) assert.deepEqual(urlsOf(ingress(text)), wanted, text);
  assert.deepEqual(urlsOf(yaml('{apiVersion: v1, kind: Service, spec: {rules: [{host: x}]}}')), []);
});

test('a tree is summed up in sorted lists without repetition', () => {
  const pod = yaml(
    '{apiVersion: v1, kind: Pod, spec: {initContainers: [{image: init:1}], containers: [{image: web:2}, {image: init:1}, {}]}}',
  );
  assert.deepEqual(imagesOf(pod), ['init:1', 'web:2']);
  assert.deepEqual(imagesOf(yaml('{apiVersion: apps/v1, kind: Deployment, spec: {containers: [{image: x}]}}')), []);
  assert.deepEqual(summarize([{ images: ['b', 'a'] }, { images: ['a'], urls: ['http://x'] }]), {
    images: ['a', 'b'],
    externalURLs: ['http://x'],
  });
  assert.deepEqual(summarize([]), {});
});

test('a Pod tells its state, a ReplicaSet its revision', () => {
  const pod = yaml(
    '{apiVersion: v1, kind: Pod, spec: {nodeName: n1, containers: [{}, {}]}, status: {phase: Running, containerStatuses: [{ready: true, restartCount: 2}, {state: {waiting: {reason: CrashLoopBackOff}}, restartCount: 1}]}}',
  );
  assert.deepEqual(infoOf(pod), [
    { name: 'Status Reason', value: 'CrashLoopBackOff' },
    { name: 'Node', value: 'n1' },
    { name: 'Containers', value: '1/2' },
    { name: 'Restart Count', value: '3' },
  ]);
  const set = yaml(
    '{apiVersion: apps/v1, kind: ReplicaSet, metadata: {annotations: {deployment.kubernetes.io/revision: "4"}}}',
  );
  assert.deepEqual(infoOf(set), [{ name: 'Revision', value: 'Rev:4' }]);
});
