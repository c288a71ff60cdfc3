import type { OperationState } from '../../core/api/index.ts';
import type { Admitted, World } from './world.ts';

/** Where and as whom an operation works. */
type Footing = Pick<Admitted, 'cluster' | 'identity'>;

interface Begun {
  readonly startedAt: string;
  readonly footing: Footing;
}

/** An operation that never ends is forgotten after so many younger ones: memory is bounded, whoever starts them. */
const maxBegun = 10_000;
// By the controller's watch: each pass may get a copy of the world, and all of them look through the same watch.
const begun = new WeakMap<World['application'], Map<string, Begun>>();

/** Whether two answers of the policy mean the same cluster and the same identity. */
export function sameFooting(a: Footing, b: Footing): boolean {
  return a.cluster === b.cluster && personOf(a) === personOf(b);
}

/**
 * Why an operation may not go on: what it began with is no longer what it would go on with, because a setting, the project
 * or a Secret changed meanwhile. Half of a sync made by one identity and half by another is nobody's.
 */
export function lostFooting(
  key: string,
  state: OperationState,
  now: Footing,
  world: Pick<World, 'application'>,
): string | undefined {
  const all = begun.get(world.application) ?? new Map<string, Begun>();
  begun.set(world.application, all);
  const { startedAt = '' } = state;
  const known = all.get(key);
  if (known?.startedAt === startedAt)
    return sameFooting(known.footing, now) ? undefined : changedText(known.footing, now);
  all.delete(key);
  all.set(key, { startedAt, footing: { cluster: now.cluster, identity: now.identity } });
  const [oldest] = all.keys();
  if (all.size > maxBegun && oldest !== undefined) all.delete(oldest);
  return undefined;
}

/** The operation is over: the next one of the Application begins anew. */
export function leaveFooting(key: string, world: Pick<World, 'application'>): void {
  begun.get(world.application)?.delete(key);
}

/** What to say of a sync whose ground has changed. */
export function changedText(before: Footing, now: Footing): string {
  const what = before.cluster === now.cluster ? `from ${personOf(before)} to ${personOf(now)}` : 'to another cluster';
  return `the operation began under other rules and was stopped: it would have changed ${what}`;
}

function personOf({ identity }: Footing): string {
  return identity.as === 'impersonate' ? identity.user : "the cluster's own credential";
}
