import type { ResourceResult } from '../api/index.ts';
import type { LiveObject, Target } from '../diff/index.ts';
import type { DeletePolicy } from '../objects/index.ts';
import { gvkOf, type ObjectKey, printKey } from '../objects/index.ts';
import type { SyncPhase } from './types.ts';

/** One object's part in a sync: what to do with it, when, and what is already known of it. */
export interface Item {
  readonly key: ObjectKey;
  readonly version: string;
  readonly phase: SyncPhase;
  readonly wave: number;
  /** Undefined for objects to be pruned. */
  readonly target: Target | undefined;
  readonly live: LiveObject | undefined;
  readonly modified: boolean;
  readonly hook: { readonly policies: readonly DeletePolicy[] } | undefined;
  /** What a former pass recorded; undefined while it is pending. */
  readonly result: ResourceResult | undefined;
}

/** What tells the results of one object in two phases apart. */
export function resultKey(item: { readonly key: ObjectKey; readonly phase: string }): string {
  return `${printKey(item.key)}@${item.phase}`;
}

/** What a result is about, in the same words. */
export function resultKeyOf({ group = '', kind = '', namespace = '', name = '', syncPhase }: ResourceResult): string {
  return resultKey({ key: { group, kind, namespace, name }, phase: syncPhase ?? 'Sync' });
}

/** The results of former passes by object and phase. */
export function indexResults(results: readonly ResourceResult[]): ReadonlyMap<string, ResourceResult> {
  return new Map(results.map((result) => [resultKeyOf(result), result]));
}

export const isPrune = (item: Item): boolean => item.target === undefined;
export const isPending = (item: Item): boolean => item.result === undefined;
export const isRunning = (item: Item): boolean => item.result?.hookPhase === 'Running';
export const isFailed = (item: Item): boolean =>
  item.result?.hookPhase === 'Failed' || item.result?.hookPhase === 'Error';

/** The version an object is written in. */
export function versionOfItem(target: Target | undefined, live: LiveObject | undefined): string {
  const object = target?.object ?? live?.object;
  return object === undefined ? '' : gvkOf(object).version;
}
