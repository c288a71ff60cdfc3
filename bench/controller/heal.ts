import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, exactly, type Figure, median, ratioTo, told } from '../probes/figures.ts';
import type { Bench } from './bench.ts';
import { untilQuiet } from './initial-sync.ts';
import { configMap, maps, timed, until } from './stage.ts';

const drifts = 15;

/** Somebody changes objects; an independent watch sees each change, and then that it was put back (S4). */
export async function heal(bench: Bench, shop: string, count: number): Promise<Figure[]> {
  const times = new Map<string, number[]>();
  const end = new AbortController();
  const { floor } = bench;
  const { resourceVersion } = await floor.list(maps, { namespace: shop }, () => undefined);
  const watching = floor
    .watch(maps, { namespace: shop, resourceVersion, signal: end.signal }, (event) => {
      if (event.type === 'BOOKMARK') return;
      const name = event.object.metadata.name ?? '';
      times.set(name, [...(times.get(name) ?? []), performance.now()]);
    })
    .catch(() => undefined);
  await sleep(500);
  try {
    return [...(await one(bench, shop, count, times)), ...(await many(bench, shop, times, count))];
  } finally {
    end.abort();
    await watching;
  }
}

type Times = Map<string, number[]>;

async function one(bench: Bench, shop: string, count: number, times: Times): Promise<Figure[]> {
  const { floor } = bench;
  const index = bench.mark();
  const rows: { ours: number; floor: number }[] = [];
  for (let turn = 0; turn < drifts; turn++) {
    const at = (turn * 5 + 3) % count;
    times.delete(`map-${at}`);
    const from = performance.now();
    await floor.patch(maps, shop, `map-${at}`, 'merge', { data: { 'key-0': 'drifted' } });
    await until('self-heal', () => (times.get(`map-${at}`)?.length ?? 0) >= 2);
    const [seen = from, back = from] = times.get(`map-${at}`) ?? [];
    await sleep(100);
    const apply = performance.now();
    const object = { ...configMap(at, turn + 100), metadata: { name: `r1-${at}`, namespace: 'floor-shop' } };
    await floor.apply(maps, object, { fieldManager: 'floor', force: true });
    // The drift itself is a write of the outsider: what is compared begins when it was sent, and so does the floor.
    rows.push({ ours: back - from, floor: seen - from + performance.now() - apply });
  }
  await untilQuiet(bench);
  const writes = bench.writes(index);
  const floors = rows.map((row) => row.floor).toSorted((a, b) => a - b);
  return [
    exactly('S4 writes of objects per heal', writes.objects.length / drifts, 1),
    atMost('S4 writes of Applications per heal', writes.applications.length / drifts, '', 1),
    told('S4 drift to restored, p50', median(rows.map(({ ours }) => ours)), 'ms'),
    told('S4 floor: watch lag and one apply, p50', median(floors), 'ms'),
    ratioTo('S4 self-heal / floor', median(rows.map((row) => row.ours / row.floor)), 3, floors.slice(6, -6)),
  ];
}

async function many(bench: Bench, shop: string, times: Times, count: number): Promise<Figure[]> {
  const total = Math.min(200, count);
  const floors: number[] = [];
  const apply = (turn: number) => async (at: number) => {
    const object = { ...configMap(at, turn), metadata: { name: `r1-${at}`, namespace: 'floor-shop' } };
    await bench.floor.apply(maps, object, { fieldManager: 'floor', force: true });
  };
  // The outsider's own writes take as long: they are part of both.
  floors.push(await timed(2 * total, (at) => apply(200 + Math.floor(at / total))(at % total)));
  times.clear();
  const index = bench.mark();
  const from = performance.now();
  await timed(total, (at) => bench.floor.patch(maps, shop, `map-${at}`, 'merge', { data: { 'key-0': 'drifted' } }));
  const restored = (): boolean => [...times.values()].filter(({ length }) => length >= 2).length === total;
  await until('self-heal of many', restored);
  const ours = Math.max(...[...times.values()].map((each) => each[1] ?? 0)) - from;
  await untilQuiet(bench);
  floors.push(await timed(2 * total, (at) => apply(300 + Math.floor(at / total))(at % total)));
  const writes = bench.writes(index);
  return [
    exactly(`S4 writes of objects per heal, ${total} at once`, writes.objects.length / total, 1),
    atMost(`S4 writes of Applications per heal, ${total} at once`, writes.applications.length / total, '', 1),
    ratioTo(`S4 ${total} drifts at once, drift with heal / as many applies`, ours / median(floors), 1.5, floors),
  ];
}
