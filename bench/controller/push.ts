import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringAt } from '../../src/core/json/index.ts';
import { exactly, type Figure, median, ratioTo, told } from '../probes/figures.ts';
import type { Bench } from './bench.ts';
import type { Contestant } from './contestant.ts';
import { stamp } from './floors.ts';
import { untilQuiet } from './initial-sync.ts';
import { applications, configMap, maps, timed, until, type Writes } from './stage.ts';

interface Pushed {
  readonly ours: number;
  readonly floor: number;
  readonly writes: Writes;
  readonly renders: number;
}

const rounds = 7;

/** Who is pushed to: the controller, the beginning of its Applications' names, and how many there are. */
interface Subject {
  readonly contestant: Contestant;
  readonly name: string;
  readonly count: number;
}

/** Pushes that touch one Application, several, or all, told as by a webhook (S3); truth is the audit log's. */
export async function push(bench: Bench, subject: Subject): Promise<Figure[]> {
  const { count } = subject;
  const dir = mkdtempSync(join(tmpdir(), 'argosy-bench-mirror-'));
  execFileSync('git', ['clone', '--quiet', '--mirror', bench.repository.url, dir]);
  try {
    const ones: Pushed[] = [];
    for (let turn = 1; turn <= rounds; turn++)
      ones.push(await pushOnce(bench, subject, dir, { touched: [(turn * 37) % count], turn }));
    const some = Array.from({ length: count / 10 }, (_, at) => at * 10 + 1);
    const several = [
      await pushOnce(bench, subject, dir, { touched: some, turn: 20 }),
      await pushOnce(bench, subject, dir, { touched: some, turn: 21 }),
    ];
    const everybody = [...Array(count).keys()];
    const all = [
      await pushOnce(bench, subject, dir, { touched: everybody, turn: 30 }),
      await pushOnce(bench, subject, dir, { touched: everybody, turn: 31 }),
    ];
    return [
      ...figuresOf('one', 1, ones, 2),
      ...figuresOf(`${some.length} of ${count}`, some.length, several, 1.5),
      ...figuresOf(`all ${count}`, count, all, 1.3),
    ];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function figuresOf(name: string, touched: number, rows: readonly Pushed[], most: number): Figure[] {
  const ratio = median(rows.map(({ ours, floor }) => ours / floor));
  const worst = (of: (row: Pushed) => number): number => Math.max(...rows.map(of)) / touched;
  const floors = rows.map(({ floor }) => floor);
  return [
    exactly(
      `S3 renders per Application, push touching ${name}`,
      worst(({ renders }) => renders),
      1,
    ),
    exactly(
      `S3 writes of objects, push touching ${name}`,
      worst(({ writes }) => writes.objects.length),
      1,
    ),
    exactly(
      `S3 writes of Applications, push touching ${name}`,
      worst(({ writes }) => writes.applications.length),
      1,
    ),
    told(`S3 push touching ${name} to its last status, p50`, median(rows.map(({ ours }) => ours)), 'ms'),
    told(`S3 floor: fetch, applies, statuses, ${name}, p50`, median(floors), 'ms'),
    ratioTo(`S3 push touching ${name} / floor`, ratio, most, inner(floors)),
  ];
}

/** Single calls scatter more than rows of them: of many the outer ones do not count. */
function inner(floors: readonly number[]): readonly number[] {
  return floors.length < 5 ? floors : floors.toSorted((a, b) => a - b).slice(2, -2);
}

async function pushOnce(
  bench: Bench,
  { contestant, name }: Subject,
  mirror: string,
  { touched, turn }: { readonly touched: readonly number[]; readonly turn: number },
): Promise<Pushed> {
  const { repository, floor } = bench;
  const head = repository.commit(
    Object.fromEntries(touched.map((at) => [`app-${at}/map.yaml`, JSON.stringify(configMap(at, turn))])),
  );
  const [index, { renders }, began] = [bench.mark(), await contestant.read(), Date.now()];
  await contestant.poll(repository.url);
  await untilTold(
    bench,
    touched.map((at) => `${name}-argocd/${name}-app-${at}`),
    head,
  );
  await untilQuiet(bench, 300);
  const writes = bench.writes(index);
  const ended = Math.max(
    ...writes.applications.slice(0, touched.length).map(({ stageTimestamp }) => Date.parse(stageTimestamp)),
  );
  const from = performance.now();
  execFileSync('git', ['-C', mirror, 'fetch', '--quiet', 'origin']);
  await timed(touched.length, async (nth) => {
    const at = touched[nth] ?? 0;
    const object = { ...configMap(at, turn), metadata: { name: `r1-${at}`, namespace: 'floor-shop' } };
    await floor.apply(maps, object, { fieldManager: 'floor', force: true });
    await floor.patch(applications, 'floor-argocd', `r1-${at}`, 'merge', { status: { reconciledAt: stamp(turn) } });
  });
  const floorMs = performance.now() - from;
  return { ours: ended - began, floor: floorMs, writes, renders: (await contestant.read()).renders - renders };
}

/** Waits until an independent watch has seen all of these at a commit; reading the audit log meanwhile would take a core. */
async function untilTold({ seen }: Bench, keys: readonly string[], commit: string): Promise<void> {
  let at = 0;
  await until('push', () => {
    while (at < keys.length && stringAt(seen.get(keys[at] ?? '')?.status ?? {}, 'sync', 'revision') === commit) at++;
    return at === keys.length;
  });
}

/** Commits that touch nobody (S12). */
export async function elsewhere(bench: Bench, contestant: Contestant): Promise<Figure[]> {
  const [index, before] = [bench.mark(), await contestant.read()];
  for (let turn = 0; turn < 10; turn++) {
    bench.repository.commit({ 'docs/readme.md': `turn ${turn}\n` });
    await contestant.poll(bench.repository.url);
  }
  await sleep(1_000);
  const after = await contestant.read();
  return [
    exactly('S12 renders for 10 commits touching none', after.renders - before.renders, 0),
    exactly('S12 writes for 10 commits touching none', Object.values(bench.writes(index)).flat().length, 0),
    exactly('S12 passes for 10 commits touching none', after.passes - before.passes, 0),
  ];
}
