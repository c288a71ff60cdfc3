import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isNamespaceName, serviceAccountUser } from './who.ts';

test('the name of a namespace is a DNS label', () => {
  const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'z', '0', '9', '-', 'A', '.', 'é', '\n'), maxLength: 6 }),
    fc.integer({ min: 60, max: 66 }).map((length) => 'a'.repeat(length)),
  );
  fc.assert(
    fc.property(text, (name) => assert.equal(isNamespaceName(name), label.test(name) && !name.includes('\n'))),
    { numRuns: 3000 },
  );
});

test('a user is made of two sound parts or not at all', () => {
  assert.equal(serviceAccountUser('team-a', 'deploy.er'), 'system:serviceaccount:team-a:deploy.er');
  for (const [namespace, name] of [
    ['', 'x'],
    ['a', ''],
    ['a:b', 'x'],
    ['a', 'b:c'],
    ['A', 'x'],
    ['a', '-x'],
    ['a', 'x'.repeat(254)],
  ] as const) {
    assert.equal(serviceAccountUser(namespace, name), undefined);
  }
});
