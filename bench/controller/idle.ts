import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, exactly, type Figure, told } from '../probes/figures.ts';
import { agent, type Bench } from './bench.ts';
import type { Contestant, Reading } from './contestant.ts';
import { createApplications, syncAll, untilQuiet } from './initial-sync.ts';

const mebibyte = 2 ** 20;

/** What an installation of one Application needs, and holds at rest: the base that the others are counted from (S2, S5). */
export async function baseOfOne(bench: Bench, name = 'base'): Promise<Reading> {
  const { contestant } = await syncAll(bench, `${name}-argocd`, [], await createApplications(bench, name, 1));
  const base = await contestant.settle();
  await contestant.stop();
  return base;
}

/** Nothing changes: nothing is written, and nothing wakes up for an Application (S2). */
export async function idle(bench: Bench, contestant: Contestant, base: Reading, count: number): Promise<Figure[]> {
  const seconds = bench.full ? 60 : 20;
  await untilQuiet(bench, 2_000);
  const before = await contestant.settle();
  const index = bench.mark();
  await sleep(seconds * 1000);
  const after = await contestant.settle();
  const calls = bench
    .audit()
    .slice(index)
    .filter(({ userAgent }) => userAgent === agent);
  const writes = Object.values(bench.writes(index)).flat().length;
  const reads = Map.groupBy(calls, ({ verb }) => verb);
  return [
    exactly(`S2 writes in ${seconds} s of rest`, writes, 0),
    exactly(`S2 passes in ${seconds} s of rest`, after.passes - before.passes, 0),
    ...[...reads].map(([verb, { length }]) => told(`S2 calls at rest: ${verb}`, length)),
    told(`S2 calls in ${seconds} s of rest`, calls.length),
    atMost(`S2 timers waiting for ${count} Applications rather than one`, after.pending - base.pending, '', 10),
    told(`S2 timers that fired in ${seconds} s of rest`, after.fired - before.fired),
    told(
      'S2 CPU of the controller at rest, that of measuring it with it',
      (after.cpuMs - before.cpuMs) / seconds / 10,
      '%',
    ),
    told('S2 memory at rest (RSS)', after.rss / mebibyte, 'MiB'),
    told('S2 memory at rest of an installation of one (RSS)', base.rss / mebibyte, 'MiB'),
    told('S2 heap and buffers per Application and its object', (after.heap - base.heap) / count / 1024, 'KiB'),
  ];
}
