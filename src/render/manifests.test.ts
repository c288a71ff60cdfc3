import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../core/json/index.ts';
import { objectsOf } from './manifests.ts';

const configMap = (metadata: Json): Json => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
const read = (value: Json): number => objectsOf([{ value, line: 3 }], 'deploy/x.yaml', 'deploy/x.yaml').length;

test('names, labels and annotations that are no text are refused with their place', () => {
  const rows: [Json, string][] = [
    [{ name: true }, 'metadata.name must be text, not true: put it in quotes'],
    [{ name: 12 }, 'metadata.name must be text, not 12: put it in quotes'],
    [{ name: 'x', namespace: { a: 1 } }, 'metadata.namespace must be text, not {"a":1}: put it in quotes'],
    [{ generateName: [] }, 'metadata.generateName must be text, not []: put it in quotes'],
    [{ name: 'x', labels: 'a' }, 'metadata.labels must be a map'],
    [{ name: 'x', annotations: ['a'] }, 'metadata.annotations must be a map'],
    [
      { name: 'x', annotations: { 'argocd.argoproj.io/sync-wave': 5 } },
      'metadata.annotations["argocd.argoproj.io/sync-wave"] must be text, not 5: put it in quotes',
    ],
    ['x', 'metadata must be a map'],
  ];
  for (const [metadata, why] of rows) {
    const message = `deploy/x.yaml:3 holds something that is no Kubernetes object: ${why}`;
    assert.throws(() => read(configMap(metadata)), { code: 'render-failed', message });
  }
});

test('what is left out or empty is nothing wrong', () => {
  assert.equal(read(configMap({ name: 'x', namespace: null, labels: null, annotations: { a: null, b: '' } })), 1);
  assert.equal(read(configMap({ generateName: 'x-' })), 1);
  assert.equal(
    read({ apiVersion: 'v1', kind: 'List', items: [configMap({ name: 'x' }), configMap({ name: 'z' })] }),
    2,
  );
  assert.equal(read({}), 0);
});
