import { exactly, type Figure, told } from '../probes/figures.ts';
import { agent, type Bench } from './bench.ts';
import { untilQuiet } from './initial-sync.ts';
import { maps, until } from './stage.ts';

/** The controller starts over Applications that are all synced: it reads everything once and writes nothing (S1). */
export async function restart(bench: Bench, controlPlane: string, count: number): Promise<Figure[]> {
  // Something was committed meanwhile that concerns nobody.
  bench.repository.commit({ 'docs/readme.md': 'nobody was looking\n' });
  const index = bench.mark();
  const floors = [await readAll(bench)];
  const from = performance.now();
  const contestant = await bench.start(controlPlane);
  let passes = 0;
  const ask = setInterval(
    () =>
      void contestant.read().then(
        (reading) => (passes = reading.passes),
        () => undefined,
      ),
    100,
  );
  try {
    await until('a look at every Application', () => passes >= count, 300_000);
  } finally {
    clearInterval(ask);
  }
  const wall = performance.now() - from;
  await untilQuiet(bench);
  const reading = await contestant.settle();
  await contestant.stop();
  floors.push(await readAll(bench));
  const lists = bench
    .audit()
    .slice(index)
    .filter(({ userAgent, verb }) => userAgent === agent && verb === 'list');
  const kinds = new Set(
    lists.map(
      ({ objectRef, requestURI }) => `${objectRef?.apiGroup}/${objectRef?.resource} ${requestURI.split('?')[0]}`,
    ),
  );
  return [
    exactly('S1 writes at a restart after a commit elsewhere', Object.values(bench.writes(index)).flat().length, 0),
    exactly('S1 renders per Application at a restart', reading.renders / count, 1),
    told('S1 lists at a restart', lists.length),
    told('S1 of them for the same kind and place', lists.length - kinds.size),
    told('S1 restart until every Application was looked at', wall, 'ms'),
    told('S1 plain read of the ConfigMaps', Math.min(...floors), 'ms'),
    told('S1 longest stretch on the main loop', reading.longestMs, 'ms'),
  ];
}

async function readAll({ floor }: Bench): Promise<number> {
  const from = performance.now();
  await floor.list(maps, { resourceVersion: '0' }, () => undefined);
  return performance.now() - from;
}
