import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventNote } from '../kube/index.ts';
import { createLogger, createMetrics } from '../telemetry/index.ts';
import { settingsReport } from './index.ts';

const about = { apiVersion: 'v1', kind: 'Secret', namespace: 'tenant-a', name: 'blue', uid: 'u' };

function stage() {
  const notes: EventNote[] = [];
  const lines: string[] = [];
  const metrics = createMetrics();
  const write = (note: EventNote): void => void notes.push(note);
  const deliver = async (note: EventNote): Promise<void> => write(note);
  const events = { write, deliver, flush: () => Promise.resolve() };
  const logger = createLogger({ level: 'info', write: (line) => void lines.push(line) });
  return {
    notes,
    lines,
    printed: () => [...metrics.print()].join(''),
    report: settingsReport({ events, logger, metrics }),
  };
}

test('a refusal becomes a Warning Event on the Secret and a log line', async () => {
  const { notes, lines, report } = stage();
  await report.rejected(about, 'project is required');
  assert.deepEqual(notes, [{ type: 'Warning', reason: 'ClusterRejected', message: 'project is required', about }]);
  assert.match(lines[0] ?? '', /"namespace":"tenant-a"/);
});

test('an invalid object is told with what stays in force, counted, and forgotten once mended', () => {
  const { notes, lines, printed, report } = stage();
  report.invalid(about, [{ path: 'data.config', message: 'is not a JSON object' }], true);
  report.invalid(about, [{ path: '', message: 'was deleted' }], false);
  assert.deepEqual(
    notes.map(({ message }) => message),
    ['data.config: is not a JSON object; the last good value stays in force', 'was deleted'],
  );
  assert.equal(lines.length, 2);
  assert.match(printed(), /argosy_settings_invalid\{kind="Secret",namespace="tenant-a",name="blue"\} 1/);
  report.invalid(about, [], false);
  assert.doesNotMatch(printed(), /name="blue"/);
  assert.equal(notes.length, 2);
});

test('how many are refused is a metric per namespace', () => {
  const { printed, report } = stage();
  report.counted('tenant-a', 7);
  assert.match(printed(), /argosy_cluster_secrets_rejected\{namespace="tenant-a"\} 7/);
  report.counted('tenant-a', 0);
  assert.doesNotMatch(printed(), /tenant-a/);
});

test('what cannot be read at the moment is a log line only', () => {
  const { notes, lines, report } = stage();
  report.unreadable('cluster Secrets of tenant-a', new Error('forbidden'));
  assert.equal(notes.length, 0);
  assert.match(lines[0] ?? '', /cluster Secrets of tenant-a/);
});
