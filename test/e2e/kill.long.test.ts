import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FaultStage, openFaultStage } from '../support/fault-stage.ts';
import { type Sweep, startSweep } from '../support/kill-sweep.ts';

let faults: FaultStage;
let sweep: Sweep;

before(async () => {
  faults = await openFaultStage('sweep');
  sweep = startSweep(faults);
});

after(async () => {
  await sweep?.stop();
  await faults?.stop();
});

test('killed at every call of a sync of ten waves and three hooks, it goes on and doubles nothing', {
  timeout: 3_600_000,
}, async (context) => {
  const calls = await sweep.measure();
  let reached = 0;
  for (let call = 1; call <= calls; call++) {
    for (const when of ['before', 'after'] as const) {
      const began = Date.now();
      const at = await sweep.killAt(`k${call}-${when}`, { call, when });
      if (at !== undefined) reached++;
      context.diagnostic(`${when} call ${call} of ${calls}: ${at ?? 'not reached'}; ${Date.now() - began} ms`);
    }
  }
  context.diagnostic(`${reached} kills`);
  // Discovery and bookmarks come when they come: a sync may need a few calls less than the one that was measured.
  assert.ok(reached >= 2 * calls * 0.8, `only ${reached} of ${2 * calls} points were reached`);
});
