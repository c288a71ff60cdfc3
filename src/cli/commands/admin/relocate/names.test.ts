import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Names } from './names.ts';

test('a name is the namespace and the name', () => {
  assert.equal(new Names([]).give('team-a', 'shop'), 'team-a-shop');
});

test('a name that is taken gets a mark that depends on nothing but the object', () => {
  const first = new Names(['a-b-c']).give('a-b', 'c');
  assert.match(first, /^a-b-c-[0-9a-f]{8}$/);
  assert.equal(new Names(['a-b-c', 'other']).give('a-b', 'c'), first);
  assert.notEqual(new Names(['a-b-c']).give('a', 'b-c'), first);
});

test('a name that is too long is cut and marked', () => {
  const given = new Names([]).give('n'.repeat(63), 'a'.repeat(253));
  assert.equal(given.length, 253);
  assert.match(given, /-[0-9a-f]{8}$/);
});

test('names are unique and are names of Kubernetes, whatever moves', () => {
  const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,8}[a-z0-9])?$/);
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(label, label), { selector: ([a, b]) => `${a}/${b}` }), (keys) => {
      const names = new Names(['a-b']);
      const given = keys.map(([namespace, name]) => names.give(namespace, name));
      assert.equal(new Set([...given, 'a-b']).size, keys.length + 1);
      for (const name of given) assert.match(name, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
    }),
  );
});
