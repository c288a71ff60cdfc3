import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Discovery } from '../../kube/index.ts';
import { Capabilities } from './capabilities.ts';

function discovery(names: readonly string[], unknown: Readonly<Record<string, string>> = {}): Discovery {
  const resources = names.map((name) => {
    const parts = name.split('/');
    const kind = parts.pop() ?? '';
    const version = parts.pop() ?? '';
    return { group: parts[0] ?? '', version, kind, plural: kind.toLowerCase(), namespaced: true, verbs: [] };
  });
  return { resources, unknown: new Map(Object.entries(unknown)) };
}

const usual = ['v1/Pod', 'v1/ConfigMap', 'apps/v1/Deployment', 'metrics.k8s.io/v1beta1/PodMetrics'];

test('charts are told versions and kinds in a fixed order, and the version of the cluster', () => {
  const all = new Capabilities();
  assert.equal(all.served().known, false);
  assert.equal(all.heard(discovery(usual), 'v1.36.3'), true);
  assert.deepEqual(all.served(), {
    known: true,
    kubeVersion: 'v1.36.3',
    apiVersions: [
      'apps/v1',
      'apps/v1/Deployment',
      'metrics.k8s.io/v1beta1',
      'metrics.k8s.io/v1beta1/PodMetrics',
      'v1',
      'v1/ConfigMap',
      'v1/Pod',
    ],
  });
});

test('the list is the same value as long as it says the same', () => {
  const all = new Capabilities();
  all.heard(discovery(usual), 'v1.36.3');
  const before = all.served();
  assert.equal(all.heard(discovery(usual.toReversed()), 'v1.36.3'), false);
  const now = all.served();
  assert.ok(before.known && now.known && before.apiVersions === now.apiVersions);
  assert.equal(all.heard(discovery(usual), 'v1.37.0'), true);
  assert.equal(all.heard(discovery([...usual, 'example.com/v1/Shop']), 'v1.37.0'), true);
});

test('a group whose server does not answer stays as it was, and is unknown where it never was heard', () => {
  const silent = { 'metrics.k8s.io/v1beta1': 'the server of this API does not answer' };
  const all = new Capabilities();
  all.heard(discovery(usual), 'v1.36.3');
  assert.equal(all.heard(discovery(usual.slice(0, 3), silent), 'v1.36.3'), false);
  assert.equal(all.served().known, true);
  const late = new Capabilities();
  assert.equal(late.heard(discovery(usual.slice(0, 3), silent), 'v1.36.3'), false);
  assert.deepEqual(late.served(), {
    known: false,
    reason: 'metrics.k8s.io/v1beta1 could not be discovered: the server of this API does not answer',
  });
  assert.equal(late.heard(discovery(usual), 'v1.36.3'), true);
});

test('without the version of the cluster nothing is told; one that was heard stays', () => {
  const all = new Capabilities();
  assert.equal(all.heard(discovery(usual), undefined), false);
  assert.equal(all.served().known, false);
  all.heard(discovery(usual), 'v1.36.3');
  all.heard(discovery(usual), undefined);
  assert.equal(all.served().known, true);
});
