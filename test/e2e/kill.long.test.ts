import { after, before, test } from 'node:test';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { type Sweep, startSweep } from '../support/kill-sweep.ts';
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
  await stage.apply(tenantPlatform('sweep'));
  sweep = startSweep({ stage, proxy, repository, tenant: 'sweep' });
});

after(async () => {
  await sweep?.stop();
  await stage?.stop();
  await proxy?.close();
  repository?.remove();
});

test('killed at every point of a sync of four waves and two hooks, it goes on and doubles nothing', async (context) => {
  const pieces = await sweep.measure('calm');
  for (let piece = 1; piece <= pieces; piece++) {
    for (const when of ['before', 'after'] as const) {
      context.diagnostic(`killed ${when} piece ${piece} of ${pieces}`);
      await sweep.killAt(`killed-${piece}-${when}`, { piece, when });
    }
  }
});
