import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application, OperationState } from '../api/index.ts';
import type { ComparedObject, Comparison, SyncCode } from '../diff/index.ts';
import {
  type Automation,
  afterFailure,
  automate,
  defaultPace,
  endedState,
  nextAttempt,
  paceOf,
  retryDueInMs,
} from './index.ts';
import { shop } from './testdata/shop.ts';

const at = Date.parse('2026-01-01T00:00:00Z');

const app = (policy: string, status = '{}', rest = ''): Application =>
  shop(`  syncPolicy: ${policy}\nstatus: ${status}\n${rest}`);

/** `name` is out of sync, `+name` in sync, `-name` to be pruned. */
function comparison(...names: string[]): Comparison {
  const objects = names.map((text): ComparedObject => {
    const status: SyncCode = text.startsWith('+') ? 'Synced' : 'OutOfSync';
    const key = { group: '', kind: 'ConfigMap', namespace: 'shop', name: text.replace(/^[+-]/, '') };
    return {
      key,
      version: 'v1',
      target: undefined,
      live: undefined,
      status,
      modified: false,
      requiresPruning: text.startsWith('-'),
      hook: false,
      wave: 0,
    };
  });
  return { status: objects.some(({ status }) => status === 'OutOfSync') ? 'OutOfSync' : 'Synced', objects, errors: [] };
}

function run(application: Application, compared: Comparison, now = at): Automation {
  return automate({ app: application, comparison: compared, revision: 'abc', now, pace: defaultPace });
}

const last = (phase: string, revision = 'abc', more = ''): string =>
  `{operationState: {phase: ${phase}, message: quota exceeded, finishedAt: "2026-01-01T00:00:00Z", operation: {sync: {${more}}}, syncResult: {revision: ${revision}, source: {repoURL: https://git.example.com/x, path: .}}}}`;

test('26: a new commit starts one operation, pinned, automated, with five retries', () => {
  const answer = run(app('{automated: {prune: true}, syncOptions: [PruneLast=true]}'), comparison('a'));
  assert.deepEqual(answer, {
    start: true,
    operation: {
      sync: { revision: 'abc', prune: true, syncOptions: ['PruneLast=true'] },
      initiatedBy: { automated: true },
      retry: { limit: 5 },
    },
  });
});

test('27, 28: a commit that failed is not tried again, and the condition says so, also with selfHeal', () => {
  for (const policy of ['{automated: {}}', '{automated: {selfHeal: true}}']) {
    assert.deepEqual(run(app(policy, last('Failed')), comparison('a')), {
      start: false,
      error: 'Failed last sync attempt to [abc]: quota exceeded',
    });
  }
  assert.ok(run(app('{automated: {}}', last('Failed', 'old')), comparison('a')).start);
});

test('an operation that was refused before it began was no attempt', () => {
  const refused =
    '{operationState: {phase: Error, message: no, finishedAt: "2026-01-01T00:00:00Z", operation: {sync: {}}}}';
  assert.ok(run(app('{automated: {}}', refused), comparison('a')).start);
});

test('29: without prune, only extra objects start nothing', () => {
  assert.deepEqual(run(app('{automated: {}}'), comparison('+a', '-b')), { start: false });
});

test('30, 31: pruning everything needs allowEmpty', () => {
  const refused = run(app('{automated: {prune: true}}'), comparison('-a', '-b'));
  assert.match((!refused.start && refused.error) || '', /wipe out all resources/);
  assert.ok(run(app('{automated: {prune: true, allowEmpty: true}}'), comparison('-a', '-b')).start);
});

test('32: selfHeal syncs only what drifted', () => {
  const answer = run(app('{automated: {selfHeal: true}}', last('Succeeded')), comparison('+a', 'b'));
  assert.ok(answer.start);
  assert.deepEqual(answer.operation.sync?.resources, [{ group: '', kind: 'ConfigMap', name: 'b', namespace: 'shop' }]);
  assert.equal(answer.operation.sync?.autoHealAttemptsCount, 1);
});

test('33: selfHeal of an object that keeps drifting waits 2, 6, 18, 54, 162, 300 s', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7].map((count) => {
    const answer = run(
      app('{automated: {selfHeal: true}}', last('Succeeded', 'abc', `autoHealAttemptsCount: ${count}`)),
      comparison('b'),
    );
    return answer.start ? 0 : answer.againInMs;
  });
  assert.deepEqual(waits, [2000, 6000, 18_000, 54_000, 162_000, 300_000, 300_000]);
  const late = run(
    app('{automated: {selfHeal: true}}', last('Succeeded', 'abc', 'autoHealAttemptsCount: 1')),
    comparison('b'),
    at + 2000,
  );
  assert.ok(late.start);
});

test('34, 35: without selfHeal drift starts nothing, and enabled: false switches everything off', () => {
  assert.deepEqual(run(app('{automated: {}}', last('Succeeded')), comparison('b')), { start: false });
  assert.deepEqual(run(app('{automated: {enabled: false, selfHeal: true}}'), comparison('b')), { start: false });
});

test('39: an operation that is already there is not replaced', () => {
  assert.deepEqual(run(app('{automated: {}}', '{}', 'operation: {sync: {}}'), comparison('b')), { start: false });
});

test('a changed source counts as new even at the same revision', () => {
  const status = last('Succeeded').replace('path: .', 'path: other');
  assert.ok(run(app('{automated: {}}', status), comparison('b')).start);
});

const failed = (limit: number, retryCount = 0): OperationState => ({
  operation: { sync: {}, retry: { limit } },
  phase: 'Failed',
  message: 'no',
  startedAt: '2026-01-01T00:00:00Z',
  retryCount,
  syncResult: { revision: 'abc', resources: [{ name: 'x' }] },
});

test('44: with two retries the attempts come after about 10 and 20 seconds, then it has failed', () => {
  const waits: (number | undefined)[] = [];
  let state = failed(2);
  for (;;) {
    const next = afterFailure(state, '2026-01-01T00:00:00Z');
    if (!next.retry) break;
    waits.push(retryDueInMs(next.state, at));
    state = { ...nextAttempt(next.state), phase: 'Failed', message: 'no' };
  }
  assert.deepEqual(waits, [10_000, 20_000]);
  assert.equal(state.retryCount, 2);
});

test('whatever somebody asks for between attempts, the next one has a date', () => {
  const asked = [
    { duration: '5s', factor: 1e15, maxDuration: '0s' },
    { duration: '0s', factor: 1e15, maxDuration: '0s' },
    { duration: '99999999999999', maxDuration: '99999999999999' },
  ];
  for (const backoff of asked) {
    const state = { ...failed(-1, 400), operation: { sync: {}, retry: { limit: -1, backoff } } };
    const next = afterFailure(state, '2026-01-01T00:00:00Z');
    assert.ok(next.retry && Number.isFinite(retryDueInMs(next.state, at)), JSON.stringify(backoff));
  }
});

test('45, 46: a retry keeps the pinned commit unless it asks for a fresh one', () => {
  const waiting = afterFailure(failed(1), '2026-01-01T00:00:00Z');
  assert.ok(waiting.retry);
  assert.deepEqual(nextAttempt(waiting.state).syncResult, { revision: 'abc', resources: [] });
  const refreshing = {
    ...waiting.state,
    operation: { ...waiting.state.operation, retry: { limit: 1, refresh: true } },
  };
  assert.deepEqual(nextAttempt(refreshing).syncResult, { resources: [] });
});

test('47: an empty retry means none', () => {
  const { limit: _limit, ...none } = { limit: 0 };
  const state = { ...failed(0), operation: { sync: {}, retry: none } };
  assert.deepEqual(afterFailure(state, '2026-01-01T00:00:00Z'), { retry: false });
});

test('a negative limit retries for ever, up to the longest wait', () => {
  const next = afterFailure(failed(-1, 30), '2026-01-01T00:00:00Z');
  assert.ok(next.retry);
  assert.equal(retryDueInMs(next.state, at), 180_000);
  assert.equal(next.state.message, 'no. Retrying attempt #31 at 00:03:00.');
});

test('an operation that ended in an error is attempted again like one that failed; a stopped one is not', () => {
  const now = '2026-01-01T00:00:00Z';
  const error = { ...failed(1), phase: 'Error' };
  const waiting = endedState(error, now);
  assert.deepEqual([waiting.phase, waiting.retryCount], ['Running', 1]);
  const last = endedState({ ...error, retryCount: 1 }, now);
  assert.deepEqual([last.phase, last.message], ['Error', 'no (retried 1 times)']);
  for (const message of ['Operation terminated', 'Operation terminated, triggered by controller sync timeout']) {
    assert.equal(endedState({ ...failed(1), message }, now).phase, 'Failed');
  }
});

test('33: the settings say how self-heal holds back; without a back-off it is one constant wait', () => {
  const selfHealBackoff = { timeout: 2000, factor: 3, cap: 300_000 };
  assert.deepEqual(paceOf({ selfHealBackoff, selfHealTimeout: 0 }), defaultPace);
  const constant = paceOf({ selfHealBackoff: { ...selfHealBackoff, timeout: 0 }, selfHealTimeout: 7000 });
  assert.deepEqual(constant, { firstMs: 7000, factor: 1, maxMs: 7000 });
});
