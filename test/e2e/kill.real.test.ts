import { after, before, test } from 'node:test';
import { type FaultStage, openFaultStage } from '../support/fault-stage.ts';
import { type KillPoint, type Sweep, startSweep } from '../support/kill-sweep.ts';

let faults: FaultStage;
let sweep: Sweep;

before(async () => {
  faults = await openFaultStage('kill');
  sweep = startSweep(faults);
});

after(async () => {
  await sweep?.stop();
  await faults?.stop();
});

test('killed at seeded calls of a sync of ten waves and three hooks, it goes on and doubles nothing', {
  timeout: 900_000,
}, async (context) => {
  const calls = await sweep.measure();
  for (const point of sample(calls, 5, 20_260_101)) {
    const at = await sweep.killAt(`k${point.call}-${point.when}`, point);
    context.diagnostic(`killed ${point.when} call ${point.call} of ${calls}: ${at ?? 'not reached'}`);
  }
});

/** Points spread over the sync, one in each stretch of it. */
function sample(calls: number, count: number, seed: number): KillPoint[] {
  return Array.from({ length: count }, (_, at) => {
    const draw = (Math.imul(seed + at, 2_654_435_761) >>> 0) / 2 ** 32;
    return { call: 1 + Math.floor(((at + draw) * calls) / count), when: at % 2 === 0 ? 'after' : 'before' };
  });
}
