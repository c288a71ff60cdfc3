/**
 * What a cluster holds: projections of its objects in columns, kept up by lists and watches, complete or unknown per
 * kind and namespace.
 *
 * It reads only, with the cluster's own credential; what an Application may see or touch is for others. Begin with
 * `cluster-cache.ts`; `follow/cell.ts` keeps one kind up, `store.ts` takes objects in, `table/` holds them, `answers/`
 * reads them.
 */
export type { Fetch } from './answers/live.ts';
export type { TreeNode } from './answers/tree.ts';
export type { Unowned, UnownedObject, Unseen } from './answers/unowned.ts';
export { type CachePool, createCachePool, type PoolKey, poolKey } from './cache-pool.ts';
export {
  type CacheStats,
  type ClusterCache,
  type ClusterCacheOptions,
  createClusterCache,
  type Freshness,
} from './cluster-cache.ts';
export type { Clock, Rhythm } from './follow/rhythm.ts';
export type { Projector } from './projection.ts';
