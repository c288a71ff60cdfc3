import { ArgosyError } from '../core/errors/index.ts';
import type { Follower } from './follower.ts';

/** A follower that asks nobody: what its mirror holds from before is all there is, be it old or half. */
export function keptFollower(url: string): Follower {
  const unasked = (): Promise<never> =>
    Promise.reject(new ArgosyError('git-unreachable', 'only what was read before is looked at', { subject: url }));
  return {
    fetch: unasked,
    ready: unasked,
    reading: (work) => work(),
    bringCommit: unasked,
    bringObjects: unasked,
  };
}
