import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameQuantity } from './quantity.ts';

test('amounts are the same however they are written', () => {
  const same: [string | number, string | number][] = [
    ['0.5', '500m'],
    [0.5, '500m'],
    [1, '1'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['1e3', '1k'],
    ['1000', '1E3'],
    ['0', '0Gi'],
    ['-1', '-1000m'],
    ['+1', '1'],
    ['.5', '500m'],
    ['1E', '1000P'],
    ['0.0000000001', '1n'],
  ];
  for (const [a, b] of same) assert.ok(sameQuantity(a, b), `${a} ${b}`);
});

test('others are not, and what is no quantity is the same as nothing', () => {
  const different: [string, string][] = [
    ['1', '2'],
    ['1G', '1Gi'],
    ['x', 'x'],
    ['', ''],
    ['1 ', '1'],
    ['1e9999', '1'],
    ['9'.repeat(200), '9'.repeat(200)],
  ];
  for (const [a, b] of different) assert.ok(!sameQuantity(a, b), `${a} ${b}`);
});
