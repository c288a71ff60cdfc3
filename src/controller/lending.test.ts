import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { World } from './application/world.ts';
import { lending } from './lending.ts';
import { createQueue } from './queue/index.ts';

test('a pass of a thousand slow writes moves with each of them', async () => {
  let now = 0;
  const door = {
    apply: async () => {
      now += 100_000;
      return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
    },
  };
  const world = { cluster: async () => ({ as: () => door }) } as unknown as World; // nothing else is asked of it
  const seen: number[] = [];
  const queue = createQueue({
    workers: 1,
    tenantOf: () => 'team-a',
    clock: { now: () => now, after: () => () => undefined },
    work: async (key) => {
      const own = lending(
        world,
        (wait) => queue.outside(key, wait),
        () => queue.moved(),
      );
      const access = await own.cluster('');
      for (let writes = 0; writes < 3; writes++) {
        await access.as({ as: 'impersonate', user: 'u' } as never).apply({} as never, {} as never, {} as never); // only its answer counts
        seen.push(now - queue.lastMoved);
      }
      return undefined;
    },
  });
  queue.add('team-a/shop');
  await queue.stop();
  assert.deepEqual(seen, [0, 0, 0]);
});
