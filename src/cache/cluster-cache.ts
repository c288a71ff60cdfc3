import type { RespectRbac } from '../core/api/index.ts';
import type { Live } from '../core/diff/index.ts';
import { ArgosyError } from '../core/errors/index.ts';
import { type GroupKind, type KubeObject, type ObjectKey, objectKey } from '../core/objects/index.ts';
import type { TreeItem } from '../core/tree/index.ts';
import { type CacheDoor, type DiscoveryRhythm, type Resource, watchDiscovery } from '../kube/index.ts';
import type { Logger } from '../telemetry/index.ts';
import { type Fetch, gatherLive } from './answers/live.ts';
import { nodeOf, type TreeNode, treeOf } from './answers/tree.ts';
import { type Unowned, unownedIn } from './answers/unowned.ts';
import { Cells } from './follow/cells.ts';
import { type Clock, defaultRhythm, jittered, type Rhythm } from './follow/rhythm.ts';
import { Rights } from './follow/rights.ts';
import { Slots } from './follow/slots.ts';
import { Onlookers } from './onlookers.ts';
import type { Projector } from './projection.ts';
import { Store } from './store.ts';
import { none } from './table/columns.ts';
import { Packer } from './table/packer.ts';
import { createTouches, type Sight } from './touches.ts';

export interface ClusterCacheOptions {
  readonly door: CacheDoor;
  /** Which kinds are looked at at all. */
  readonly watches: (kind: GroupKind) => boolean;
  /** Empty or absent: all namespaces. */
  readonly namespaces?: readonly string[] | undefined;
  readonly clusterResources?: boolean | undefined;
  /** What a forbidden kind means here. */
  readonly mode: RespectRbac;
  readonly projector: Projector;
  /** Applications (by their name in marks) whose objects have changed their meaning; each once for a bunch of changes. */
  readonly onTouched: (instances: readonly string[]) => void;
  /** It is known for the first time what the cluster serves: whoever asked before was turned away. */
  readonly onOpen?: (() => void) | undefined;
  readonly log: Logger;
  /** What is kept of all objects together at the most; a cluster with more is not known. */
  readonly mostBytes?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  readonly rhythm?: Partial<Rhythm> | undefined;
  readonly discoveryRhythm?: DiscoveryRhythm | undefined;
}

/** How sure the view of a kind in a namespace is. */
export type Freshness =
  | { readonly known: true; readonly ageMs: number }
  | { readonly known: false; readonly reason: string };

export interface CacheStats {
  readonly objects: number;
  readonly managed: number;
  readonly watches: number;
  /** Kinds and namespaces that may not be read. */
  readonly dropped: number;
  readonly bytes: number;
  /** Bodies of managed objects that have not been packed yet. */
  readonly unpacked: number;
}

/** What one cluster holds, kept up by watches. It reads only, and says of everything whether it is known. */
export interface ClusterCache {
  /** Resolves when it is known what the cluster serves; throws when that takes too long. */
  ready(): Promise<void>;
  /** The kind as the cluster serves it; undefined where it surely does not. Throws where that is not known. */
  resource(group: string, kind: string): Resource | undefined;
  /** The targets and whatever bears the Application's mark; `fetch` reads single objects that are not kept whole. */
  live(
    instance: string,
    asked: { readonly targets: readonly ObjectKey[]; readonly kinds: readonly GroupKind[] },
    fetch: Fetch,
  ): Promise<Live>;
  /** An Application's objects and all they own, each once and nearest first; what is not permitted hides what is below. */
  tree(instance: string, permits?: (key: ObjectKey) => boolean): TreeItem<TreeNode>[];
  /** Objects of a namespace that nothing owns. */
  namespaceObjects(namespace: string): TreeNode[];
  /** What nothing owns in a namespace; the Application that asks is told when there is more or less that nobody manages. */
  unowned(namespace: string, asker: string): Unowned;
  freshness(kind: GroupKind, namespace: string): Freshness;
  /** Reads new lists of a kind. */
  refresh(kind: GroupKind): Promise<void>;
  /** The API server has just shown this object: it is as good as a watch event, and earlier. */
  observe(object: KubeObject, writer: string): void;
  /** Carries out a write of an Application and observes its answer; the watch's echo of it is no change. */
  writing(instance: string, send: () => Promise<KubeObject>): Promise<KubeObject>;
  /** The API server has just removed it. */
  observeGone(key: ObjectKey): void;
  stats(): CacheStats;
  stop(): void;
}

const systemClock: Clock = {
  now: Date.now,
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
const listsAtOnce = 8;
const reviewsAtOnce = 8;
const defaultMostBytes = 2 ** 31;
/** Ten times what large clusters serve; each costs a watch. */
const mostKinds = 20_000;

/** Begins to look at a cluster. */
export function createClusterCache(options: ClusterCacheOptions): ClusterCache {
  const { door, log, clock = systemClock, random = Math.random } = options;
  const rhythm = { ...defaultRhythm, ...options.rhythm };
  const touches = createTouches(options.onTouched);
  const onlookers = new Onlookers(clock, (instances) => touches.wake(instances));
  const store = new Store({
    projector: options.projector,
    now: () => clock.now(),
    mostBytes: options.mostBytes ?? defaultMostBytes,
    touched: touches.touch,
    loosened: (namespace) => onlookers.changed(namespace),
  });
  const cells = new Cells(
    {
      namespaces: options.namespaces ?? [],
      clusterResources: options.clusterResources === true,
      watches: options.watches,
      lean: (kind) => !options.projector.needsBody(kind),
    },
    {
      ...{ door, store, clock, random, rhythm, mode: options.mode, manager: options.projector.manager },
      slots: new Slots(listsAtOnce),
      reviewSlots: new Slots(reviewsAtOnce),
      known: (waiting) => touches.wake(waiting),
      lost: () => void ask(),
      rightsChanged: (namespace) => rights.changed(namespace),
      log: (message, fields) => log.info(message, fields),
    },
  );
  const rights = new Rights(clock, rhythm, () => cells.all());
  const packer = new Packer(store.table.bodies, clock, () => ![...cells.all()].some(({ listing }) => listing));
  const served = createGate(rhythm.patienceMs, clock);
  const sink = {
    changed: (discovery: Awaited<ReturnType<CacheDoor['discover']>>) => {
      if (stopped) return;
      const count = discovery.resources.length;
      if (count > mostKinds)
        throw new ArgosyError('kube-limit', `the cluster serves ${count} kinds, more than the ${mostKinds} looked at`);
      cells.discovered(discovery);
      onlookers.changedEverywhere();
      const isFirst = !served.isOpen;
      served.open();
      if (isFirst) options.onOpen?.();
    },
    failed: (error: Error) => served.note(error),
  };
  const ask = async (): Promise<void> => {
    try {
      sink.changed(await door.discover({ fresh: true }));
    } catch (error) {
      served.note(error instanceof Error ? error : new Error(String(error)));
      if (!served.isOpen && !stopped) again();
    }
  };
  let [inVain, stopped, cancel] = [0, false, (): void => undefined];
  const again = (): void => {
    cancel();
    const ms = Math.min(rhythm.longestAgainMs, rhythm.againMs * 2 ** Math.min(inVain++, 16));
    cancel = clock.after(jittered(ms, random), () => void ask());
  };
  const watching = watchDiscovery(door, sink, options.discoveryRhythm);
  void ask();
  const resource = (group: string, kind: string): Resource | undefined => {
    const reason = cells.undiscovered({ group, kind });
    if (reason !== undefined) throw new ArgosyError('unknown', reason);
    return cells.resource({ group, kind });
  };
  const observe = (object: KubeObject, writer: string): Sight | undefined => {
    const key = objectKey(object);
    const cell = cells.at(key, key.namespace);
    // Until its list is whole a cell would take this for an object that is no longer named.
    if (cell === undefined || cell.state().state !== 'known') return undefined;
    store.take(object, { kind: cell.kind, epoch: cell.epoch, whole: true, lean: cell.lean, writer });
    const row = store.table.find(cell.kind, key.namespace, key.name);
    return { row, version: Number(object.metadata.resourceVersion) };
  };
  return {
    ready: () => served.pass(),
    resource,
    live: (instance, { targets, kinds }, fetch) => {
      touches.asked(instance);
      return gatherLive({ store, cells, clock, rhythm }, { instance, targets, kinds }, fetch);
    },
    tree: (instance, permits = () => true) => treeOf(store, store.table.markedBy(instance), permits),
    namespaceObjects: (namespace) => [...rootsIn(store, namespace)].map((row) => nodeOf(store, row)),
    unowned(namespace, asker) {
      onlookers.add(namespace, asker);
      return unownedIn({ store, cells }, namespace, asker);
    },
    freshness(kind, namespace) {
      const cell = cells.at(kind, namespace);
      const state = cell?.state() ?? { state: 'unknown', reason: 'the kind is not looked at' };
      if (cell !== undefined && (state.state === 'known' || state.state === 'old'))
        return { known: true, ageMs: clock.now() - cell.evidenceAt };
      return { known: false, reason: 'reason' in state ? state.reason : 'it is being read' };
    },
    async refresh(kind) {
      await Promise.all(cells.of(kind).map((cell) => cell.refresh()));
    },
    observe: (object, writer) => void observe(object, writer),
    async writing(instance, send) {
      const release = touches.hold(instance);
      let own: Sight | undefined;
      try {
        const object = await send();
        own = observe(object, instance);
        return object;
      } finally {
        release(own);
      }
    },
    observeGone(key) {
      const row = store.table.find(store.kinds.numberOf(key), key.namespace, key.name);
      if (row !== none) store.deleted(row);
    },
    stats: () => statsOf(store, cells),
    stop() {
      stopped = true;
      cancel();
      watching.stop();
      touches.stop();
      onlookers.stop();
      packer.stop();
      rights.stop();
      served.shut();
      cells.stop();
    },
  };
}

function* rootsIn(store: Store, namespace: string): Generator<number> {
  const { table } = store;
  for (const row of table.rowsIn(namespace)) if (table.columns.owner[row] === none) yield row;
}

function statsOf(store: Store, cells: Cells): CacheStats {
  let [watches, dropped] = [0, 0];
  for (const cell of cells.all()) {
    if (cell.following) watches++;
    if (cell.state().state === 'dropped') dropped++;
  }
  const { table } = store;
  const { waiting: unpacked } = table.bodies;
  return { objects: table.count, managed: table.bodies.count, watches, dropped, bytes: table.bytes, unpacked };
}

/** Lets everybody pass once it is open; until then each waits only so long. */
function createGate(patienceMs: number, clock: Clock) {
  let isOpen = false;
  let last: Error | undefined;
  const waiting = new Set<() => void>();
  const free = (): void => {
    for (const each of [...waiting]) each();
  };
  return {
    open(): void {
      isOpen = true;
      free();
    },
    note(error: Error): void {
      last = error;
      free();
    },
    get isOpen(): boolean {
      return isOpen;
    },
    shut: free,
    async pass(): Promise<void> {
      // Where the last answer was a fault nobody waits for the next: a dead cluster must not hold those who ask.
      if (!isOpen && last === undefined) {
        await new Promise<void>((resolve) => {
          const cancel = clock.after(patienceMs, () => done());
          const done = (): void => {
            cancel();
            waiting.delete(done);
            resolve();
          };
          waiting.add(done);
        });
      }
      if (!isOpen) throw last ?? new ArgosyError('unknown', 'what the cluster serves is not known yet');
    },
  };
}
