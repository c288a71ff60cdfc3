import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationState } from '../../core/api/index.ts';
import type { ComparedObject, Comparison } from '../../core/diff/index.ts';
import type { Ready } from './gather.ts';
import { whileUnread, withoutSyncStatus } from './unread.ts';

const object = (status: ComparedObject['status']): ComparedObject => ({
  key: { group: '', kind: 'ConfigMap', namespace: 'a', name: 'b' },
  version: 'v1',
  target: undefined,
  live: undefined,
  status,
  modified: false,
  requiresPruning: false,
  hook: status === undefined,
  wave: 0,
});
const comparison: Comparison = { status: 'OutOfSync', objects: [object('OutOfSync'), object(undefined)], errors: [] };
const now = Date.parse('2026-01-01T00:00:00Z');
const operation = { sync: {} };

function inputs(told: boolean | undefined, app: { operation?: object; phase?: string } = {}): Ready {
  const unread = told === undefined ? undefined : { since: 0, message: 'no answer', told };
  const operationState = app.phase === undefined ? {} : { operationState: { operation, phase: app.phase } };
  const asked = app.operation === undefined ? {} : { operation: app.operation };
  return { app: { ...asked, status: operationState }, sources: { unread } } as unknown as Ready; // all that is looked at
}

const stateOf = (decision: ReturnType<typeof whileUnread>): OperationState | undefined =>
  decision?.next === 'say' ? decision.operationState : undefined;

test('sources that read change nothing', () => {
  assert.equal(whileUnread(inputs(undefined), comparison, now), undefined);
  assert.equal(withoutSyncStatus(comparison, inputs(undefined)), comparison);
});

test('within the grace period what was compared stands, and nothing is started', () => {
  assert.deepEqual(whileUnread(inputs(false), comparison, now), { next: 'say', comparison, operationState: undefined });
  assert.deepEqual(whileUnread(inputs(false), undefined, now), { next: 'nothing' });
});

test('after it nothing is in sync or out of it, and hooks have no status as ever', () => {
  const said = whileUnread(inputs(true), comparison, now);
  assert.ok(said?.next === 'say');
  assert.deepEqual([said.comparison?.status, said.comparison?.errors], ['Unknown', ['no answer']]);
  assert.deepEqual(
    said.comparison?.objects.map(({ status }) => status),
    ['Unknown', undefined],
  );
  assert.deepEqual(whileUnread(inputs(true), undefined, now), {
    next: 'say',
    comparison: undefined,
    operationState: undefined,
  });
});

test('a sync that is asked for ends with the reason, and counts as no try of any revision', () => {
  for (const compared of [comparison, undefined]) {
    const state = stateOf(whileUnread(inputs(false, { operation }), compared, now));
    assert.deepEqual([state?.phase, state?.message, state?.finishedAt], ['Error', 'no answer', '2026-01-01T00:00:00Z']);
    assert.equal(state?.syncResult?.revision, '');
  }
});

test('one that is under way goes on with what it began with, and waits where that is gone', () => {
  assert.equal(whileUnread(inputs(true, { operation, phase: 'Running' }), comparison, now), undefined);
  assert.equal(whileUnread(inputs(true, { operation, phase: 'Terminating' }), comparison, now), undefined);
  assert.deepEqual(whileUnread(inputs(false, { operation, phase: 'Running' }), undefined, now), { next: 'nothing' });
});

test('terminating works even where nothing was ever read', () => {
  const state = stateOf(whileUnread(inputs(false, { operation, phase: 'Terminating' }), undefined, now));
  assert.deepEqual([state?.phase, state?.finishedAt], ['Failed', '2026-01-01T00:00:00Z']);
  assert.match(state?.message ?? '', /^Operation terminated/);
});
