import { exactly, type Figure, told } from '../probes/figures.ts';
import type { Bench } from './bench.ts';
import type { Contestant } from './contestant.ts';
import { untilQuiet } from './initial-sync.ts';
import { maps, pods, timed } from './stage.ts';

/** Status updates of Pods that belong to an Application and mean nothing new for it, as fast as the server makes them (S11). */
export async function storm(bench: Bench, contestant: Contestant, shop: string): Promise<Figure[]> {
  const { floor } = bench;
  const total = bench.full ? 5_000 : 500;
  const owner = await floor.get(maps, shop, 'map-0');
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'map-0', uid: owner.metadata.uid ?? '' }];
  const spec = { containers: [{ name: 'main', image: 'registry.example/main:1' }] };
  await timed(10, (at) =>
    floor.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `pod-${at}`, namespace: shop, ownerReferences },
      spec,
    }),
  );
  await updates(bench, shop, 10, 0);
  await untilQuiet(bench);
  const index = bench.mark();
  const before = await contestant.settle();
  const wall = await updates(bench, shop, total, 1);
  const after = await contestant.settle();
  return [
    exactly(`S11 passes for ${total} updates of status`, after.passes - before.passes, 0),
    exactly(`S11 writes for ${total} updates of status`, Object.values(bench.writes(index)).flat().length, 0),
    told('S11 updates per second', total / (wall / 1000), '/s'),
    told('S11 CPU of the controller per update', (after.cpuMs - before.cpuMs) / total, 'ms'),
  ];
}

function updates({ floor }: Bench, shop: string, total: number, turn: number): Promise<number> {
  return timed(total, (at) => {
    const status = { phase: 'Pending', podIP: `10.${turn}.${Math.floor(at / 250) % 250}.${at % 250}` };
    return floor.patch(pods, shop, `pod-${at % 10}`, 'merge', { status }, { subresource: 'status' });
  });
}
