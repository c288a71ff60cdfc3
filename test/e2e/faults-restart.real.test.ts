import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ControllerProcess } from '../support/controller-process.ts';
import { type FaultStage, openFaultStage } from '../support/fault-stage.ts';
import { until } from '../support/story.ts';

let faults: FaultStage;
let controller: ControllerProcess;
let calmBytes: number;

before(async () => {
  faults = await openFaultStage('restart', { own: true });
  controller = await faults.startController();
  await faults.proveCalm(await faults.begin('calm'));
  calmBytes = await controller.memory();
});

after(() => faults?.stop());

const drift = (name: string): Promise<void> =>
  faults.stage.patch('ConfigMap', 'restart-shop', name, { data: { text: 'drifted' } });
const text = async (name: string): Promise<unknown> =>
  (await faults.stage.get('ConfigMap', 'restart-shop', name))?.['data'];
const untilText = (name: string, wanted: string): Promise<unknown> =>
  until(
    () => text(name),
    (data) => JSON.stringify(data) === JSON.stringify({ text: wanted }),
    240_000,
  );

test('a restart of the API server in the middle of a sync is survived, and so is a commit made meanwhile', async () => {
  const { subject, release } = await faults.beginHeldAt('server', 'w4');
  const back = faults.cluster.restartApiServer();
  release();
  const path = 'calm/w3.yaml';
  faults.repository.commit({
    [path]: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: calm-w3}\ndata: {text: newer}\n`,
  });
  await back;
  await faults.proveCalm(subject);
  await untilText('calm-w3', 'newer');
});

test('a restart of etcd in the middle of a sync is survived', async () => {
  const { subject, release } = await faults.beginHeldAt('etcd', 'mid');
  const back = faults.cluster.restartEtcd();
  release();
  await back;
  await faults.proveCalm(subject);
});

test('history that both etcd and the API server have forgotten is read anew, and what drifted meanwhile is put right', async () => {
  const { subject, release } = await faults.beginHeldAt('forgotten', 'w6');
  // Nobody tells the controller what happens from here on.
  faults.wire.refuse(true);
  faults.wire.reset();
  release();
  await drift('server-w1');
  await faults.cluster.compact();
  await faults.cluster.restartApiServer();
  faults.wire.refuse(false);
  await faults.proveCalm(subject);
  await untilText('server-w1', 'server-w1');
});

test('all these restarts have left nothing behind in memory', async (context) => {
  const bytes = await controller.memory();
  context.diagnostic(`${(calmBytes / 2 ** 20).toFixed(1)} MiB before, ${(bytes / 2 ** 20).toFixed(1)} MiB after`);
  assert.ok(bytes <= 1.25 * calmBytes, `${bytes} after ${calmBytes}`);
});
