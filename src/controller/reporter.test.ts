import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application, ApplicationStatus } from '../core/api/index.ts';
import type { EventNote } from '../kube/index.ts';
import { createLogger, createMetrics } from '../telemetry/index.ts';
import { createReporter } from './reporter.ts';

function stage() {
  const notes: EventNote[] = [];
  const metrics = createMetrics();
  const lines: { level: string; msg: string; application: string }[] = [];
  const log = createLogger({ level: 'info', write: (line) => void lines.push(JSON.parse(line)) });
  const write = (note: EventNote): void => void notes.push(note);
  const events = {
    write,
    deliver: async (note: EventNote): Promise<void> => write(note),
    flush: async () => undefined,
  };
  const series = (name: string): string[] =>
    [...metrics.print()]
      .join('')
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`));
  const info = (): string[] => series('argocd_app_info');
  return { notes, info, series, lines, reporter: createReporter({ events, metrics, log, controlPlane: 'argocd' }) };
}

const status = (health: string): ApplicationStatus => ({ sync: { status: 'Synced' }, health: { status: health } });
const app = {
  metadata: { name: 'shop', namespace: 'team-a' },
  spec: { project: 'blue', destination: {} },
  status: status('Healthy'),
} as unknown as Application; // only this is read of it

test('metrics follow what is, Events what is written', () => {
  const { notes, info, reporter } = stage();
  for (const health of ['Healthy', 'Degraded', 'Degraded']) reporter.seen(app, status(health));
  const labels = 'namespace="team-a",name="shop",project="blue",sync_status="Synced"';
  assert.deepEqual(info(), [`argocd_app_info{${labels},health_status="Degraded"} 1`]);
  assert.equal(notes.length, 0);
  reporter.told(app, status('Degraded'));
  assert.deepEqual(
    notes.map(({ message }) => message),
    ['Updated health status: Healthy -> Degraded'],
  );
  reporter.gone('team-a/shop');
  assert.deepEqual(info(), []);
});

test('syncs are counted for Applications that are there, under the projects they ask for now', () => {
  const { series, reporter } = stage();
  const done = (phase: string): ApplicationStatus => ({ operationState: { operation: {}, phase, startedAt: phase } });
  const asking = (project: string): Application => ({ ...app, spec: { ...app.spec, project } });
  for (const project of ['one', 'two', 'blue', 'blue']) reporter.told(asking(project), done('Failed'));
  reporter.told(app, done('Succeeded'));
  const labels = 'namespace="team-a",name="shop",project="blue"';
  assert.deepEqual(series('argocd_app_sync_total'), [
    `argocd_app_sync_total{${labels},phase="Failed"} 2`,
    `argocd_app_sync_total{${labels},phase="Succeeded"} 1`,
  ]);
  reporter.gone('team-a/shop');
  assert.deepEqual(series('argocd_app_sync_total'), []);
});

test('the log has a line for each change of meaning, each failed attempt and each new error', () => {
  const { lines, reporter } = stage();
  const retried = { operation: {}, phase: 'Running', retryCount: 1, message: 'no right. Retrying attempt #2' };
  const failing = { ...status('Healthy'), operationState: { ...retried, message: 'no right. Retrying attempt #1' } };
  const errors = [{ type: 'SyncError', message: 'no' }];
  reporter.told(app, status('Degraded'));
  reporter.told(app, status('Healthy'));
  reporter.told(app, failing);
  reporter.told({ ...app, status: failing }, { ...failing, operationState: retried });
  reporter.told({ ...app, status: failing }, failing);
  reporter.told(app, { ...status('Healthy'), conditions: errors });
  reporter.told({ ...app, status: { ...status('Healthy'), conditions: errors } }, status('Healthy'));
  assert.deepEqual(
    lines.map(({ level, msg, application }) => `${level} ${application} ${msg}`),
    [
      'info team-a/shop Updated health status: Healthy -> Degraded',
      "info team-a/shop Initiated sync to ''",
      'warn team-a/shop no right. Retrying attempt #1',
      'warn team-a/shop no right. Retrying attempt #2',
      'warn team-a/shop SyncError: no',
    ],
  );
});
