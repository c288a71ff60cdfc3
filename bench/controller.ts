// The controller on a real kube-apiserver with the audit log on, against floors of the same run: one-ConfigMap Applications
// of one repository are synced, left alone, pushed to, and made to drift; then the same for tenants who are impersonated.
// The floors are the same writes through the same client, and a plain `git fetch`.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Controller } from '../src/controller/index.ts';
import type { JsonObject } from '../src/core/json/index.ts';
import type { KubeObject } from '../src/core/objects/index.ts';
import { type Connection, connect, type Following, readKubeconfig } from '../src/kube/index.ts';
import { startInstallation } from '../src/main/controller.ts';
import { createMetrics, silentLogger } from '../src/telemetry/index.ts';
import { createTestRepository, type TestRepository } from '../test/support/git-repository.ts';
import { type RealCluster, startRealCluster } from '../test/support/real-cluster.ts';
import { application, type Named, plainPlatform, tenantPlatform } from './probes/controller-platform.ts';
import {
  applications,
  applyYaml,
  configMap,
  installCrds,
  maps,
  median,
  timed,
  until,
  type Writes,
  writesSince,
} from './probes/controller-stage.ts';
import { watchLoop } from './probes/loop-watch.ts';

interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly bound?: string;
  readonly ok?: boolean;
}

/** Everything the scenarios share. */
interface Bench {
  readonly cluster: RealCluster;
  /** What the controller uses, told apart in the audit log by its user agent. */
  readonly subject: Connection;
  readonly floor: Connection;
  readonly repository: TestRepository;
  readonly cacheDir: string;
  /** Applications by key, as an independent watch sees them. */
  readonly seen: Map<string, AppSeen>;
  renders: number;
}

interface AppSeen {
  readonly synced: boolean;
  readonly status: JsonObject;
}

const agent = 'argosy/subject';
const pushes = 7;
const drifts = 15;

/** Runs the scenarios and answers their figures. */
export async function run(options: { readonly size?: 'bar' | 'full' } = {}): Promise<readonly Figure[]> {
  const count = options.size === 'full' ? 1_000 : 100;
  const cluster = await startRealCluster({ own: true, controllers: false, fsync: true });
  const config = await readKubeconfig(cluster.kubeconfig);
  const bench: Bench = {
    cluster,
    subject: connect(config, { version: 'subject' }),
    floor: connect(config, { version: 'floor' }),
    repository: createTestRepository(
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`app-${at}/map.yaml`, JSON.stringify(configMap(at))]),
      ),
    ),
    cacheDir: mkdtempSync(join(tmpdir(), 'argosy-bench-controller-')),
    seen: new Map(),
    renders: 0,
  };
  let following: Following | undefined;
  try {
    await installCrds(bench.floor);
    following = follow(bench);
    await applyYaml(bench.floor, plainPlatform);
    return [...(await plain(bench, count)), ...(await tenants(bench, count))];
  } finally {
    following?.stop();
    await bench.subject.close();
    await bench.floor.close();
    await cluster.stop();
    bench.repository.remove();
    rmSync(bench.cacheDir, { recursive: true, force: true });
  }
}

let plainPerApp = 0;

async function plain(bench: Bench, count: number): Promise<Figure[]> {
  const names = Array.from({ length: count }, (_, at) => ({ namespace: 'plain-argocd', name: `app-${at}`, at }));
  await timed(count, (at) =>
    bench.floor.create(applications, application(bench.repository.url, names[at], 'default', 'plain-shop')),
  );
  const before = await writeFloor(bench, count, 'a', sampleStatus);
  const loop = watchLoop();
  const { controller, wall, writes, firstWriteMs } = await initialSync(bench, 'plain-argocd', [], names);
  const stretch = loop();
  try {
    const status = bench.seen.get('plain-argocd/app-0')?.status ?? sampleStatus;
    const floor = (before + (await writeFloor(bench, count, 'b', status))) / 2;
    plainPerApp = wall / count;
    const sync = wall / floor;
    const perSync = { objects: writes.objects.length / count, apps: writes.applications.length / count };
    return [
      { name: 'Applications', value: count, unit: '' },
      { name: 'start of the controller to its first write', value: firstWriteMs, unit: 'ms' },
      { name: 'initial sync, first write to last', value: wall, unit: 'ms' },
      { name: 'floor: the same writes by the same client', value: floor, unit: 'ms' },
      { name: 'initial sync / floor', value: sync, unit: '×', bound: '<= 1.25', ok: sync <= 1.25 },
      exactly('writes of objects per sync', perSync.objects, 1),
      exactly('writes of the Application per sync', perSync.apps, 1),
      {
        name: 'Events per sync',
        value: writes.events.length / count,
        unit: '',
        bound: '<= 1',
        ok: writes.events.length <= count,
      },
      ...otherWrites(writes),
      { name: 'longest stretch on the main loop', value: stretch, unit: 'ms', bound: '<= 50', ok: stretch <= 50 },
      ...(await idle(bench)),
      ...(await push(bench, controller, count)),
      ...(await elsewhere(bench, controller)),
      ...(await heal(bench, count)),
    ];
  } finally {
    await controller.stop();
  }
}

/** By kind: they come once per start, not once per Application. */
function otherWrites({ others }: Writes): Figure[] {
  const kinds = Map.groupBy(
    others,
    ({ verb, objectRef }) => `${verb} ${objectRef?.resource ?? '?'}/${objectRef?.subresource ?? ''}`,
  );
  return [...kinds].map(([name, { length }]) => ({ name: `at the start besides: ${name}`, value: length, unit: '' }));
}

const exactly = (name: string, value: number, wanted: number): Figure => ({
  name,
  value,
  unit: '',
  bound: `= ${wanted}`,
  ok: value === wanted,
});

/** Starts the controller over Applications that are there, and takes the times from the audit log. */
async function initialSync(
  bench: Bench,
  controlPlane: string,
  appNamespaces: readonly string[],
  names: readonly Named[],
): Promise<{ controller: Controller; wall: number; writes: Writes; firstWriteMs: number }> {
  const index = bench.cluster.audit().length;
  const began = Date.now();
  const controller = startInstallation({
    connection: bench.subject,
    installation: { controlPlane, appNamespaces },
    cacheDir: bench.cacheDir,
    log: silentLogger,
    metrics: createMetrics(),
    pollMs: 3_600_000,
    version: 'subject',
    onRender: () => {
      bench.renders++;
    },
  });
  const key = ({ namespace, name }: Named): string => `${namespace}/${name}`;
  await until('initial sync', () => names.every((each) => bench.seen.get(key(each))?.synced === true), 300_000);
  await sleep(1_500); // Events and echoes of the last writes
  const writes = writesSince(bench.cluster.audit(), index, agent);
  const times = [...writes.objects, ...writes.applications];
  const first = Math.min(...times.map((event) => Date.parse(event.requestReceivedTimestamp)));
  const last = Math.max(...times.map((event) => Date.parse(event.stageTimestamp)));
  return { controller, wall: last - first, writes, firstWriteMs: first - began };
}

/** One apply and one write of an Application's status each, as many in flight as the controller has workers. */
async function writeFloor(bench: Bench, count: number, turn: string, status: JsonObject): Promise<number> {
  const { floor } = bench;
  const names = Array.from({ length: count }, (_, at) => ({ namespace: 'floor-apps', name: `${turn}-${at}`, at }));
  await timed(count, (at) =>
    floor.create(applications, application(bench.repository.url, names[at], 'default', 'floor-shop')),
  );
  return timed(count, async (at) => {
    const map = configMap(at);
    const object = { ...map, metadata: { name: `${turn}-${at}`, namespace: 'floor-shop' } };
    await floor.apply(maps, object, { fieldManager: 'floor', force: true });
    await floor.patch(applications, 'floor-apps', `${turn}-${at}`, 'merge', { status });
  });
}

async function idle(bench: Bench): Promise<Figure[]> {
  const [index, cpu] = [bench.cluster.audit().length, process.cpuUsage()];
  await sleep(20_000);
  const { user, system } = process.cpuUsage(cpu);
  const writes = writesSince(bench.cluster.audit(), index, agent);
  const all = Object.values(writes).flat().length;
  return [
    exactly('writes in 20 s of rest', all, 0),
    { name: 'CPU in 20 s of rest, with the benchmark’s own watch', value: (user + system) / 1000, unit: 'ms' },
  ];
}

/** A push that touches one Application, told as by a webhook; truth is the audit log's. */
async function push(bench: Bench, controller: Controller, count: number): Promise<Figure[]> {
  const { repository, cluster, floor } = bench;
  const mirror = join(bench.cacheDir, 'floor-mirror');
  execFileSync('git', ['clone', '--quiet', '--mirror', repository.url, mirror]);
  const rows: { ours: number; floor: number; writes: Writes; renders: number }[] = [];
  for (let turn = 1; turn <= pushes; turn++) {
    const at = (turn * 37) % count;
    repository.commit({ [`app-${at}/map.yaml`]: JSON.stringify(configMap(at, turn)) });
    const [index, renders, began] = [cluster.audit().length, bench.renders, Date.now()];
    await controller.poll(repository.url);
    await until('push', () => writesSince(cluster.audit(), index, agent).applications.length > 0);
    await sleep(500);
    const writes = writesSince(cluster.audit(), index, agent);
    const last = Math.max(...writes.applications.slice(0, 1).map((event) => Date.parse(event.stageTimestamp)));
    const from = performance.now();
    execFileSync('git', ['-C', mirror, 'fetch', '--quiet', 'origin']);
    const object = { ...configMap(at, turn), metadata: { name: `a-${at}`, namespace: 'floor-shop' } };
    await floor.apply(maps, object, { fieldManager: 'floor', force: true });
    await floor.patch(applications, 'floor-apps', `a-${at}`, 'merge', { status: { reconciledAt: stamp(turn) } });
    rows.push({
      ours: last - began,
      floor: performance.now() - from,
      writes,
      renders: bench.renders - renders,
    });
  }
  const ratio = median(rows.map((row) => row.ours / row.floor));
  return [
    { name: 'push touching one to its status, p50', value: median(rows.map(({ ours }) => ours)), unit: 'ms' },
    { name: 'floor: git fetch, one apply, one status, p50', value: median(rows.map((row) => row.floor)), unit: 'ms' },
    { name: 'push touching one / floor', value: ratio, unit: '×', bound: '<= 2', ok: ratio <= 2 },
    exactly('renders per push touching one', Math.max(...rows.map(({ renders }) => renders)), 1),
    exactly('writes of objects per push', Math.max(...rows.map(({ writes }) => writes.objects.length)), 1),
    exactly('writes of Applications per push', Math.max(...rows.map(({ writes }) => writes.applications.length)), 1),
  ];
}

async function elsewhere(bench: Bench, controller: Controller): Promise<Figure[]> {
  const { repository, cluster } = bench;
  const [index, renders] = [cluster.audit().length, bench.renders];
  for (let turn = 0; turn < 3; turn++) {
    repository.commit({ 'docs/readme.md': `turn ${turn}\n` });
    await controller.poll(repository.url);
  }
  await sleep(2_000);
  const writes = Object.values(writesSince(cluster.audit(), index, agent)).flat().length;
  return [
    exactly('renders for commits touching none', bench.renders - renders, 0),
    exactly('writes for commits touching none', writes, 0),
  ];
}

/** Somebody changes an object; an independent watch sees the change, and then that it was put back. */
async function heal(bench: Bench, count: number): Promise<Figure[]> {
  const { floor, cluster } = bench;
  const times = new Map<string, number[]>();
  const end = new AbortController();
  const { resourceVersion } = await floor.list(maps, { namespace: 'plain-shop' }, () => undefined);
  const watching = floor
    .watch(maps, { namespace: 'plain-shop', resourceVersion, signal: end.signal }, (event) => {
      if (event.type === 'BOOKMARK') return;
      const name = event.object.metadata.name ?? '';
      times.set(name, [...(times.get(name) ?? []), performance.now()]);
    })
    .catch(() => undefined);
  await sleep(500);
  const index = cluster.audit().length;
  const rows: { ours: number; lag: number; apply: number }[] = [];
  for (let turn = 0; turn < drifts; turn++) {
    const at = (turn * 5 + 3) % count;
    const from = performance.now();
    await floor.patch(maps, 'plain-shop', `map-${at}`, 'merge', { data: { 'key-0': 'drifted' } });
    await until('self-heal', () => (times.get(`map-${at}`)?.length ?? 0) >= 2);
    const [seen = from, back = from] = times.get(`map-${at}`) ?? [];
    await sleep(100);
    const apply = performance.now();
    const object = { ...configMap(at, turn + 100), metadata: { name: `a-${at}`, namespace: 'floor-shop' } };
    await floor.apply(maps, object, { fieldManager: 'floor', force: true });
    rows.push({ ours: back - from, lag: seen - from, apply: performance.now() - apply });
  }
  await sleep(1_000);
  end.abort();
  await watching;
  const writes = writesSince(cluster.audit(), index, agent);
  // The drift itself is a write of the outsider: what is compared begins when it was sent, and so does the floor.
  const ratio = median(rows.map(({ ours, lag, apply }) => ours / (lag + apply)));
  return [
    { name: 'drift to restored, p50', value: median(rows.map(({ ours }) => ours)), unit: 'ms' },
    {
      name: 'floor: watch lag and one apply, p50',
      value: median(rows.map(({ lag, apply }) => lag + apply)),
      unit: 'ms',
    },
    { name: 'self-heal / floor', value: ratio, unit: '×', bound: '<= 3', ok: ratio <= 3 },
    exactly('writes of objects per heal', writes.objects.length / drifts, 1),
    {
      name: 'writes of Applications per heal',
      value: writes.applications.length / drifts,
      unit: '',
      bound: '<= 1',
      ok: writes.applications.length <= drifts,
    },
  ];
}

/** The same Applications for five tenants, each with its own project, account and namespace, all impersonated. */
async function tenants(bench: Bench, count: number): Promise<Figure[]> {
  const teams = count >= 1_000 ? 50 : 5;
  await applyYaml(bench.floor, tenantPlatform(teams));
  const names = Array.from({ length: count }, (_, at) => ({ namespace: `t${at % teams}-team`, name: `app-${at}`, at }));
  const place = (at: number): [string, string] => [`t${at % teams}`, `t${at % teams}-shop`];
  await timed(count, (at) =>
    bench.floor.create(applications, application(bench.repository.url, names[at], ...place(at))),
  );
  const factor = await impersonationFactor(bench);
  const { controller, wall, writes } = await initialSync(bench, 'tenants-argocd', ['t*-team'], names);
  await controller.stop();
  const wrong = writes.objects.filter(({ objectRef, impersonatedUser }) => {
    return impersonatedUser?.username !== `system:serviceaccount:${objectRef?.namespace}:deployer`;
  });
  const ratio = wall / count / (plainPerApp * factor);
  return [
    { name: `impersonated sync of ${teams} tenants, first write to last`, value: wall, unit: 'ms' },
    { name: 'measured factor of impersonation', value: factor, unit: '×' },
    { name: 'impersonated / plain × factor', value: ratio, unit: '×', bound: '<= 1.1', ok: ratio <= 1.1 },
    exactly('writes in a wrong name', wrong.length, 0),
    exactly('writes per impersonated sync', (writes.objects.length + writes.applications.length) / count, 2),
  ];
}

/** What an apply costs more in somebody's name, plain and impersonated ones in turns. */
async function impersonationFactor(bench: Bench): Promise<number> {
  const as = bench.floor.as({
    user: 'system:serviceaccount:t0-shop:deployer',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:t0-shop', 'system:authenticated'],
  });
  const apply = (door: Pick<Connection, 'apply'>, turn: number, name: string) => (at: number) =>
    door.apply(
      maps,
      { ...configMap(at, turn), metadata: { name: `${name}-${at}`, namespace: 't0-shop' } },
      { fieldManager: 'floor', force: true },
    );
  const ratios: number[] = [];
  for (let turn = 0; turn < 6; turn++) {
    const own = await timed(60, apply(bench.floor, turn, 'own'));
    ratios.push((await timed(60, apply(as, turn, 'as'))) / own);
  }
  return Math.max(1, median(ratios.slice(1)));
}

function follow({ floor, seen }: Bench): Following {
  const note = (object: KubeObject): void => {
    const status = (object['status'] ?? {}) as JsonObject & { sync?: { status?: string } }; // an Application's
    const synced = status.sync?.status === 'Synced' && object['operation'] === undefined;
    seen.set(`${object.metadata.namespace}/${object.metadata.name}`, { synced, status });
  };
  return floor.follow(
    applications,
    {},
    {
      restart: () => undefined,
      upsert: note,
      remove: () => undefined,
      complete: () => undefined,
      broken: () => 'retry',
    },
  );
}

const stamp = (turn: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, turn)).toISOString();
const sampleStatus: JsonObject = {
  sync: { status: 'Synced', revision: '0'.repeat(40) },
  health: { status: 'Healthy' },
  operationState: { phase: 'Succeeded', message: 'x'.repeat(600), startedAt: stamp(0), operation: {} },
};
