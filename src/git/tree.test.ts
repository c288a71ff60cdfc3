import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTree } from './tree.ts';

const id = 'ab'.repeat(20);

function tree(...names: readonly string[]): Buffer {
  return Buffer.concat(names.flatMap((name) => [Buffer.from(`100644 ${name}\0`), Buffer.from(id, 'hex')]));
}

test('a tree is read by its names', () => {
  assert.deepEqual(
    [...parseTree(tree('a', 'b.yaml'), 20)],
    [
      ['a', { kind: 'file', id }],
      ['b.yaml', { kind: 'file', id }],
    ],
  );
});

test('KU-01: a tree that two readers could read in two ways is malformed', () => {
  for (const names of [['a', 'a'], ['a/b'], ['../x'], ['/etc'], ['']])
    assert.throws(() => parseTree(tree(...names), 20), { code: 'git-failed' }, names.join());
  for (const bytes of [tree('a').subarray(0, -1), Buffer.from('100644'), Buffer.from('100644 a')])
    assert.throws(() => parseTree(bytes, 20), { code: 'git-failed' });
});
