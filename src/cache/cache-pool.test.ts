import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCachePool, poolKey } from './cache-pool.ts';
import type { ClusterCache } from './cluster-cache.ts';

test('holders of equal keys share one view; the last to let go stops it and closes its connection', async () => {
  const pool = createCachePool();
  const ended: string[] = [];
  const make = (name: string) => (): ClusterCache & { close(): Promise<void> } => {
    const cache = { stop: () => ended.push(`stop ${name}`) } as unknown as ClusterCache; // the pool only stops it
    return { ...cache, close: () => Promise.resolve(void ended.push(`close ${name}`)) };
  };
  const one = pool.take('a', make('a'));
  assert.equal(pool.take('a', make('never')), one);
  assert.notEqual(pool.take('b', make('b')), one);
  assert.equal(pool.size, 2);
  await pool.release('a');
  assert.deepEqual(ended, []);
  await pool.release('a');
  await pool.release('a');
  assert.deepEqual(ended, ['stop a', 'close a']);
  await pool.release('b');
  assert.equal(pool.size, 0);
});

test('a key tells nothing of what it was made from, and any difference makes another', () => {
  const parts = ['https://host', { token: 'hidden-token' }, ['a']];
  assert.equal(poolKey(parts), poolKey([...parts]));
  assert.doesNotMatch(poolKey(parts), /hidden/);
  const others = [
    ['https://host/', parts[1], ['a']],
    ['https://host', { token: 'hidden-tokem' }, ['a']],
    parts.slice(1),
  ];
  for (const other of others) assert.notEqual(poolKey(other), poolKey(parts));
});
