import {
  type CachePool,
  type ClusterCache,
  createCachePool,
  createClusterCache,
  poolKey,
  type Rhythm,
} from '../../cache/index.ts';
import { type Cluster, clusterKey, implicitCluster, inClusterServer, type Snapshot } from '../../core/api/index.ts';
import { ArgosyError } from '../../core/errors/index.ts';
import { visibilityMode, watchesKind } from '../../core/policy/index.ts';
import { type Connection, cacheDoor } from '../../kube/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { checksOf } from '../application/health.ts';
import type { ClusterAccess } from '../application/world.ts';
import { accessThrough } from './access.ts';
import { Capabilities, listening, type Served } from './capabilities.ts';
import { isOwnCluster, kubeConfigOf } from './kube-config.ts';
import { projectorWith } from './projector.ts';

export interface ClustersOptions {
  /** The cluster the controller runs in, which needs no Secret. */
  readonly own: Connection;
  readonly snapshot: () => Snapshot;
  /** Opens a connection to the cluster of a Secret that was accepted. */
  readonly connect: (cluster: Cluster) => Connection;
  /** Something happened to the objects of these Applications, named as in marks. */
  readonly onTouched: (instances: readonly string[]) => void;
  /** These clusters answer now, and did not while Applications asked for them. */
  readonly onOpen?: ((keys: ReadonlySet<string>) => void) | undefined;
  /** What charts are told about a cluster is no longer what it was. */
  readonly onServed?: (() => void) | undefined;
  readonly log: Logger;
  /** Waits and periods of the views, where not the usual ones. */
  readonly rhythm?: Partial<Rhythm> | undefined;
}

/** The ways to all clusters in use, each with its own connection, by `<namespace>/<secret>`. */
export interface Clusters {
  access(key: string): Promise<ClusterAccess>;
  /** What the cluster can do, as charts ask for it; known once somebody had access to it. */
  served(key: string): Served;
  /** Forgets clusters whose Secret changed or went; who asks next gets a new connection. */
  changed(keys: Iterable<string>): void;
  stop(): Promise<void>;
}

interface Open {
  /** For the Applications' own requests; each Secret has its own. */
  readonly connection: Connection;
  readonly view: string;
  readonly cache: ClusterCache;
  /** The snapshot its key was last made of: while that stands, so does the key. */
  judged: Snapshot;
}

/** Opens nothing yet: a cluster is connected to when the first Application asks. */
export function createClusters(options: ClustersOptions): Clusters {
  const { own, snapshot, connect } = options;
  const pool = createCachePool();
  const open = new Map<string, Open>();
  const closing: Promise<void>[] = [];
  const close = (key: string): void => {
    const known = open.get(key);
    if (known === undefined) return;
    open.delete(key);
    closing.push(pool.release(known.view));
    if (known.connection !== own) closing.push(known.connection.close());
  };
  const openOne = (key: string): Open => {
    const now = snapshot();
    const known = open.get(key);
    if (known?.judged === now) return known;
    const cluster = clusterOf(now, key);
    const view = viewKey(now, cluster);
    if (known?.view === view) {
      known.judged = now;
      return known;
    }
    // Another setting for what is looked at: a new view, as D17 wants it.
    close(key);
    const connection = cluster === undefined || isOwnCluster(cluster) ? own : connect(cluster);
    const onOpen = (): void => {
      options.onOpen?.(new Set([...open].flatMap(([each, known]) => (known.view === view ? [each] : []))));
    };
    const opened = { connection, view, cache: takeView(pool, view, cluster, { ...options, onOpen }), judged: now };
    open.set(key, opened);
    return opened;
  };
  return {
    async access(key) {
      const { connection, cache } = openOne(key);
      await cache.ready();
      return accessThrough(connection, cache, snapshot().settings);
    },
    served(key) {
      const known = open.get(key);
      const capabilities = known === undefined ? undefined : heard.get(known.cache);
      return capabilities?.served() ?? { known: false, reason: 'the cluster is not connected to' };
    },
    changed(keys) {
      for (const key of keys) close(key);
    },
    async stop() {
      for (const key of [...open.keys()]) close(key);
      await Promise.all(closing);
    },
  };
}

/** The Secret's cluster; undefined for the one the controller runs in. */
function clusterOf(now: Snapshot, key: string): Cluster | undefined {
  if (key === clusterKey(implicitCluster(now.controlPlane))) return undefined;
  const cluster = now.clusters.find((each) => clusterKey(each) === key);
  // The policy has just chosen it; a Secret that went meanwhile is a reason to look again, not to guess.
  if (cluster === undefined || !cluster.acceptance.accepted) {
    throw new ArgosyError('unknown', `the cluster of Secret ${key} is no longer there`);
  }
  return cluster;
}

/** Two Secrets share a view only where all that it is made of is equal to the byte. */
function viewKey({ settings }: Snapshot, cluster: Cluster | undefined): string {
  const { resourceExclusions, resourceInclusions, respectRBAC } = settings;
  const marks = [settings.trackingMethod, settings.instanceLabelKey, settings.installationID];
  const mode = visibilityMode(respectRBAC, cluster?.tenant === true);
  // A view keeps the health of its objects, and reads bodies only where a check needs them.
  const checks = [...settings.resourceOverrides].map(([kind, { health }]) =>
    health === undefined ? [] : [kind, health],
  );
  // And it tells of changes: which of them count must not differ.
  const updates = [...settings.resourceOverrides].map(([kind, { ignoreDifferences, ignoreResourceUpdates }]) =>
    ignoreDifferences === undefined && ignoreResourceUpdates === undefined
      ? []
      : [kind, ignoreDifferences, ignoreResourceUpdates],
  );
  const wakes = [settings.ignoreResourceUpdatesEnabled, settings.compareOptions, updates.filter(isSaid)];
  const rules = [resourceExclusions, resourceInclusions, mode, marks, checks.filter(isSaid), wakes];
  if (cluster === undefined) return poolKey(['own', ...rules]);
  const scope = [[...cluster.namespaces].toSorted(), cluster.clusterResources, cluster.tenant];
  if (isOwnCluster(cluster)) return poolKey(['own', ...scope, ...rules]);
  const { caData, credential, ...config } = kubeConfigOf(cluster);
  return poolKey(['secret', config, caData?.toString('base64'), credential, ...scope, ...rules]);
}

const isSaid = ({ length }: readonly unknown[]): boolean => length > 0;

/** What views heard about their clusters. */
const heard = new WeakMap<ClusterCache, Capabilities>();

const mostOfTenants = 256 * 2 ** 20;

type ViewOptions = Omit<ClustersOptions, 'onOpen'> & { readonly onOpen: () => void };

/** The view has a connection of its own: it outlives the Secret that first asked for it. */
function takeView(pool: CachePool, view: string, cluster: Cluster | undefined, options: ViewOptions): ClusterCache {
  const { snapshot, own, log, onTouched, rhythm } = options;
  return pool.take(view, () => {
    const { settings } = snapshot();
    const connection = cluster === undefined || isOwnCluster(cluster) ? own : options.connect(cluster);
    const server = cluster?.server ?? inClusterServer;
    const capabilities = new Capabilities();
    const cache = createClusterCache({
      door: listening(cacheDoor(connection), connection, (...news) => {
        if (capabilities.heard(...news)) options.onServed?.();
      }),
      watches: (kind) => watchesKind(settings, server, kind),
      namespaces: cluster?.namespaces,
      clusterResources: cluster?.clusterResources,
      mode: visibilityMode(settings.respectRBAC, cluster?.tenant === true),
      projector: projectorWith(checksOf(settings), settings),
      onTouched,
      onOpen: options.onOpen,
      log,
      rhythm,
      // A tenant's cluster is the tenant's: what it sends must not push others out.
      mostBytes: cluster?.tenant === true ? mostOfTenants : undefined,
    });
    const opened = connection === own ? cache : { ...cache, close: () => connection.close() };
    heard.set(opened, capabilities);
    return opened;
  });
}
