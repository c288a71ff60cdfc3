import { readLive, resourceOf } from '../../cache/index.ts';
import { type Cluster, clusterKey, implicitCluster, type Snapshot } from '../../core/api/index.ts';
import { isOurs } from '../../core/diff/index.ts';
import { ArgosyError } from '../../core/errors/index.ts';
import { type KubeObject, objectKey, printKey } from '../../core/objects/index.ts';
import { type Connection, cacheDoor, tenantDoor } from '../../kube/index.ts';
import type { ClusterAccess } from '../application/world.ts';

export interface ClustersOptions {
  /** The cluster the controller runs in, which needs no Secret. */
  readonly own: Connection;
  readonly snapshot: () => Snapshot;
  /** Opens a connection to the cluster of a Secret that was accepted. */
  readonly connect: (cluster: Cluster) => Connection;
}

/** The ways to all clusters in use, each with its own connection, by `<namespace>/<secret>`. */
export interface Clusters {
  access(key: string): Promise<ClusterAccess>;
  /** Forgets clusters whose Secret changed or went; who asks next gets a new connection. */
  changed(keys: Iterable<string>): void;
  stop(): Promise<void>;
}

/** Opens nothing yet: a cluster is connected to when the first Application asks. */
export function createClusters({ own, snapshot, connect }: ClustersOptions): Clusters {
  const open = new Map<string, Connection>();
  const closing: Promise<void>[] = [];
  const connectionOf = (key: string): Connection => {
    const now = snapshot();
    if (key === clusterKey(implicitCluster(now.controlPlane))) return own;
    const known = open.get(key);
    if (known !== undefined) return known;
    const cluster = now.clusters.find((each) => clusterKey(each) === key);
    // The policy has just chosen it; a Secret that went meanwhile is a reason to look again, not to guess.
    if (cluster === undefined || !cluster.acceptance.accepted) {
      throw new ArgosyError('unknown', `the cluster of Secret ${key} is no longer there`);
    }
    const connection = connect(cluster);
    open.set(key, connection);
    return connection;
  };
  return {
    async access(key) {
      const cluster = snapshot().clusters.find((each) => clusterKey(each) === key);
      return accessThrough(connectionOf(key), cluster?.namespaces ?? []);
    },
    changed(keys) {
      for (const key of keys) {
        const connection = open.get(key);
        if (connection === undefined) continue;
        open.delete(key);
        closing.push(connection.close());
      }
    },
    async stop() {
      this.changed([...open.keys()]);
      await Promise.all(closing);
    },
  };
}

async function accessThrough(connection: Connection, namespaces: readonly string[]): Promise<ClusterAccess> {
  const discovery = await connection.discover();
  const reader = cacheDoor(connection);
  return {
    resource: (group, kind) => resourceOf(discovery, { group, kind }),
    live: (instance, targets, known) => {
      const wanted = new Set(targets.map(printKey));
      const keep = (text: string, object: KubeObject): boolean =>
        wanted.has(text) || isOurs({ key: objectKey(object), object }, instance);
      return readLive(reader, discovery, [...targets, ...known], keep, namespaces);
    },
    as: (identity) => tenantDoor(connection, identity),
  };
}
