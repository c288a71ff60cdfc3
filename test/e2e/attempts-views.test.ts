import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClusterCache, type ClusterCacheOptions, createClusterCache } from '../../src/cache/index.ts';
import { ManualClock } from '../../src/cache/testdata/scripted-door.ts';
import { checksOf } from '../../src/controller/application/health.ts';
import { projectorWith } from '../../src/controller/clusters/projector.ts';
import { readSettings } from '../../src/core/api/index.ts';
import type { KubeObject } from '../../src/core/objects/index.ts';
import { watchesKind } from '../../src/core/policy/index.ts';
import { type CacheDoor, cacheDoor, connect } from '../../src/kube/index.ts';
import { silentLogger } from '../../src/telemetry/index.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { openStage, type Stage, tokenOf, until } from '../support/story.ts';
import { namespaces } from '../support/tenant.ts';

// What a cluster's view costs when somebody makes it expensive, or changes what it may see.

let stage: Stage;
let proxy: FaultProxy;
const cleanups: (() => unknown)[] = [];
const maps = { group: '', kind: 'ConfigMap' };

before(async () => {
  stage = await openStage();
  cleanups.push(() => stage.stop());
  proxy = await startFaultProxy(stage.cluster.url);
  cleanups.push(() => proxy.close());
  await stage.apply(namespaces('view-a'));
});

after(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

const account = (name: string): string =>
  `---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: ${name}, namespace: view-a}\n`;

/** A view as the controller has it, through the eyes of an account. */
async function look(token: string, options: Partial<ClusterCacheOptions>, door = (plain: CacheDoor) => plain) {
  const config = { server: proxy.url, caData: Buffer.from(stage.cluster.ca) };
  const connection = connect({ ...config, credential: { type: 'token', token } });
  const { value: settings } = readSettings(new Map());
  const cache = createClusterCache({
    door: door(cacheDoor(connection)),
    watches: (kind) => watchesKind(settings, config.server, kind),
    mode: 'normal',
    projector: projectorWith(checksOf(settings), settings),
    onTouched: () => undefined,
    log: silentLogger,
    ...options,
  });
  cleanups.push(() => connection.close());
  cleanups.push(() => cache.stop());
  await cache.ready();
  return cache;
}

const known = (cache: ClusterCache) => (): Promise<boolean> => Promise.resolve(cache.freshness(maps, 'view-a').known);

/** Notes which kinds are tried and which are reviewed. */
function counting(tried: Map<string, number>, reviewed: Map<string, number>) {
  const count = (counts: Map<string, number>, group: string, plural: string): void =>
    void counts.set(`${plural}.${group}`, (counts.get(`${plural}.${group}`) ?? 0) + 1);
  return (plain: CacheDoor): CacheDoor => ({
    ...plain,
    follow: (resource, options, sink) => {
      // Discovery has followings of its own, told by their signal.
      if (options.signal === undefined) count(tried, resource.group, resource.plural);
      return plain.follow(resource, options, sink);
    },
    mayI: (review, options) => {
      count(reviewed, review.group, review.resource);
      return plain.mayI(review, options);
    },
  });
}

test('T-125 under strict a cluster that forbids every kind is asked for one review of each in an hour', async () => {
  await stage.apply(account('nobody'));
  const [tried, reviewed] = [new Map<string, number>(), new Map<string, number>()];
  const clock = new ManualClock();
  const token = await tokenOf(stage, 'view-a', 'nobody');
  const watches = ({ group }: { group: string }): boolean => ['', 'apps', 'batch'].includes(group);
  const cache = await look(token, { mode: 'strict', clock, watches }, counting(tried, reviewed));
  const calm = async (): Promise<void> => {
    const { watches, dropped } = await until(
      () => Promise.resolve(cache.stats()),
      (stats) => stats.watches === 0 && stats.dropped === tried.size,
      60_000,
    );
    assert.equal(watches + dropped, tried.size);
  };
  await calm();
  await sleep(300);
  await calm();
  assert.ok(tried.size > 15, `${tried.size} kinds`);
  // Less than the hour that time takes with all its jitter.
  for (let minute = 0; minute < 55; minute++) {
    clock.pass(60_000);
    await calm();
  }
  assert.deepEqual([...new Set(reviewed.values())], [2], 'one for list, one for watch');
  assert.deepEqual([...reviewed.keys()].sort(), [...tried.keys()].sort());
  const most = Math.max(...tried.values());
  assert.ok(most > 5 && most <= 30, `a kind was tried ${most} times`);
  const written = await until(
    () => Promise.resolve(reviewsOf('system:serviceaccount:view-a:nobody')),
    (count) => count >= 2 * tried.size,
  );
  assert.equal(written, 2 * tried.size, 'the audit log says the same');
  cache.stop();
});

function reviewsOf(user: string): number {
  return stage.cluster
    .audit()
    .filter(
      ({ objectRef, user: { username } }) => objectRef?.resource === 'selfsubjectaccessreviews' && username === user,
    ).length;
}

test('T-118 a role that is narrowed ends what is watched with it, and one that is widened is used at once', async () => {
  const may = (resources: string[]): Promise<void> =>
    stage.apply(`${account('watcher')}---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: view-watcher}
rules:
- {apiGroups: [''], resources: ${JSON.stringify(['nodes', ...resources])}, verbs: [list, watch]}
- {apiGroups: [rbac.authorization.k8s.io], resources: [clusterroles], verbs: [list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: view-watcher}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view-watcher}
subjects: [{kind: ServiceAccount, name: watcher, namespace: view-a}]
`);
  await may(['configmaps']);
  // No probe would find out in time.
  const rhythm = { graceMs: 100, probeMs: 3_600_000, longestProbeMs: 3_600_000, rightsMs: 100, leastRightsMs: 200 };
  const cache = await look(await tokenOf(stage, 'view-a', 'watcher'), { rhythm });
  const roles = { group: 'rbac.authorization.k8s.io', kind: 'ClusterRole' };
  await until(known(cache), (is) => is);
  await until(
    () => Promise.resolve(cache.freshness(roles, '').known),
    (is) => is,
  );
  const seen = (): Promise<number> => Promise.resolve(cache.namespaceObjects('view-a').length);
  for (let turn = 0; turn < 2; turn++) {
    await may([]);
    await until(seen, (count) => count === 0, 60_000);
    assert.equal(await known(cache)(), false);
    await may(['configmaps']);
    await until(known(cache), (is) => is, 60_000);
    assert.ok((await seen()) > 0);
  }
  cache.stop();
});

test('T-132 large Secrets and ConfigMaps that nobody manages are neither fetched nor kept', async () => {
  const cache = await look(stage.cluster.adminToken, {});
  await until(known(cache), (is) => is);
  await until(
    () => Promise.resolve(cache.stats().objects),
    (count) => count > 0,
  );
  const each = 12;
  const [bytes, objects, received] = [cache.stats().bytes, cache.stats().objects, proxy.received()];
  const text = randomBytes(700_000).toString('base64');
  const note = randomBytes(150_000).toString('base64');
  const metadata = (name: string) => ({ name, namespace: 'view-a', annotations: { note } });
  const made: KubeObject[] = Array.from({ length: each }, (_, n) => [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata(`large-${n}`), data: { text } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: metadata(`large-${n}`),
      data: { text: btoa(text.slice(0, 700_000)) },
    },
  ]).flat();
  const { resources } = await stage.connection.discover();
  for (const object of made) {
    const resource = resources.find(({ group, kind }) => group === '' && kind === object.kind);
    assert.ok(resource);
    await stage.connection.create(resource, object);
  }
  const names = (): Promise<string[]> =>
    Promise.resolve(cache.namespaceObjects('view-a').map(({ key }) => `${key.kind} ${key.name}`));
  await until(names, (all) => made.every(({ kind, metadata: { name } }) => all.includes(`${kind} ${name}`)));
  // Others may use this cluster, too: what they make counts with the same measure.
  const count = Math.max(2 * each, cache.stats().objects - objects);
  const kept = (cache.stats().bytes - bytes) / count;
  assert.ok(kept <= 1024, `${kept} bytes kept of each, of nearly a megabyte`);
  const sent = (proxy.received() - received) / count;
  assert.ok(sent < 400_000, `${sent} bytes sent of each: metadata, not content`);
  cache.stop();
});
