import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printKey } from '../objects/index.ts';
import { isUnlisted } from './unlisted.ts';

test('an object is never taken for a kind that may not be listed, whatever its name', () => {
  const role = { group: 'rbac.authorization.k8s.io', kind: 'Role', namespace: 'shop' };
  for (const name of ['x:*', ':*', '*', 'a']) assert.equal(isUnlisted(printKey({ ...role, name })), false, name);
  assert.equal(isUnlisted(printKey({ ...role, namespace: '', name: 'x:*' })), false);
  assert.deepEqual(['Secret:*', 'apps/Deployment:*', 'Secret'].map(isUnlisted), [true, true, false]);
});
