import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApplicationStatus } from '../api/index.ts';
import { transitionBetween } from './index.ts';

const status = (sync: string, health: string, phase?: string, more: object = {}): ApplicationStatus => ({
  sync: { status: sync },
  health: { status: health },
  ...(phase === undefined
    ? {}
    : {
        operationState: {
          operation: { sync: {} },
          phase,
          startedAt: '1',
          syncResult: { revision: 'abc' },
          message: 'no',
          ...more,
        },
      }),
});

const rows: [string, ApplicationStatus | undefined, ApplicationStatus, string | undefined][] = [
  ['nothing changed', status('Synced', 'Healthy'), status('Synced', 'Healthy'), undefined],
  [
    'sync and health changed',
    status('OutOfSync', 'Missing'),
    status('Synced', 'Healthy'),
    'Normal Updated sync status: OutOfSync -> Synced; Updated health status: Missing -> Healthy',
  ],
  [
    'the first look',
    undefined,
    status('OutOfSync', 'Missing'),
    'Normal Updated sync status:  -> OutOfSync; Updated health status:  -> Missing',
  ],
  [
    'an error that came',
    status('Synced', 'Healthy'),
    { ...status('Unknown', 'Healthy'), conditions: [{ type: 'ComparisonError', message: 'no such path' }] },
    'Warning Updated sync status: Synced -> Unknown (ComparisonError: no such path)',
  ],
  [
    'an error that stays',
    { ...status('Synced', 'Healthy'), conditions: [{ type: 'SyncError', message: 'no' }] },
    { ...status('OutOfSync', 'Healthy'), conditions: [{ type: 'SyncError', message: 'no' }] },
    'Normal Updated sync status: Synced -> OutOfSync',
  ],
  [
    'an operation that ended well',
    status('OutOfSync', 'Missing'),
    status('Synced', 'Healthy', 'Succeeded'),
    'Normal Sync operation to abc succeeded',
  ],
  [
    'an operation that failed',
    status('OutOfSync', 'Missing'),
    status('OutOfSync', 'Missing', 'Failed'),
    'Warning Sync operation to abc failed: no',
  ],
  [
    'an operation that began',
    status('OutOfSync', 'Missing'),
    status('OutOfSync', 'Missing', 'Running'),
    "Normal Initiated sync to 'abc'",
  ],
  [
    'an operation that goes on',
    status('OutOfSync', 'Missing', 'Running'),
    status('OutOfSync', 'Missing', 'Running', { message: 'later' }),
    undefined,
  ],
  [
    'a partial sync',
    status('OutOfSync', 'Missing'),
    status('Synced', 'Healthy', 'Succeeded', { operation: { sync: { resources: [{ kind: 'X', name: 'x' }] } } }),
    'Normal Partial sync operation to abc succeeded',
  ],
];

for (const [title, before, after, wanted] of rows) {
  test(`${title} is told as ${wanted ?? 'nothing'}`, () => {
    const told = transitionBetween(before, after);
    assert.equal(told === undefined ? undefined : `${told.type} ${told.message}`, wanted);
  });
}
