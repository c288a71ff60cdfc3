import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application, ApplicationStatus } from '../../core/api/index.ts';
import { cutAsBefore, sizeWarning, smallStatus } from './small-status.ts';

const count = 10_000;
const name = (n: number): string => `${'an-object-with-a-name-as-long-as-they-get-'.repeat(4)}${n}`;
const rows = Array.from({ length: count }, (_, n) => ({ kind: 'ConfigMap', name: name(n), status: 'Synced' }));
const large: ApplicationStatus = {
  sync: { status: 'OutOfSync' },
  resources: [...rows, { kind: 'ConfigMap', name: 'amiss', status: 'OutOfSync' }],
  conditions: Array.from({ length: count }, (_, n) => ({ type: 'ComparisonError', message: name(n).repeat(30) })),
  operationState: {
    operation: { sync: {} },
    phase: 'Failed',
    message: 'no '.repeat(count),
    syncResult: { revision: 'abc', resources: [...rows, { kind: 'ConfigMap', name: 'failed', status: 'SyncFailed' }] },
  },
};
const app = (status?: ApplicationStatus): Application => ({ status }) as unknown as Application; // all that is looked at

test('140: a status that does not fit is cut to what does, with what is amiss first, and says so', () => {
  const small = smallStatus(app(), large, '2026-01-01T00:00:00Z');
  assert.ok(JSON.stringify(small).length < 1_000_000);
  assert.equal(small.resources?.[0]?.name, 'amiss');
  assert.equal(small.operationState?.syncResult?.resources?.[0]?.name, 'failed');
  assert.equal(small.operationState?.syncResult?.revision, 'abc');
  assert.equal(small.sync?.status, 'OutOfSync');
  const said = small.conditions?.find(({ type }) => type === sizeWarning);
  assert.match(said?.message ?? '', /500 of 10001 objects are listed/);
});

test('cut again at another time it is the same, so that nothing is written', () => {
  const first = smallStatus(app(), large, '2026-01-01T00:00:00Z');
  assert.deepEqual(smallStatus(app(first), large, '2026-01-02T00:00:00Z'), first);
});

test('what was cut before is cut again, so that only what is new of it counts; what was whole stays whole', () => {
  const first = smallStatus(app(), large, '2026-01-01T00:00:00Z');
  const now = '2026-01-02T00:00:00Z';
  assert.deepEqual(cutAsBefore(app(first), large, now), first);
  assert.equal(cutAsBefore(app({ sync: { status: 'Synced' } }), large, now), large);
  assert.notDeepEqual(cutAsBefore(app(first), { ...large, resources: rows }, now), first);
});
