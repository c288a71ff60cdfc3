import { type Item, isPrune } from './item.ts';
import { objectOptionsOf, type SyncOptions } from './options.ts';
import type { ApplyTask, DeleteTask, ReleaseTask } from './types.ts';

export interface TaskOptions {
  readonly options: SyncOptions;
  readonly force: boolean;
  readonly dryRun: boolean;
  /** The manager whose client-side fields become ours at first touch. */
  readonly migrationManager: string;
}

/** The executor's order for applying one item. */
export function applyTask(
  item: Item,
  { options, force, dryRun, migrationManager }: TaskOptions,
): ApplyTask | undefined {
  if (item.target === undefined) return undefined;
  const own = objectOptionsOf(item.target.object);
  const live = objectOptionsOf(item.live?.object);
  const replace = options.replace || own.replace || live.replace;
  // Server-side apply unless somebody asked for client-side; the object's own word wins over the Application's.
  const server = own.serverSideApply ?? options.serverSideApply ?? true;
  return {
    act: 'apply',
    ...base(item),
    object: item.target.object,
    mode: replace ? 'replace' : server ? 'server' : 'client',
    force: force || own.force || live.force,
    validate: own.validate ?? options.validate,
    ...(server && !replace && options.clientSideApplyMigration ? { migrateFrom: migrationManager } : {}),
    live: item.live?.object,
    dryRun,
  };
}

/** The executor's order for removing the live object of an item; undefined where there is none, or it is going already. */
export function deleteTask(
  item: Item,
  why: DeleteTask['why'],
  { options, dryRun }: TaskOptions,
): DeleteTask | undefined {
  const { uid, resourceVersion, deletionTimestamp } = item.live?.object.metadata ?? {};
  if (uid === undefined || resourceVersion === undefined || deletionTimestamp !== undefined) return undefined;
  return { act: 'delete', ...base(item), uid, resourceVersion, propagation: options.propagation, why, dryRun };
}

/** The executor's order for letting a finished hook go. */
export function releaseTask(item: Item): ReleaseTask | undefined {
  return item.live === undefined ? undefined : { act: 'release', ...base(item), live: item.live.object };
}

function base({
  key,
  version,
  phase,
  wave,
  hook,
}: Item): Pick<ApplyTask, 'key' | 'version' | 'phase' | 'wave' | 'hook'> {
  return { key, version, phase, wave, hook: hook !== undefined };
}

/** What stops a prune, in the words of the result; undefined where it may go ahead. */
export function pruneRefusal(item: Item, prune: boolean, options: SyncOptions): string | undefined {
  if (!isPrune(item)) return undefined;
  if ((objectOptionsOf(item.live?.object).prune ?? options.prune) === 'false') return 'ignored (no prune)';
  return prune ? undefined : 'ignored (requires pruning)';
}

/** Tells whether a prune must be approved by a person first. */
export function needsConfirmation(item: Item, options: SyncOptions): boolean {
  return isPrune(item) && (objectOptionsOf(item.live?.object).prune ?? options.prune) === 'confirm';
}
