import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Comparison, compare, type Target, targetsOf } from '../../core/diff/index.ts';
import { ArgosyError } from '../../core/errors/index.ts';
import { type KubeObject, printKey } from '../../core/objects/index.ts';
import { comparingOf } from './comparing.ts';
import type { Ready, Sources } from './gather.ts';
import { type Progress, runSync } from './sync.ts';
import type { World } from './world.ts';

const app = {
  metadata: { namespace: 'team', name: 'app' },
  spec: { destination: { namespace: 'ns' } },
  raw: { metadata: {} },
};
const settings = {
  trackingMethod: 'annotation',
  instanceLabelKey: 'app.kubernetes.io/instance',
  installationID: '',
  resourceOverrides: new Map(),
  compareOptions: {},
  resourceExclusions: [],
  resourceInclusions: [],
};

/** So many ConfigMaps, each in a wave of its own. */
function inWaves(count: number): Target[] {
  const objects = Array.from({ length: count }, (_, n) => {
    const annotations = { 'argocd.argoproj.io/sync-wave': String(n) };
    return { object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c${n}`, annotations } }, source: 0 };
  });
  return targetsOf(objects, { instance: 'app', destinationNamespace: 'ns', namespaced: () => true });
}

interface Counts {
  /** How often the policy was asked about an object, by comparisons and before the first write. */
  asked: number;
  writes: number;
  checkpoints: number;
}

interface Around {
  readonly before?: (inputs: Ready) => Comparison;
  readonly confirm?: () => Promise<void>;
  readonly live?: readonly Target[];
  readonly onDelete?: (name: string) => void;
}

/** Syncs the targets into a cluster, empty unless said otherwise, that takes everything. */
async function synced(
  targets: readonly Target[],
  { before, confirm = async () => undefined, live: there = [], onDelete }: Around = {},
): Promise<{ progress: Progress; counts: Counts }> {
  const counts: Counts = { asked: 0, writes: 0, checkpoints: 0 };
  const permits = (): object => {
    counts.asked++;
    return { answer: 'allowed' };
  };
  const admitted = { answer: 'admitted', cluster: 'c', identity: { as: 'impersonate', user: 'u' }, permits };
  const door = {
    apply: async (_resource: unknown, object: KubeObject) => {
      counts.writes++;
      return { ...object, metadata: { ...object.metadata, uid: 'u', resourceVersion: String(counts.writes) } };
    },
  };
  const deleting = {
    delete: async (_resource: unknown, _namespace: string, name: string) => onDelete?.(name),
  };
  const world = {
    controlPlane: 'argocd',
    stopping: () => false,
    application: () => undefined,
    admit: () => ({ ...admitted, permits: () => ({ answer: 'allowed' }) }),
    now: () => 0,
    params: () => ({ data: new Map() }),
    health: () => undefined,
    operations: { pausesFor: () => 0 },
    patience: { over: () => undefined },
  } as unknown as World; // as much of the world as a sync touches
  const access = {
    resource: () => ({ group: '', version: 'v1', kind: 'ConfigMap', namespaced: true }),
    as: () => ({ ...door, ...deleting }),
  };
  const sources = { targets, revision: 'abc', revisions: undefined, warnings: [] } as unknown as Sources; // likewise
  const found = there.map(({ key, object }) => {
    const metadata = { ...object.metadata, uid: 'u', resourceVersion: '1' };
    return [printKey(key), { key, object: { ...object, metadata } }] as const;
  });
  const live = { objects: new Map(found), unknown: new Map() };
  const inputs = { app, instance: 'app', admitted, access, sources, live, settings } as unknown as Ready; // likewise
  const checkpoint = async (): Promise<void> => {
    counts.checkpoints++;
  };
  const state = { phase: 'Running', operation: { sync: {} } } as const;
  const progress = await runSync(inputs, { state, sources, comparison: before?.(inputs), checkpoint, confirm }, world);
  return { progress, counts };
}

test('a sync of many waves compares once: each object is asked about when compared and before the first write', async () => {
  const { progress, counts } = await synced(inWaves(120));
  assert.equal(progress.state.phase, 'Succeeded');
  assert.deepEqual(counts, { asked: 2 * 120, writes: 120, checkpoints: 119 });
  assert.deepEqual(
    progress.state.syncResult?.resources?.map(({ name, hookPhase }) => `${name} ${hookPhase}`),
    Array.from({ length: 120 }, (_, n) => `c${n} Succeeded`),
  );
  assert.deepEqual([progress.live.objects.size, progress.touched.size], [120, 120]);
});

test('what was compared before the sync is not compared again for it', async () => {
  const targets = inWaves(10);
  const before = (inputs: Ready): Comparison => {
    const { permits: _counted, ...rules } = comparingOf(inputs);
    return compare(targets, inputs.live, rules);
  };
  const { counts } = await synced(targets, { before });
  assert.equal(counts.asked, 10);
});

test('a hook that looks left over is removed only where nobody else has begun the operation', async () => {
  const annotations = { 'argocd.argoproj.io/hook': 'PreSync' };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hook', annotations } };
  const hooks = targetsOf([{ object, source: 0 }], {
    instance: 'app',
    destinationNamespace: 'ns',
    namespaced: () => true,
  });
  const done: string[] = [];
  const onDelete = (name: string): void => void done.push(`delete ${name}`);
  const confirm = async (): Promise<void> => void done.push('confirm');
  const { progress, counts } = await synced(hooks, { live: hooks, onDelete, confirm });
  assert.equal(progress.state.phase, 'Running');
  assert.deepEqual([done, counts.checkpoints], [['confirm', 'delete hook'], 0]);
  const taken = (): Promise<void> => Promise.reject(new ArgosyError('kube-conflict', 'somebody else'));
  await assert.rejects(synced(hooks, { live: hooks, onDelete, confirm: taken }), /somebody else/);
  assert.equal(done.length, 2);
});
