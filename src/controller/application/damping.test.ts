import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApplicationStatus } from '../../core/api/index.ts';
import { Damping } from './damping.ts';

const status = (health: string, more: ApplicationStatus = {}): ApplicationStatus => ({
  sync: { status: 'Synced', revision: 'abc' },
  health: { status: health, lastTransitionTime: '1970-01-01T00:00:00Z' },
  ...more,
});
const key = 'team-a/shop';

/** A damping that has told as much of health as it may at once. */
function spent() {
  let now = 0;
  const damping = new Damping(() => now);
  for (let flip = 0; flip < 6; flip++) {
    const damped = damping.judge(key, status('Healthy'), status('Degraded'));
    assert.equal(damped.news, 'health');
    damping.told(key, 'health');
  }
  return {
    damping,
    wait(ms: number): void {
      now += ms;
    },
  };
}

test('health that flaps is held back until it has settled, and told with the time since when it is so', () => {
  const { damping, wait } = spent();
  wait(60_000);
  const held = damping.judge(key, status('Healthy'), status('Degraded'));
  assert.deepEqual(held, { news: 'held', againInMs: 10_000 });
  wait(10_000);
  const damped = damping.judge(key, status('Healthy'), status('Degraded'));
  assert.ok(damped.news === 'health');
  assert.equal(damped.status.health?.lastTransitionTime, '1970-01-01T00:01:00Z');
});

test('health that changes while it is held back begins to settle anew', () => {
  const { damping, wait } = spent();
  assert.equal(damping.judge(key, status('Healthy'), status('Degraded')).news, 'held');
  wait(9_000);
  assert.deepEqual(damping.judge(key, status('Healthy'), status('Missing')), { news: 'held', againInMs: 10_000 });
  wait(1_000);
  assert.equal(damping.judge(key, status('Healthy'), status('Healthy')).news, 'none');
  assert.deepEqual(damping.judge(key, status('Healthy'), status('Missing')), { news: 'held', againInMs: 10_000 });
});

const operationState = { operation: {}, phase: 'Running', startedAt: 'now' };
const others: [string, ApplicationStatus][] = [
  ['the sync status', { sync: { status: 'OutOfSync', revision: 'abc' } }],
  ['the revision', { sync: { status: 'Synced', revision: 'def' } }],
  ['an operation', { operationState }],
  ['a condition', { conditions: [{ type: 'SyncError', message: 'no' }] }],
  ['an object', { resources: [{ kind: 'ConfigMap', name: 'new', status: 'Synced' }] }],
];

for (const [title, more] of others) {
  test(`${title} is told at once, and health with it`, () => {
    const { damping } = spent();
    assert.equal(damping.judge(key, status('Healthy'), status('Degraded')).news, 'held');
    assert.deepEqual(damping.judge(key, status('Healthy'), status('Degraded', more)), { news: 'more' });
  });
}

test('a write that failed counts for nothing', () => {
  let now = 0;
  const damping = new Damping(() => now);
  for (let tries = 0; tries < 100; tries++) {
    assert.equal(damping.judge(key, status('Healthy'), status('Degraded')).news, 'health');
    now += 1000;
  }
  assert.equal(damping.size, 0);
});

test('each Application has its own budget, and is forgotten when it is gone or has been calm', () => {
  const { damping, wait } = spent();
  assert.equal(damping.judge('team-b/shop', status('Healthy'), status('Degraded')).news, 'health');
  damping.told('team-b/shop', 'health');
  assert.equal(damping.size, 2);
  damping.forget('team-b/shop');
  assert.equal(damping.size, 1);
  wait(24 * 3_600_000);
  damping.told('team-c/shop', 'health');
  assert.equal(damping.size, 1);
});
