import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Cluster, parseClusterSecret } from '../../core/api/index.ts';
import type { Json } from '../../core/json/index.ts';
import { isOwnCluster } from './kube-config.ts';

function cluster(data: Record<string, string>, tenant = false): Cluster {
  const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  const parsed = parseClusterSecret({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'here', namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
    data: Object.fromEntries(encoded),
  } as Json);
  assert.ok(parsed.ok);
  return { ...parsed.value, tenant, acceptance: { accepted: true } };
}

const server = 'https://kubernetes.default.svc';

test('a Secret for the cluster we run in uses our own connection unless it brings a credential', () => {
  assert.equal(isOwnCluster(undefined), true);
  assert.equal(isOwnCluster(cluster({ server, namespaces: 'a,b' })), true);
  assert.equal(isOwnCluster(cluster({ server, config: '{"tlsClientConfig":{"insecure":false}}' })), true);
  assert.equal(isOwnCluster(cluster({ server, config: '{"bearerToken":"t"}' })), false);
  assert.equal(isOwnCluster(cluster({ server, config: '{"username":"u","password":"p"}' })), false);
  assert.equal(isOwnCluster(cluster({ server: 'https://example.com' })), false);
});

test("a tenant's Secret never uses our connection", () => {
  assert.equal(isOwnCluster(cluster({ server }, true)), false);
});
