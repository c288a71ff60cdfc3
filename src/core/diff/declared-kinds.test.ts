import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declaredKinds } from './index.ts';

const crd = (spec: object) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'x' },
  spec,
});

test('a CRD tells its kind and whether it lives in namespaces; what says neither is passed over', () => {
  const kinds = declaredKinds([
    crd({ group: 'example.io', names: { kind: 'Widget' }, scope: 'Namespaced' }),
    crd({ group: 'example.io', names: { kind: 'Realm' }, scope: 'Cluster' }),
    crd({ group: 'example.io' }),
    crd({}),
    { apiVersion: 'v1', kind: 'CustomResourceDefinition', metadata: {}, spec: { group: 'a', names: { kind: 'B' } } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} },
  ]);
  assert.deepEqual(
    [...kinds],
    [
      ['example.io/Widget', true],
      ['example.io/Realm', false],
    ],
  );
});
