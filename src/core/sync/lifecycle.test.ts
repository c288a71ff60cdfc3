import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Activity, activityOf, defaultPace, type WindowAnswer } from './index.ts';
import { shop } from './testdata/shop.ts';

const at = Date.parse('2026-01-01T00:00:00Z');
const open: WindowAnswer = { open: true, message: '', changesInMs: undefined };

function activity(rest: string, window: WindowAnswer = open): Activity {
  return activityOf({
    app: shop(rest),
    comparison: { status: 'OutOfSync', objects: [], errors: [] },
    revision: 'abc',
    now: at,
    nowText: '2026-01-01T00:00:00Z',
    pace: defaultPace,
    window: () => window,
  });
}

test('40: an operation written by hand is begun, at the revision that was compared', () => {
  const found = activity('operation: {sync: {prune: true}}');
  assert.ok(found.active);
  assert.deepEqual(found.state.operation, { sync: { prune: true } });
  assert.equal(found.state.syncResult?.revision, 'abc');
  assert.equal(found.manual, true);
});

test('T-015: whom an operation names as its author is not told, whether it was automatic is', () => {
  for (const [written, wanted] of [
    ['{username: admin}', undefined],
    ['{username: admin, automated: false}', undefined],
    ['{username: admin, automated: true}', { automated: true }],
  ] as const) {
    const found = activity(`operation: {initiatedBy: ${written}, sync: {}}`);
    assert.ok(found.active);
    assert.deepEqual(found.state.operation.initiatedBy, wanted);
  }
});

test('39: while an operation is under way, another one is not begun', () => {
  const found = activity(
    'operation: {sync: {prune: true}}\nstatus: {operationState: {phase: Running, startedAt: "2026-01-01T00:00:00Z", operation: {sync: {}}, syncResult: {revision: abc, resources: []}}}',
  );
  assert.ok(found.active);
  assert.deepEqual(found.state.operation, { sync: {} });
});

const closed: WindowAnswer = { open: false, message: 'cannot sync: blocked by sync window', changesInMs: 60_000 };
const underWay = (more = ''): string =>
  `status: {operationState: {phase: Running, startedAt: "2025-12-31T23:00:00Z", operation: {sync: {}}, syncResult: {revision: abc, resources: []}${more}}}`;

test('38: an operation whose window closes stays Running and says why it does not go on', () => {
  const found = activity(underWay(), closed);
  assert.ok(!found.active);
  assert.deepEqual(
    [found.state?.phase, found.state?.message, found.againInMs],
    ['Running', 'cannot sync: blocked by sync window', 60_000],
  );
});

test('36: a closed window takes nothing back that was said about earlier syncs', () => {
  const found = activity('', closed);
  assert.ok(!found.active);
  assert.deepEqual([found.blocked, found.error, found.state], [true, undefined, undefined]);
});

test('when an operation began is not read from its status, which its tenant may write', () => {
  const asked: (number | undefined)[] = [];
  for (const begunAt of [undefined, at - 5000]) {
    activityOf({
      ...{ app: shop(underWay()), comparison: { status: 'OutOfSync', objects: [], errors: [] }, revision: 'abc' },
      ...{ now: at, nowText: '2026-01-01T00:00:00Z', pace: defaultPace, begunAt },
      window: ({ startedAt }) => {
        asked.push(startedAt);
        return open;
      },
    });
  }
  assert.deepEqual(asked, [undefined, at - 5000]);
});

const withLeft = (rest: string, leftMs: number): Activity =>
  activityOf({
    ...{ app: shop(rest), comparison: { status: 'OutOfSync', objects: [], errors: [] }, revision: 'abc', leftMs },
    ...{ now: at, nowText: '2026-01-01T00:00:00Z', pace: defaultPace, window: () => open },
  });

test('43: an operation that has taken too long is stopped, also one that waits for its next attempt', () => {
  for (const state of [underWay(), underWay(', finishedAt: "2025-12-31T23:59:59Z", retryCount: 1')]) {
    const found = withLeft(state, 0);
    assert.ok(found.active);
    assert.deepEqual([found.state.phase, found.state.message], ['Terminating', 'triggered by controller sync timeout']);
  }
  const waiting = withLeft(underWay(', finishedAt: "2026-01-01T00:00:00Z", retryCount: 1'), 3000);
  assert.ok(!waiting.active);
  assert.equal(waiting.againInMs, 3000);
});

test('an attempt is never held back for longer than its wait, whatever time the status claims', () => {
  for (const finishedAt of ['2099-01-01T00:00:00Z', 'never']) {
    const found = activity(underWay(`, finishedAt: "${finishedAt}", retryCount: 1`));
    assert.ok(!found.active);
    assert.equal(found.againInMs, 10_000);
  }
});

test('99: what an operation brings itself is not told as the revision that was compared', () => {
  for (const sync of ['{revision: old}', '{source: {repoURL: https://git.example.com/y, path: .}}']) {
    const found = activity(`operation: {sync: ${sync}}`);
    assert.ok(found.active);
    assert.equal(found.state.syncResult?.revision, undefined);
  }
  const same = activity('operation: {sync: {revision: abc}}');
  assert.ok(same.active);
  assert.equal(same.state.syncResult?.revision, 'abc');
});

test('119: an automatic sync of an Application that is being deleted is not overtaken: nothing would take its place', () => {
  const running =
    'status: {operationState: {phase: Running, startedAt: "2026-01-01T00:00:00Z", operation: {initiatedBy: {automated: true}, sync: {}}, syncResult: {revision: old, resources: []}}}';
  const whole = shop(`  syncPolicy: {automated: {}}\n${running}`);
  const deleted = { ...whole, metadata: { ...whole.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  const found = activityOf({
    app: deleted,
    comparison: { status: 'OutOfSync', objects: [], errors: [] },
    revision: 'abc',
    now: at,
    nowText: '2026-01-01T00:00:00Z',
    pace: defaultPace,
    window: () => open,
  });
  assert.ok(found.active);
  assert.equal(found.state.syncResult?.revision, 'old');
});

test('45: an attempt that asks for fresh revisions is made at those of now, whatever it was pinned to', () => {
  const waiting = (refresh: boolean): string =>
    `status: {operationState: {phase: Running, startedAt: "2025-12-31T23:00:00Z", finishedAt: "2025-12-31T23:00:00Z", retryCount: 1, operation: {sync: {revision: old}, retry: {limit: 2, refresh: ${refresh}}}, syncResult: {revision: old, resources: [{name: x}]}}}`;
  const revisions = [true, false].map((refresh) => {
    const found = activity(waiting(refresh));
    assert.ok(found.active);
    return [found.state.syncResult?.revision, found.state.operation.sync?.revision, found.state.syncResult?.resources];
  });
  assert.deepEqual(revisions, [
    ['abc', undefined, []],
    ['old', 'old', []],
  ]);
});

test('85: an operation keeps the metadata that it gives the namespace', () => {
  const found = activity('operation: {sync: {}}');
  assert.ok(found.active);
  assert.equal(found.state.syncResult?.managedNamespaceMetadata, undefined);
  const managed = activityOf({
    app: shop('  syncPolicy: {managedNamespaceMetadata: {labels: {a: b}}}\noperation: {sync: {}}'),
    comparison: { status: 'OutOfSync', objects: [], errors: [] },
    ...{ revision: 'abc', now: at, nowText: '2026-01-01T00:00:00Z', pace: defaultPace, window: () => open },
  });
  assert.ok(managed.active);
  assert.deepEqual(managed.state.syncResult?.managedNamespaceMetadata, { labels: { a: 'b' } });
});
