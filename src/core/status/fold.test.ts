import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application, OperationState } from '../api/index.ts';
import type { ComparedObject, Comparison } from '../diff/index.ts';
import { foldStatus } from './index.ts';

const source = { repoURL: 'https://git.example.com/x', path: 'now' };
const app = {
  metadata: { name: 'shop' },
  spec: { project: 'default', source, destination: {} },
} as unknown as Application; // what is not read is left out

function fold(operationState: OperationState | undefined, objects: readonly ComparedObject[] = []) {
  const comparison: Comparison = { status: 'Synced', objects, errors: [] };
  return foldStatus({
    ...{ app, now: '2026-01-01T00:00:00Z', controlPlane: 'argocd', comparison, health: { status: 'Healthy' } },
    ...{ revision: 'abc', revisions: undefined, sourceType: undefined, operationState, conditions: [] },
  });
}

const done = (syncResult: OperationState['syncResult'], sync: object = {}): OperationState => ({
  operation: { sync },
  phase: 'Succeeded',
  startedAt: '2026-01-01T00:00:00Z',
  finishedAt: '2026-01-01T00:00:01Z',
  ...(syncResult === undefined ? {} : { syncResult }),
});

test('99: the history tells what was deployed, also where a rollback deployed something else than is asked for', () => {
  const before = { ...source, path: 'before' };
  const [line] = fold(done({ revision: 'old', source: before })).history ?? [];
  assert.deepEqual([line?.id, line?.revision, line?.source], [0, 'old', before]);
});

test('the history of several sources names them and their revisions', () => {
  const sources = [source, { ...source, path: 'two' }];
  const [line] = fold(done({ revisions: ['a', 'b'], sources })).history ?? [];
  assert.deepEqual([line?.revisions, line?.sources, line?.source], [['a', 'b'], sources, undefined]);
});

test('97, 100: a partial sync and a dry run leave no line', () => {
  assert.equal(fold(done({ revision: 'abc' }, { resources: [{ kind: 'X', name: 'x' }] })).history, undefined);
  assert.equal(fold(done({ revision: 'abc' }, { dryRun: true })).history, undefined);
});

test('an object that may only go with a word of approval says so', () => {
  const key = { group: '', kind: 'ConfigMap', namespace: 'shop', name: 'c' };
  const rows = ['Delete=confirm', 'Prune=confirm', 'Prune=false'].map((options) => {
    const annotations = { 'argocd.argoproj.io/sync-options': options };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', annotations } };
    const compared = { key, version: 'v1', target: undefined, live: { key, object }, status: 'Synced', wave: 0 };
    const [row] = fold(undefined, [compared as unknown as ComparedObject]).resources ?? []; // the rest is not read
    return row?.requiresDeletionConfirmation;
  });
  assert.deepEqual(rows, [true, true, undefined]);
});

test('what was there of a kind that cannot be read now stays listed, as unknown', () => {
  const gear = { group: 'x.io', version: 'v1', kind: 'Gear', namespace: 'shop', name: 'g', status: 'Synced' };
  const resources = [gear, { ...gear, kind: 'Other' }, { ...gear, name: 'hook', hook: true }];
  const unread = new Map([['x.io/Gear', 'gears cannot be converted']]);
  const comparison: Comparison = { status: 'Unknown', objects: [], errors: ['gears cannot be converted'], unread };
  const status = foldStatus({
    ...{ app: { ...app, status: { resources } }, now: '2026-01-01T00:00:00Z', controlPlane: 'argocd', comparison },
    ...{ health: { status: 'Healthy' }, revision: 'abc', revisions: undefined, sourceType: undefined },
    ...{ operationState: undefined, conditions: [] },
  });
  assert.deepEqual(status.resources, [{ ...gear, status: 'Unknown' }]);
});
