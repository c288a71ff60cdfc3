import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import type { Json, JsonObject } from '../json/index.ts';
import {
  type ClusterSecret,
  clusterKey,
  commaList,
  implicitCluster,
  parseClusterSecret,
  printProblems,
  skipsReconcile,
} from './index.ts';

const canary = 'c4n4ry-t0k3n';

const secret = (stringData: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'blue',
    namespace: 'tenant-a',
    uid: 'u',
    resourceVersion: '7',
    creationTimestamp: '2026-01-02T03:04:05Z',
    labels: { 'argocd.argoproj.io/secret-type': 'cluster', env: 'dev' },
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': canary, note: 'x' },
  },
  stringData,
  ...more,
});

const config = (value: Json): string => JSON.stringify(value);

function parsed(stringData: JsonObject, more: JsonObject = {}): ClusterSecret {
  const result = parseClusterSecret(secret(stringData, more));
  assert.ok(result.ok, result.ok ? '' : printProblems(result.problems));
  return result.value;
}

test('a cluster is read from its Secret, base64 or plain', () => {
  const data = { name: btoa('blue'), server: btoa('https://blue.example.com:6443/'), project: btoa('old') };
  const cluster = parsed(
    {
      project: 'sample',
      namespaces: ' dev, ,stage ',
      clusterResources: 'true',
      shard: '3',
      config: config({ bearerToken: canary }),
    },
    { data },
  );
  assert.equal(cluster.name, 'blue');
  assert.equal(cluster.server, 'https://blue.example.com:6443');
  assert.equal(cluster.project, 'sample');
  assert.deepEqual(cluster.namespaces, ['dev', 'stage']);
  assert.equal(cluster.clusterResources, true);
  assert.equal(cluster.shard, 3);
  assert.equal(cluster.config.bearerToken?.reveal(), canary);
  assert.equal(clusterKey(cluster), 'tenant-a/blue');
  assert.equal(cluster.creationTimestamp, '2026-01-02T03:04:05Z');
});

test('labels and annotations are shown without what could hold the Secret itself', () => {
  const cluster = parsed({ server: 'https://x' });
  assert.deepEqual(cluster.labels, { env: 'dev' });
  assert.deepEqual(cluster.annotations, { note: 'x' });
});

test('every key that was written is named, so that a rule can be about it', () => {
  const login = { tlsClientConfig: { insecure: true, caData: 'x' }, execProviderConfig: { command: 'x' }, odd: 1 };
  const { keys } = parsed({ server: 'https://x', extra: 'y', config: config(login) });
  assert.deepEqual([...keys].sort(), [
    'config',
    'config.execProviderConfig',
    'config.execProviderConfig.command',
    'config.odd',
    'config.tlsClientConfig',
    'config.tlsClientConfig.caData',
    'config.tlsClientConfig.insecure',
    'extra',
    'server',
  ]);
});

test('a credential shows in no text, no JSON and no log', () => {
  const login = {
    bearerToken: canary,
    username: 'u',
    password: canary,
    tlsClientConfig: { keyData: canary, caData: 'public' },
  };
  const cluster = parsed({ server: 'https://x', config: config(login) });
  for (const text of [JSON.stringify(cluster), inspect(cluster, { depth: 9 }), String(cluster.config.bearerToken)]) {
    assert.equal(text.includes(canary), false, text);
  }
  assert.ok(cluster.config.password?.equals(cluster.config.bearerToken));
});

test('no problem quotes a value', () => {
  const rows: readonly JsonObject[] = [
    { config: `{"bearerToken": "${canary}"` },
    { config: config({ bearerToken: { x: canary } }) },
    { config: `{"bearerToken":"${canary}","bearerToken":"b"}` },
    { config: config([canary]) },
    { config: `"${canary}"` },
    { server: canary.repeat(1000) },
  ];
  for (const each of rows) {
    const result = parseClusterSecret(secret(each));
    assert.ok(!result.ok, JSON.stringify(each));
    assert.equal(printProblems(result.problems).includes('c4n4ry'), false);
  }
  const raw = parseClusterSecret({ ...secret({}), data: { config: `%%${canary}`, server: btoa('\xff\xfe') } });
  assert.ok(!raw.ok);
  assert.equal(
    printProblems(raw.problems),
    'data.config: is not base64 of UTF-8 text; data.server: is not base64 of UTF-8 text',
  );
});

test('ambiguous, deep or huge logins are refused', () => {
  const deep = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`;
  const rows: readonly [string, RegExp][] = [
    ['{"a":1,"\\u0061":2}', /names a key twice/],
    ['{"tlsClientConfig":{"insecure":false,"insecure":true}}', /names a key twice/],
    [deep, /not a JSON object/],
    [`{"a":"${'x'.repeat(70_000)}"}`, /too long/],
    ['null', /not a JSON object/],
    [JSON.stringify(Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`k${i}`, 1]))), /too many keys/],
  ];
  for (const [text, wanted] of rows) {
    const result = parseClusterSecret(secret({ config: text }));
    assert.ok(!result.ok, text.slice(0, 50));
    assert.match(printProblems(result.problems), wanted);
  }
  assert.ok(parseClusterSecret(secret({ config: '{"a":{"x":1},"b":{"x":2},"c":"\\"x\\":"}' })).ok, 'equal keys apart');
});

test('an empty login is one without credentials; whether that will do is for the policy', () => {
  assert.deepEqual(parsed({ server: 'https://x' }).config, {});
  assert.deepEqual(parsed({ server: 'https://x', config: ' ' }).config, {});
});

test('a shard that is no number is ignored with a warning', () => {
  const result = parseClusterSecret(secret({ shard: 'many' }));
  assert.ok(result.ok);
  assert.equal(result.value.shard, undefined);
  assert.equal(result.warnings?.[0]?.path, 'data.shard');
});

test('a Secret without the label is not ours', () => {
  for (const labels of [{}, { 'argocd.argoproj.io/secret-type': 'repository' }, null]) {
    const result = parseClusterSecret({ ...secret({}), metadata: { name: 'x', labels } });
    assert.ok(!result.ok);
    assert.match(printProblems(result.problems), /must be cluster/);
  }
});

test('clusterResources counts only as the exact word', () => {
  for (const word of ['True', '1', 'yes', '']) assert.equal(parsed({ clusterResources: word }).clusterResources, false);
});

test('the implicit cluster has no Secret that could pose as it', () => {
  assert.equal(clusterKey(implicitCluster('argocd')), 'argocd/');
  assert.equal(implicitCluster('argocd').server, 'https://kubernetes.default.svc');
});

test('an annotation asks to leave the cluster alone', () => {
  const asked = (value: string): boolean =>
    skipsReconcile({ ...parsed({}), annotations: { 'argocd.argoproj.io/skip-reconcile': value } });
  assert.equal(asked('true'), true);
  assert.equal(asked('false'), false);
});

test('items of a comma list are trimmed, empty ones dropped', () => {
  assert.deepEqual(commaList(' a , ,b,'), ['a', 'b']);
  assert.deepEqual(commaList(''), []);
});

test('no JSON makes the parser throw', () => {
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
  fc.assert(
    fc.property(json, fc.string(), (value, text) => {
      parseClusterSecret(value);
      parseClusterSecret({ ...secret({}), data: value });
      parseClusterSecret(secret({ config: text, server: text, namespaces: text }));
      parseClusterSecret(secret({ config: JSON.stringify(value) }));
    }),
  );
});
