import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { type Application, parseApplication } from '../api/index.ts';
import type { Json } from '../json/index.ts';
import { type Activity, activityOf, defaultPace, type WindowAnswer } from './index.ts';

const at = Date.parse('2026-01-01T00:00:00Z');
const open: WindowAnswer = { open: true, message: '', changesInMs: undefined };

function app(rest: string): Application {
  const parsed = parseApplication(
    load(`
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example.com/x, path: .}
  destination: {server: https://kubernetes.default.svc, namespace: shop}
${rest}`) as Json,
  );
  assert.ok(parsed.ok);
  return parsed.value;
}

function activity(rest: string, window: WindowAnswer = open): Activity {
  return activityOf({
    app: app(rest),
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
