import { createHash } from 'node:crypto';
import type { ClusterCache } from './cluster-cache.ts';

/** Everything that makes two views of a cluster the same: equal to the byte, or not shared. */
export type PoolKey = string;

/** A view that several cluster Secrets may share; whoever takes it must give it back. */
export interface CachePool {
  /** The view under this key, made by `create` if nobody holds one. */
  take(key: PoolKey, create: () => ClusterCache & { close?(): Promise<void> }): ClusterCache;
  release(key: PoolKey): Promise<void>;
  readonly size: number;
}

/** Shares views between holders of equal keys; the last to let go stops it. */
export function createCachePool(): CachePool {
  const shared = new Map<PoolKey, { cache: ClusterCache & { close?(): Promise<void> }; holders: number }>();
  return {
    take(key, create) {
      const known = shared.get(key) ?? { cache: create(), holders: 0 };
      known.holders++;
      shared.set(key, known);
      return known.cache;
    },
    async release(key) {
      const known = shared.get(key);
      if (known === undefined || --known.holders > 0) return;
      shared.delete(key);
      known.cache.stop();
      await known.cache.close?.();
    },
    get size() {
      return shared.size;
    },
  };
}

/** A key from parts that hold credentials: what is kept of them tells nothing. */
export function poolKey(parts: readonly unknown[]): PoolKey {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
