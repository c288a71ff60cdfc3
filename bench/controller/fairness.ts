import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure, median, ratioTo, told } from '../probes/figures.ts';
import { type Bench, untilSynced } from './bench.ts';
import type { Contestant } from './contestant.ts';
import { application, tenantPlatform } from './platform.ts';
import { applications, applyYaml, maps, timed, until } from './stage.ts';

const rounds = 9;

/** A quiet tenant's drift to restored, alone and beside a tenant whose Applications fail and try again without end (S6). */
export async function fairness(bench: Bench, noisy: number): Promise<Figure[]> {
  await applyYaml(bench.floor, tenantPlatform('fair', 2));
  // A name that no API server takes: every sync fails, and is tried again at once.
  const broken = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'NOT_A_NAME' }, data: {} };
  bench.repository.commit({ 'broken/map.yaml': JSON.stringify(broken) });
  // One for each drift: self-heal waits longer after each of a row.
  const places = Array.from({ length: 3 * rounds }, (_, at) => ({ namespace: 'fair0-team', name: `quiet-${at}`, at }));
  await timed(places.length, (at) =>
    bench.floor.create(applications, application(bench.repository.url, places[at], 'fair0', 'fair0-shop')),
  );
  const contestant = await bench.start('fair-argocd', ['fair*-team']);
  try {
    await untilSynced(
      bench,
      places.map(({ namespace, name }) => `${namespace}/${name}`),
    );
    const before = await heals(bench, 0);
    await timed(noisy, (at) => bench.floor.create(applications, loop(bench, at)));
    const loud = await noise(bench, contestant, noisy);
    const during = await heals(bench, rounds);
    await silence(bench, contestant, noisy);
    const after = await heals(bench, 2 * rounds);
    const floors = [median(before), median(after)];
    return [
      told('S6 looping Applications of one tenant', noisy),
      told('S6 their passes per second', loud, '/s'),
      told('S6 quiet tenant’s heal alone, p50', median(floors), 'ms'),
      told('S6 quiet tenant’s heal beside them, p50', median(during), 'ms'),
      ratioTo('S6 quiet tenant’s heal beside them / alone, p50', median(during) / Math.max(...floors), 2, floors),
    ];
  } finally {
    await contestant.stop();
  }
}

function loop(bench: Bench, at: number): ReturnType<typeof application> {
  const app = application(
    bench.repository.url,
    { namespace: 'fair1-team', name: `loop-${at}`, at: 0 },
    'fair1',
    'fair1-shop',
  );
  const spec = app['spec'] as { source: object };
  const retry = { limit: -1, backoff: { duration: '10ms', factor: 1, maxDuration: '10ms' } };
  const syncPolicy = { automated: { selfHeal: true }, retry };
  return { ...app, spec: { ...spec, source: { ...spec.source, path: 'broken' }, syncPolicy } } as typeof app; // an Application as before
}

/** Waits until all of them loop, and answers how fast. */
async function noise(bench: Bench, contestant: Contestant, noisy: number): Promise<number> {
  const tries = (at: number): number => {
    const state = bench.seen.get(`fair1-team/loop-${at}`)?.status['operationState'] as
      | { retryCount?: number }
      | undefined; // an Application's
    return state?.retryCount ?? 0;
  };
  await until(
    'the noise',
    () => Array.from({ length: noisy }, (_, at) => tries(at)).every((count) => count > 0),
    300_000,
  );
  const [before, from] = [await contestant.read(), performance.now()];
  await sleep(2_000);
  const { passes } = await contestant.read();
  return (passes - before.passes) / ((performance.now() - from) / 1000);
}

async function silence(bench: Bench, contestant: Contestant, noisy: number): Promise<void> {
  await timed(noisy, (at) => bench.floor.delete(applications, 'fair1-team', `loop-${at}`));
  for (let [last, now] = [-1, 0]; last !== now; ) {
    last = now;
    await sleep(1_000);
    now = (await contestant.read()).passes;
  }
}

/** Milliseconds from each drift to its end, by an independent reader. */
async function heals({ floor }: Bench, from: number): Promise<number[]> {
  const times: number[] = [];
  for (let at = from; at < from + rounds; at++) {
    const began = performance.now();
    const drifted = await floor.patch(maps, 'fair0-shop', `map-${at}`, 'merge', { data: { 'key-0': 'drifted' } });
    for (let now = drifted; now.metadata.resourceVersion === drifted.metadata.resourceVersion; ) {
      if (performance.now() - began > 60_000) throw new Error('the drift stays');
      await sleep(5);
      now = await floor.get(maps, 'fair0-shop', `map-${at}`);
    }
    times.push(performance.now() - began);
  }
  return times;
}
