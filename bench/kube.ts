// The Kubernetes client against its floors, on a real kube-apiserver: a streamed list of 50,000 mixed objects, 5,000
// server-side applies, and the way of a watch event to its callback. Every floor is measured in the same run, in turns.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { connect } from '../src/kube/index.ts';
import { startRealCluster } from '../test/support/real-cluster.ts';
import { BareClient, type Target } from './probes/bare-client.ts';
import { atMost, type Figure, median, told } from './probes/figures.ts';
import { measureApplies } from './probes/kube-apply.ts';
import { measureWatch } from './probes/kube-watch.ts';
import type { ListProbe } from './probes/list-probe.ts';
import { seed } from './probes/seed.ts';

const objects = { configMaps: 20_000, secrets: 10_000, pods: 20_000 };

/** Runs the scenario and answers its figures. */
export async function run(options: { readonly size?: 'bar' | 'full' } = {}): Promise<readonly Figure[]> {
  const full = options.size === 'full';
  const cluster = await startRealCluster({ own: true, controllers: false, audit: false, fsync: true });
  const target: Target = { url: cluster.url, ca: cluster.ca, token: cluster.adminToken };
  const bare = new BareClient(target);
  const connection = connect(
    { server: target.url, caData: Buffer.from(target.ca), credential: { type: 'token', token: target.token } },
    { version: 'bench' },
  );
  try {
    const maps = (await connection.discover()).resources.find((one) => one.kind === 'ConfigMap');
    const namespaces = (await connection.discover()).resources.find((one) => one.kind === 'Namespace');
    if (maps === undefined || namespaces === undefined) throw new Error('the cluster serves no ConfigMaps');
    for (const name of ['bench-0', 'bench-1'])
      await connection.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const applies = await measureApplies(connection, bare, maps, full ? 10_000 : 5_000);
    const watch = await measureWatch(connection, bare, maps, full ? 1_000 : 300);
    await seed(cluster, objects);
    const lists = await measureLists(target, full ? 7 : 3);
    return [
      ...lists,
      told('applies, ours', applies.oursPerSecond, '/s'),
      told('applies, bare node:http2', applies.barePerSecond, '/s'),
      told('CPU per apply, ours', applies.oursCpuMs, 'ms'),
      told('CPU per apply, bare', applies.bareCpuMs, 'ms'),
      { name: 'rate of applies / bare', value: applies.ratio, unit: '×', bound: '>= 0.9', ok: applies.ratio >= 0.9 },
      told('write to callback, p50', watch.oursP50, 'ms'),
      told('write to callback, p99', watch.oursP99, 'ms'),
      told('write to first byte of the event, bare, p50', watch.bareP50, 'ms'),
      told('write to first byte of the event, bare, p99', watch.bareP99, 'ms'),
      {
        name: 'write to callback / bare, p50',
        value: watch.oursP50 / watch.bareP50,
        unit: '×',
        bound: '<= 1.3',
        ok: watch.oursP50 / watch.bareP50 <= 1.3,
      },
    ];
  } finally {
    bare.close();
    await connection.close();
    await cluster.stop();
  }
}

type Mode = 'read' | 'parse' | 'ours' | 'ours-stall';

/** In turns, each in a process of its own; what is reported is the median of the ratios of neighbours, and the worst stall and surplus. */
async function measureLists(target: Target, rounds: number): Promise<Figure[]> {
  await probe('read', target); // the server's cache is warm for everybody
  const rows: Record<Mode, ListProbe>[] = [];
  for (let round = 0; round < rounds; round++) {
    const row: Partial<Record<Mode, ListProbe>> = {};
    const order: Mode[] =
      round % 2 === 0 ? ['read', 'parse', 'ours', 'ours-stall'] : ['ours-stall', 'ours', 'parse', 'read'];
    for (const mode of order) row[mode] = await probe(mode, target);
    rows.push(row as Record<Mode, ListProbe>); // all four were just set
  }
  const middle = (pick: (row: Record<Mode, ListProbe>) => number): number => median(rows.map(pick));
  const worst = (pick: (row: Record<Mode, ListProbe>) => number): number => Math.max(...rows.map(pick));
  const count = worst((row) => row.ours.count);
  const bytes = middle((row) => row.read.bytes) / 1e6;
  const expected = objects.configMaps + objects.secrets + objects.pods;
  if (rows.some((row) => row.ours.count < expected || row.ours.count !== row.parse.count))
    throw new Error('a list was not whole');
  const surplus = worst((row) => row.ours.surplusMiB);
  const stall = worst((row) => row['ours-stall'].stallMs);
  const cpu = middle((row) => row.ours.cpuMs / row.parse.cpuMs);
  return [
    told('objects listed', count),
    told('bytes listed', bytes, 'MB'),
    told(
      'plain read',
      middle((row) => row.read.bytes / 1e3 / row.read.wallMs),
      'MB/s',
    ),
    {
      name: 'read and parsed item by item',
      value: middle((row) => row.parse.bytes / 1e3 / row.parse.wallMs),
      unit: 'MB/s',
    },
    told(
      'ours',
      middle((row) => row.read.bytes / 1e3 / row.ours.wallMs),
      'MB/s',
    ),
    told(
      'speed of a list / plain read',
      middle((row) => row.read.wallMs / row.ours.wallMs),
      '×',
    ),
    told(
      'CPU, plain read',
      middle((row) => row.read.cpuMs),
      'ms',
    ),
    told(
      'CPU, parsed item by item',
      middle((row) => row.parse.cpuMs),
      'ms',
    ),
    told(
      'CPU, ours',
      middle((row) => row.ours.cpuMs),
      'ms',
    ),
    told(
      'surplus, parsed item by item',
      worst((row) => row.parse.surplusMiB),
      'MiB',
    ),
    atMost('CPU of a list / parsed item by item', cpu, '×', 1.3),
    atMost('peak surplus of a list', surplus, 'MiB', 64),
    atMost('longest stall of a list', stall, 'ms', 50),
  ];
}

function probe(mode: Mode, target: Target): Promise<ListProbe> {
  const file = fileURLToPath(new URL('./probes/list-probe.ts', import.meta.url));
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, ['--expose-gc', file, mode], { timeout: 300_000 }, (error, stdout) => {
      if (error !== null) reject(error);
      else resolve(JSON.parse(stdout) as ListProbe); // printed by the probe
    });
    child.stdin?.end(JSON.stringify(target));
  });
}
