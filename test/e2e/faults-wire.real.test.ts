import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, ProxiedCall } from '../support/call-proxy.ts';
import type { ControllerProcess } from '../support/controller-process.ts';
import { type FaultStage, openFaultStage } from '../support/fault-stage.ts';
import { until } from '../support/story.ts';

let faults: FaultStage;
let controller: ControllerProcess;
/** Open once everything is followed. */
let allWatches: number;

before(async () => {
  faults = await openFaultStage('wire');
  controller = await faults.startController();
  await faults.proveCalm(await faults.begin('calm'));
  allWatches = faults.calls.openWatches();
});

after(() => faults?.stop());

afterEach(() => {
  faults.calls.script(undefined);
  faults.wire.pace({});
});

test('resets in the middle of a sync cost no object and double no hook', async () => {
  const { subject, release } = await faults.beginHeldAt('resets', 'w2');
  release();
  for (let round = 0; round < 8; round++) {
    faults.wire.reset();
    await sleep(40);
  }
  await faults.proveCalm(subject);
});

test('answers that are lost after the server has acted are not acted upon twice', async () => {
  const lost = new Set<string>();
  // Every write loses its first answer.
  faults.calls.script(({ method, path, query }) => {
    const key = `${method} ${path} ${query.get('force')}`;
    if (method === 'GET' || lost.has(key)) return undefined;
    lost.add(key);
    return { lose: () => faults.wire.reset() };
  });
  await faults.proveCalm(await faults.begin('lost'));
  assert.ok(lost.size >= 10, `only ${lost.size} answers were lost`);
});

test('connections that go silent are found dead, and drift that happened meanwhile is put right', async () => {
  const { subject, release } = await faults.beginHeldAt('silent', 'w3');
  faults.wire.silence();
  release();
  await faults.proveCalm(subject);
  faults.wire.silence();
  await faults.stage.patch('ConfigMap', 'wire-shop', 'silent-w1', { data: { text: 'drifted' } });
  await until(
    async () => (await faults.stage.get('ConfigMap', 'wire-shop', 'silent-w1'))?.['data'],
    (data) => JSON.stringify(data) === '{"text":"silent-w1"}',
    240_000,
  );
});

test('watches that have expired, again and again, are begun anew without loss', async () => {
  const { subject, release } = await faults.beginHeldAt('expired', 'w4');
  assert.ok(faults.calls.expireWatches() > 5);
  release();
  for (let round = 0; round < 5; round++) {
    await sleep(100);
    faults.calls.expireWatches();
  }
  await faults.proveCalm(subject);
});

test('429 with Retry-After is obeyed, and the sync goes on where it was', async () => {
  const { subject, release } = await faults.beginHeldAt('busy', 'w3');
  const asked: { at: number }[] = [];
  const busy = during(3_000, { answer: 429, headers: { 'retry-after': '1' } });
  release((call) => {
    if (call.path.endsWith('/busy-w3')) asked.push({ at: performance.now() });
    return busy(call);
  });
  await faults.proveCalm(subject);
  assert.ok(asked.length > 2, `asked only ${asked.length} times`);
  for (const [index, { at }] of asked.entries()) {
    const next = asked[index + 1];
    if (next !== undefined) assert.ok(next.at - at >= 990, `it came again after ${next.at - at} ms`);
  }
});

for (const answer of [502, 503, 504]) {
  test(`a burst of ${answer} in the middle of a sync ends nothing and doubles no hook`, async () => {
    const { subject, release } = await faults.beginHeldAt(`burst-${answer}`, answer === 503 ? 'mid' : 'w3');
    release(during(3_000, { answer }));
    await faults.proveCalm(subject);
  });
}

test('a cluster that answers late and in trickles is waited for', async () => {
  faults.wire.pace({ delayMs: 100, bytesPerSecond: 40_000 });
  const subject = await faults.begin('slow');
  await faults.proveCalm(subject);
});

test('faults that come again and again leave nothing behind in memory', async (context) => {
  const weights: number[] = [];
  for (let round = 0; round < 12; round++) {
    faults.calls.expireWatches();
    await sleep(150);
    faults.wire.reset();
    await sleep(150);
    faults.calls.script(during(100, { answer: 503 }));
    await until(
      () => Promise.resolve(faults.calls.openWatches()),
      (open) => open > 5,
    );
    faults.calls.script(undefined);
    // An object that is made before its kind is followed again would be pruned by a sync of its own.
    await until(
      () => Promise.resolve(faults.calls.openWatches()),
      (open) => open >= allWatches,
    );
    if (round % 4 === 3) {
      await faults.proveCalm(await faults.begin(`round-${round}`));
      weights.push(await controller.memory());
    }
  }
  const [first = 0] = weights;
  context.diagnostic(`MiB after each four rounds: ${weights.map((bytes) => (bytes / 2 ** 20).toFixed(1)).join(', ')}`);
  for (const weight of weights) assert.ok(weight <= 1.2 * first, `${weight} after ${first}`);
});

/** Every call that is no watch gets this answer for a while. */
function during(ms: number, fault: Fault) {
  const end = performance.now() + ms;
  return ({ isWatch }: ProxiedCall): Fault | undefined => (isWatch || performance.now() > end ? undefined : fault);
}
