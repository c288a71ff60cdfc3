import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application, OperationState } from '../../core/api/index.ts';
import type { ComparedObject, Comparison } from '../../core/diff/index.ts';
import type { Health } from '../../core/health/index.ts';
import type { Surroundings } from './decide.ts';
import type { Ready } from './gather.ts';
import { whileIncomparable } from './incomparable.ts';

const object = { apiVersion: 'example.io/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'shop' } };
const key = { group: 'example.io', kind: 'Widget', namespace: 'shop', name: 'w' };

function held(app: object, told: Partial<Comparison> = {}, health?: Health): OperationState | 'free' | undefined {
  const inputs = { app: { metadata: { name: 'a', namespace: 'team' }, spec: {}, ...app } as unknown as Application };
  const objects = [{ key, live: { key, object }, hook: false, status: 'Synced' }] as unknown as ComparedObject[];
  const comparison: Comparison = { status: 'Synced', errors: [], objects, ...told };
  const world = { now: () => 0, controlPlane: 'argocd', health: () => health } as unknown as Surroundings; // what is not asked is left out
  const answer = whileIncomparable(inputs as Ready, comparison, world);
  return answer === undefined ? 'free' : answer.operationState;
}

const asked = { operation: { sync: {} } };
const running = { operation: { sync: {} }, status: { operationState: { phase: 'Running', operation: { sync: {} } } } };
const failing: Health = { status: 'Unknown', failed: true, message: 'attempt to index a nil value' };
const unread = 'widgets may not be listed';
const unknown: Partial<Comparison> = {
  errors: [unread],
  objects: [{ key, hook: false, status: 'Unknown', reason: unread }] as unknown as ComparedObject[], // the rest is not read
};

test('what can be compared is not held', () => {
  assert.equal(held(asked, {}, { status: 'Unknown' }), 'free');
});

test('a health check that fails blocks a sync: it is answered with the reason', () => {
  const state = held(asked, {}, failing);
  assert.ok(state !== undefined && state !== 'free');
  assert.equal(state.phase, 'Error');
  assert.equal(
    state.message,
    'ComparisonError: the health of example.io/Widget:shop/w cannot be told: attempt to index a nil value;',
  );
});

test('a failing check starts nothing and ends what is under way', () => {
  assert.equal(held({}, {}, failing), undefined);
  const state = held(running, {}, failing);
  assert.ok(state !== undefined && state !== 'free');
  assert.equal(state.phase, 'Error');
});

test('105: a rule that cannot be used ends a sync', () => {
  const state = held(running, { errors: ['the jqPathExpression ".[" cannot be used'] });
  assert.ok(state !== undefined && state !== 'free');
  assert.equal(state.message, 'ComparisonError: the jqPathExpression ".[" cannot be used;');
});

test('a kind that cannot be read, whose objects no target asks for any more, is waited for alike', () => {
  const told = { errors: [unread], unread: new Map([['example.io/Gear', unread]]) };
  const state = held(asked, told);
  assert.ok(state !== undefined && state !== 'free');
  assert.equal(state.phase, 'Error');
  assert.equal(held(running, told), undefined);
});

test('what cannot be read answers who asks now, and is waited for by what is under way', () => {
  const state = held(asked, unknown);
  assert.ok(state !== undefined && state !== 'free');
  assert.equal(state.message, `ComparisonError: ${unread};`);
  assert.equal(held(running, unknown), undefined);
});

test('142: a missing namespace answers in its own words, and with retries left it is attempted again', () => {
  const state = held({ operation: { sync: {}, retry: { limit: 1 } } }, { invalid: ['Namespace for w is missing.'] });
  assert.ok(state !== undefined && state !== 'free');
  assert.deepEqual([state.phase, state.retryCount], ['Running', 1]);
  assert.match(state.message ?? '', /^InvalidSpecError: Namespace for w is missing\.;\. Retrying attempt #1/);
});
