import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArgosyError } from '../core/errors/index.ts';
import type { Discovery } from '../kube/index.ts';
import { silentLogger } from '../telemetry/index.ts';
import { untilReached, untilReady, watchStartUp } from './start-up.ts';

const resource = (kind: string): Discovery['resources'][number] => ({
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: true,
  verbs: [],
});
const settled = { waitingFor: (): readonly string[] => [] };
const never = new Promise<void>(() => undefined);
const signal = new AbortController().signal;

test('it waits for the kinds of ours that the cluster does not serve, then for the settings', async () => {
  const answers: Discovery[] = [
    { resources: [resource('Application')], unknown: new Map() },
    { resources: [resource('Application'), resource('AppProject')], unknown: new Map() },
  ];
  const asked: unknown[] = [];
  const reader = {
    discover: async (options?: { fresh?: boolean }): Promise<Discovery> => {
      asked.push(options?.fresh);
      return answers.shift() ?? { resources: [], unknown: new Map() };
    },
  };
  const startUp = watchStartUp(reader, { waitingFor: () => ['the settings'] });
  await new Promise((resolve) => setImmediate(resolve));
  assert.match(
    startUp.waitingFor() ?? '',
    /does not know AppProject of argoproj.io: run kubectl apply -f deploy\/crds/,
  );
  await startUp.served;
  assert.equal(startUp.waitingFor(), 'the settings');
  assert.deepEqual(asked, [false, true]);
});

test('a cluster that does not answer is waited for, and stopping ends the wait', async () => {
  const reader = { discover: () => Promise.reject(new ArgosyError('kube-unreachable', 'no connection')) };
  const startUp = watchStartUp(reader, settled);
  await new Promise((resolve) => setImmediate(resolve));
  assert.match(startUp.waitingFor() ?? '', /no connection/);
  startUp.stop();
  await startUp.served;
});

test('the deadline throws with what is missing, and meanwhile it was said', async () => {
  const said: unknown[] = [];
  const log = { ...silentLogger, warn: (_: string, fields?: object) => void said.push(fields) };
  const waiting = { ready: never, waitingFor: () => 'no kinds' };
  await assert.rejects(untilReady(waiting, { deadlineMs: 300, log, signal, sayEveryMs: 20 }), {
    code: 'unknown',
    message: 'not ready after 0 s: no kinds',
  });
  assert.deepEqual(said[0], { waitingFor: 'no kinds' });
});

test('whoever is ready, or told to end, waits no longer', async () => {
  const patience = { deadlineMs: 60_000, log: silentLogger, signal };
  await untilReady({ ready: Promise.resolve(), waitingFor: () => undefined }, patience);
  await untilReady({ ready: never, waitingFor: () => undefined }, { ...patience, signal: AbortSignal.abort() });
});

test('an API server that cannot be reached is asked again, until the deadline, and only where that may pass', async () => {
  const unreachable = new ArgosyError('kube-unreachable', 'connection refused');
  const connection = (failures: unknown[]) => ({
    version: async () => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return { gitVersion: 'v1.36.3', major: '1', minor: '36' };
    },
  });
  const patience = { deadlineMs: 60_000, log: silentLogger, signal, sayEveryMs: 1 };
  assert.equal(await untilReached(connection([unreachable, unreachable]), patience), 'v1.36.3');
  const late = untilReached(connection([unreachable]), { ...patience, deadlineMs: 0 });
  await assert.rejects(late, { code: 'kube-unreachable' });
  const refused = new ArgosyError('kube-unauthorized', 'Unauthorized');
  await assert.rejects(untilReached(connection([refused]), patience), { code: 'kube-unauthorized' });
  const stopped = { ...patience, signal: AbortSignal.abort() };
  assert.equal(await untilReached(connection([unreachable]), stopped), undefined);
});
