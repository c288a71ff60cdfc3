// What the cluster cache costs on a real kube-apiserver: bytes per object of each sort (the difference of two sizes),
// its start against reading the same lists and keeping nothing, a storm of status changes against parsing alone, and a
// hundred Secrets with one credential. At the end its view is compared with fresh lists.
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ClusterCache, createClusterCache } from '../src/cache/index.ts';
import { projectorWith } from '../src/controller/clusters/projector.ts';
import { readSettings } from '../src/core/api/index.ts';
import { customChecks } from '../src/core/health/index.ts';
import type { KubeObject } from '../src/core/objects/index.ts';
import { type CacheDoor, type Connection, cacheDoor, connect, type FollowSink } from '../src/kube/index.ts';
import { silentLogger } from '../src/telemetry/index.ts';
import { type RealCluster, startRealCluster } from '../test/support/real-cluster.ts';
import { measureSecrets } from './probes/cache-secrets.ts';
import { applicationOf, type Crop, grow, objectOf } from './probes/cache-seed.ts';
import { atMost, type Figure, median, told } from './probes/figures.ts';
import { watchLoop } from './probes/loop-watch.ts';

interface Sort {
  readonly crop: Crop;
  readonly name: string;
  readonly count: number;
  readonly most: number;
}

const sorts: readonly Sort[] = [
  { crop: 'pods', name: 'unmanaged pod', count: 10_000, most: 150 },
  { crop: 'configMaps', name: 'unmanaged ConfigMap', count: 10_000, most: 150 },
  { crop: 'managedDeployments', name: 'managed Deployment, whole', count: 3_000, most: 750 },
  { crop: 'ownedPods', name: 'pod of a managed Deployment', count: 8_000, most: 500 },
  { crop: 'managedConfigMaps', name: 'managed ConfigMap, fetched', count: 2_000, most: 750 },
];
const kinds = ['Pod', 'ConfigMap', 'Deployment'];
const { value: settings } = readSettings(new Map());
const projector = projectorWith(
  customChecks(settings.resourceOverrides, () => 0),
  settings,
);

/** Runs the scenario and answers its figures. */
export async function run(options: { readonly size?: 'bar' | 'full' } = {}): Promise<readonly Figure[]> {
  const scale = options.size === 'full' ? 4 : 1;
  const cluster = await startRealCluster({ own: true, controllers: false, audit: false });
  const open: Connection[] = [];
  const connection = (): Connection => {
    const config = { server: cluster.url, caData: Buffer.from(cluster.ca) };
    const made = connect({ ...config, credential: { type: 'token', token: cluster.adminToken } }, { version: 'bench' });
    open.push(made);
    return made;
  };
  try {
    const memory = await measureMemory(connection(), scale);
    for (const { crop, count } of sorts) await grow(cluster, crop, 0, count * scale);
    await taken(cluster);
    const start = await measureStart(connection);
    const wrong = await compareWithLists(start.cache, connection());
    const storm = measureStorm(start.sinks, start.touched);
    start.cache.stop();
    const target = { url: cluster.url, ca: cluster.ca, token: cluster.adminToken };
    const secrets = await measureSecrets(target, 100, memoryNow);
    const extra = secrets.bytes / 2 ** 20;
    return [
      ...memory,
      ...start.figures,
      ...storm,
      told('watches of 100 Secrets with one credential', secrets.watchesOfAll),
      atMost('watches more than one Secret needs', secrets.watchesOfAll - secrets.watchesOfOne, '', 0),
      atMost('memory of 99 more Secrets', extra, 'MiB', 10),
      atMost('objects that differ from a fresh list', wrong, '', 0),
    ];
  } finally {
    for (const each of open) await each.close();
    await cluster.stop();
  }
}

/** Newest reads wait for the server's own cache: after them it has taken everything in. */
async function taken(cluster: RealCluster): Promise<void> {
  for (const path of ['/api/v1/pods', '/api/v1/configmaps', '/apis/apps/v1/deployments'])
    await cluster.kubectl(['get', '--raw', `${path}?limit=1`]);
}

/** Begins to look at a cluster, through a door that remembers to whom events go. */
function look(door: CacheDoor): { cache: ClusterCache; sinks: Map<string, FollowSink>; touched: string[] } {
  const sinks = new Map<string, FollowSink>();
  const touched: string[] = [];
  const follow: CacheDoor['follow'] = (resource, select, sink) => {
    if (select.signal === undefined) sinks.set(resource.kind, sink);
    return door.follow(resource, select, sink);
  };
  const cache = createClusterCache({
    door: { ...door, follow },
    watches: ({ group, kind }) => (group === '' || group === 'apps') && kinds.includes(kind),
    mode: 'off',
    projector,
    onTouched: (instances) => touched.push(...instances),
    log: silentLogger,
  });
  return { cache, sinks, touched };
}

async function whole(cache: ClusterCache): Promise<void> {
  await cache.ready();
  const known = (kind: string): boolean => {
    const group = kind === 'Deployment' ? 'apps' : '';
    return cache.freshness({ group, kind }, '').known;
  };
  while (!kinds.every(known)) await sleep(5);
}

/** Code that is not used for a while is thrown away by V8: megabytes that would count as objects that went. */
setFlagsFromString('--no-flush-bytecode');

/** Objects handed to the cache as a watch would, in two sizes: the difference is what they cost. */
async function measureMemory(connection: Connection, scale: number): Promise<Figure[]> {
  const { resources, unknown } = await connection.discover();
  const figures: Figure[] = [];
  const door: CacheDoor = {
    ...cacheDoor(connection),
    discover: () => Promise.resolve({ resources, unknown }),
    follow: () => ({ stop: () => undefined, done: Promise.resolve() }),
  };
  const { cache, sinks } = look(door);
  await cache.ready();
  for (const sink of sinks.values()) sink.complete('1');
  for (const { crop, name, count, most } of sorts) {
    const [few, many] = [(count * scale) / 8, count * scale];
    const first = await fed(cache, sinks, { crop, from: 0, to: few });
    const second = await fed(cache, sinks, { crop, from: few, to: many });
    figures.push(atMost(`bytes per ${name}`, (second - first) / (many - few), 'B', most));
  }
  cache.stop();
  return figures;
}

async function fed(
  cache: ClusterCache,
  sinks: ReadonlyMap<string, FollowSink>,
  { crop, from, to }: { readonly crop: Crop; readonly from: number; readonly to: number },
): Promise<number> {
  for (let index = from; index < to; index++) {
    const object = objectOf(crop, index);
    sinks.get(object.kind)?.upsert(object);
    // As a pass does that reads a target whole: from then on it is kept.
    if (crop === 'managedConfigMaps') cache.observe(object, applicationOf(index));
    if (index % 500 === 0) await sleep(0);
  }
  while (cache.stats().unpacked > 0) await sleep(20);
  return memoryNow();
}

interface Start {
  readonly figures: readonly Figure[];
  readonly cache: ClusterCache;
  readonly sinks: ReadonlyMap<string, FollowSink>;
  readonly touched: readonly string[];
}

const rounds = 5;

/**
 * In turns: the lists read and thrown away, and a cache begun. The main loop is watched in a round of its own, since
 * the watch takes all the processor time it can get, from the API server, too.
 */
async function measureStart(connection: () => Connection): Promise<Start> {
  const pairs: { readonly wall: number; readonly cpu: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const floor = await timed(() => listAll(connection()));
    let begun: ReturnType<typeof look> | undefined;
    const ours = await timed(async () => {
      begun = look(cacheDoor(connection()));
      await whole(begun.cache);
    });
    begun?.cache.stop();
    pairs.push({ wall: ours.wall / floor.wall, cpu: ours.cpu / floor.cpu });
  }
  const end = watchLoop();
  const last = look(cacheDoor(connection()));
  await whole(last.cache);
  // What was put off until everything is known must not make a long stretch either.
  while (last.cache.stats().unpacked > 0) await sleep(20);
  const stall = end();
  return {
    figures: [
      atMost('start / lists read and dropped', median(pairs.map(({ wall }) => wall)), '×', 1.3),
      told('CPU of the start / of the lists', median(pairs.map(({ cpu }) => cpu)), '×'),
      atMost('longest stretch on the main loop', stall, 'ms', 50),
    ],
    ...last,
  };
}

async function timed(act: () => Promise<void>): Promise<{ readonly wall: number; readonly cpu: number }> {
  const [began, before] = [performance.now(), process.cpuUsage()];
  await act();
  const { user, system } = process.cpuUsage(before);
  return { wall: performance.now() - began, cpu: (user + system) / 1000 };
}

async function listAll(connection: Connection): Promise<void> {
  const { resources } = await connection.discover();
  const wanted = resources.filter(({ group, kind }) => (group === '' || group === 'apps') && kinds.includes(kind));
  await Promise.all(
    wanted.map((resource) =>
      connection.list(
        resource,
        { resourceVersion: '0', metadataOnly: !projector.needsBody(resource) },
        () => undefined,
      ),
    ),
  );
}

/** Status changes of a pod that mean nothing, against parsing the same events alone. */
function measureStorm(sinks: ReadonlyMap<string, FollowSink>, touched: readonly string[]): Figure[] {
  const sink = sinks.get('Pod');
  if (sink === undefined) throw new Error('pods are not followed');
  const events = 20_000;
  const text = JSON.stringify(stormPod);
  const before = touched.length;
  const run = (take: (object: KubeObject, n: number) => void): number => {
    const began = process.cpuUsage();
    for (let n = 0; n < events; n++) take(JSON.parse(text) as KubeObject, n); // our own text
    const { user, system } = process.cpuUsage(began);
    return user + system;
  };
  const take = (object: KubeObject, n: number): void =>
    sink.upsert({ ...object, metadata: { ...object.metadata, resourceVersion: String(1e9 + n) } });
  run(take);
  const ratio = run(take) / run(() => undefined);
  return [
    atMost('CPU of a status event / parsing it', ratio, '×', 2),
    atMost('Applications woken by status events', touched.length - before, '', 0),
  ];
}

const stormPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'storm',
    namespace: 'bench-0',
    uid: '0f0f0f0f-0000-4000-8000-000000000001',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`label-${n}`, `value-${n}`])),
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x', uid: '0f0f0f0f-0000-4000-8000-000000000002' },
    ],
  },
  spec: {
    containers: Array.from({ length: 3 }, (_, n) => ({
      name: `c${n}`,
      env: Array.from({ length: 20 }, (_, v) => ({ name: `V${v}`, value: 'x'.repeat(20) })),
    })),
  },
  status: {
    phase: 'Running',
    conditions: ['Ready', 'Initialized', 'PodScheduled'].map((type) => ({ type, status: 'True' })),
  },
};

/** How many objects of a fresh list the cache does not show, or shows otherwise. */
async function compareWithLists(cache: ClusterCache, connection: Connection): Promise<number> {
  const shown = new Set<string>();
  for (let space = 0; space < 50; space++)
    for (const { key, uid, resourceVersion } of cache.namespaceObjects(`bench-${space}`))
      shown.add(`${key.kind} ${key.namespace}/${key.name} ${uid} ${resourceVersion}`);
  let wrong = 0;
  let roots = 0;
  const { resources } = await connection.discover();
  for (const resource of resources.filter(
    ({ group, kind }) => (group === '' || group === 'apps') && kinds.includes(kind),
  ))
    await connection.list(resource, { metadataOnly: true }, ({ kind, metadata }) => {
      const { namespace = '', name = '', uid = '', resourceVersion = '', ownerReferences = [] } = metadata;
      if (ownerReferences.length > 0 || !namespace.startsWith('bench-')) return;
      roots++;
      if (!shown.has(`${kind} ${namespace}/${name} ${uid} ${resourceVersion}`)) wrong++;
    });
  return wrong + Math.abs(shown.size - roots);
}

/** Freed buffers are counted until the collector's helpers have swept them: so many rounds until nothing more goes. */
async function memoryNow(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0, same = 0; turn < 30 && same < 3; turn++) {
    if (typeof gc === 'function') gc();
    await sleep(50);
    const { heapUsed, external } = process.memoryUsage();
    same = heapUsed + external > least - 16_384 ? same + 1 : 0;
    least = Math.min(least, heapUsed + external);
  }
  return least;
}
