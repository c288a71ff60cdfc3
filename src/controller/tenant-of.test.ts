import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createQueue } from './queue/index.ts';
import { tenantOf } from './tenant-of.ts';

const rows: [key: string, project: string | undefined, tenant: string][] = [
  ['team-a/shop', 'default', 'team-a'],
  ['team-a/shop', undefined, 'team-a'],
  ['argocd/shop', 'blue', 'argocd/blue'],
  ['argocd/shop', undefined, 'argocd'],
];

for (const [key, project, tenant] of rows) {
  test(`${key} of project ${project ?? '(unreadable)'} counts for ${tenant}`, () => {
    assert.equal(tenantOf(key, project, 'argocd'), tenant);
  });
}

test('a hundred Applications of one project in the control plane are not in front of another project’s', async () => {
  const seen: string[] = [];
  const gates: (() => void)[] = [];
  const queue = createQueue({
    workers: 1,
    tenantOf: (key) => tenantOf(key, key.includes('loop') ? 'loud' : 'quiet', 'argocd'),
    clock: { now: () => 0, after: () => () => undefined },
    work: async (key) => {
      seen.push(key);
      await new Promise<void>((resolve) => gates.push(resolve));
      return undefined;
    },
  });
  for (let at = 0; at < 100; at++) queue.add(`argocd/loop-${at}`);
  queue.add('argocd/shop');
  for (let turn = 0; turn < 2; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    gates.shift()?.();
  }
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(seen, ['argocd/loop-0', 'argocd/loop-1', 'argocd/shop']);
  const stopped = queue.stop();
  for (const end of gates.splice(0)) end();
  await stopped;
});
