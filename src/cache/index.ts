/**
 * What a cluster holds, complete or unknown per kind.
 *
 * It reads only, with the cluster's own credential; what an Application may see or touch is for others. Begin with
 * `direct-view.ts`.
 */
export { type KindName, readLive, resourceOf } from './direct-view.ts';
