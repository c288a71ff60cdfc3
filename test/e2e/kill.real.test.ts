import { after, before, test } from 'node:test';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { type KillPoint, type Sweep, startSweep } from '../support/kill-sweep.ts';
import { openStage, type Stage } from '../support/story.ts';
import { tenantPlatform } from '../support/tenant.ts';

let stage: Stage;
let proxy: FaultProxy;
let repository: TestRepository;
let sweep: Sweep;

before(async () => {
  stage = await openStage();
  proxy = await startFaultProxy(stage.cluster.url);
  repository = createTestRepository();
  await stage.apply(tenantPlatform('kill'));
  sweep = startSweep({ stage, proxy, repository, tenant: 'kill' });
});

after(async () => {
  await sweep?.stop();
  await stage?.stop();
  await proxy?.close();
  repository?.remove();
});

test('killed at seeded points of a sync of four waves and two hooks, it goes on and doubles nothing', async (context) => {
  const pieces = await sweep.measure('calm');
  for (const point of sample(pieces, 4, 20_260_101)) {
    context.diagnostic(`killed ${point.when} piece ${point.piece} of ${pieces}`);
    await sweep.killAt(`killed-${point.piece}-${point.when}`, point);
  }
});

/** Points spread over the sync, one in each stretch of it. */
function sample(pieces: number, count: number, seed: number): KillPoint[] {
  return Array.from({ length: count }, (_, at) => {
    const draw = (Math.imul(seed + at, 2_654_435_761) >>> 0) / 2 ** 32;
    return { piece: 1 + Math.floor(((at + draw) * pieces) / count), when: at % 2 === 0 ? 'after' : 'before' };
  });
}
