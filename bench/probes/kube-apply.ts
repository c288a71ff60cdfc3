import type { Connection, Resource } from '../../src/kube/index.ts';
import type { BareClient } from './bare-client.ts';

const inFlight = 16;

/** Both rates of one run, taken in turns. */
export interface ApplyFigures {
  readonly oursPerSecond: number;
  readonly barePerSecond: number;
  /** Of the rates of neighbouring blocks, the median. */
  readonly ratio: number;
  readonly oursCpuMs: number;
  readonly bareCpuMs: number;
}

/** Server-side applies of 2 KB ConfigMaps: ours and a bare client in turns, each block as many in flight. */
export async function measureApplies(
  connection: Connection,
  bare: BareClient,
  maps: Resource,
  total: number,
): Promise<ApplyFigures> {
  const block = 250;
  const rows: { ours: Block; bare: Block }[] = [];
  const ours = (at: number): Promise<Block> =>
    timed(block, (index) => connection.apply(maps, object('ours', at + index), { fieldManager: 'bench', force: true }));
  const floor = (at: number): Promise<Block> =>
    timed(block, (index) => {
      const one = object('bare', at + index);
      const path = `/api/v1/namespaces/bench-0/configmaps/${one.metadata.name}?fieldManager=bench&force=true`;
      return bare.call('PATCH', path, 'application/apply-patch+yaml', one);
    });
  await ours(1_000_000);
  await floor(1_000_000);
  for (let at = 0; at < total; at += block) {
    const first = (at / block) % 2 === 0;
    const a = await (first ? ours(at) : floor(at));
    const b = await (first ? floor(at) : ours(at));
    rows.push(first ? { ours: a, bare: b } : { ours: b, bare: a });
  }
  const sum = (pick: (row: { ours: Block; bare: Block }) => number): number =>
    rows.reduce((all, row) => all + pick(row), 0);
  const ratios = rows.map((row) => row.bare.ms / row.ours.ms).toSorted((a, b) => a - b);
  return {
    oursPerSecond: (total / sum((row) => row.ours.ms)) * 1000,
    barePerSecond: (total / sum((row) => row.bare.ms)) * 1000,
    ratio: ratios[Math.floor(ratios.length / 2)] ?? 0,
    oursCpuMs: sum((row) => row.ours.cpuMs) / total,
    bareCpuMs: sum((row) => row.bare.cpuMs) / total,
  };
}

interface Block {
  readonly ms: number;
  readonly cpuMs: number;
}

async function timed(count: number, call: (index: number) => Promise<unknown>): Promise<Block> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await call(next++);
  };
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  await Promise.all(Array.from({ length: inFlight }, worker));
  const used = process.cpuUsage(cpu);
  return { ms: performance.now() - began, cpuMs: (used.user + used.system) / 1000 };
}

function object(
  who: string,
  index: number,
): {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace: string };
  data: { [key: string]: string };
} {
  const data = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`key-${at}`, `${who} ${index} ${'v'.repeat(80)}`]),
  );
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${who}-${index}`, namespace: 'bench-0' }, data };
}
