import {
  type Cluster,
  type ClusterSecret,
  implicitCluster,
  inClusterServer,
  type Repository,
  type Snapshot,
} from '../api/index.ts';
import type { EffectiveProject } from './effective.ts';
import { Namespaces } from './namespaces.ts';

/** A snapshot's Secrets by what they are looked up with; built once per snapshot, in time linear in the Secrets. */
export interface SnapshotIndex {
  /** Patterns of the namespaces whose Applications count. */
  readonly appNamespaces: Namespaces;
  /** Clusters of the control plane, the implicit one included unless it is disabled or replaced. */
  readonly controlPlane: readonly Cluster[];
  readonly byServer: ReadonlyMap<string, readonly Cluster[]>;
  readonly byName: ReadonlyMap<string, readonly Cluster[]>;
  /** Control-plane clusters by the project they are scoped to. */
  readonly scopedClusters: ReadonlyMap<string, readonly Cluster[]>;
  /** Accepted tenants' clusters by project, then in order. */
  readonly tenantClusters: ReadonlyMap<string, readonly Cluster[]>;
  readonly scopedRepositories: ReadonlyMap<string, readonly Repository[]>;
  /** Effective projects already looked up in this snapshot. */
  readonly effective: Map<string, EffectiveProject>;
}

const indexes = new WeakMap<Snapshot, SnapshotIndex>();
const lists = new WeakMap<readonly string[], Namespaces>();
const implicit = new Map<string, Cluster>();

/** The index of a snapshot. */
export function indexOf(snapshot: Snapshot): SnapshotIndex {
  let index = indexes.get(snapshot);
  if (index === undefined) {
    index = build(snapshot);
    indexes.set(snapshot, index);
  }
  return index;
}

function build(snapshot: Snapshot): SnapshotIndex {
  const controlPlane = controlPlaneClusters(snapshot);
  const accepted = snapshot.clusters.filter(({ tenant, acceptance }) => tenant && acceptance.accepted);
  return {
    appNamespaces: namespaceList(snapshot.appNamespaces),
    controlPlane,
    byServer: groupBy(controlPlane, ({ server }) => server),
    byName: groupBy(controlPlane, ({ name }) => name),
    scopedClusters: groupBy(controlPlane, ({ project }) => project),
    tenantClusters: groupBy(accepted, ({ project }) => project),
    scopedRepositories: groupBy(
      snapshot.repositories.filter(({ template }) => !template),
      ({ project }) => project,
    ),
    effective: new Map(),
  };
}

/** Compiled once per list: snapshots share what did not change. */
function namespaceList(patterns: readonly string[]): Namespaces {
  let list = lists.get(patterns);
  if (list === undefined) {
    list = new Namespaces(patterns);
    lists.set(patterns, list);
  }
  return list;
}

/** A Secret for the in-cluster address replaces the implicit cluster; disabling hides both. */
function controlPlaneClusters(snapshot: Snapshot): readonly Cluster[] {
  const secrets = snapshot.clusters.filter(({ tenant, acceptance }) => !tenant && acceptance.accepted);
  if (!snapshot.settings.inClusterEnabled) return secrets.filter((cluster) => !isInCluster(cluster));
  return secrets.some(isInCluster) ? secrets : [...secrets, implicitOf(snapshot.controlPlane)];
}

function isInCluster(cluster: ClusterSecret): boolean {
  return cluster.server === inClusterServer;
}

/** One value per control-plane namespace, so that what is remembered about it survives a new snapshot. */
function implicitOf(controlPlane: string): Cluster {
  let cluster = implicit.get(controlPlane);
  if (cluster === undefined) {
    cluster = { ...implicitCluster(controlPlane), tenant: false, acceptance: { accepted: true } };
    implicit.set(controlPlane, cluster);
  }
  return cluster;
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  // The empty text is the absence of a name or scope, never a value to be found by.
  groups.delete('');
  return groups;
}
