import type { ResourceResult, SyncOperation } from '../api/index.ts';
import { type ComparedObject, type LiveObject, type Target, withName } from '../diff/index.ts';
import { type KubeObject, type ObjectKey, objectKey, printKey, roleOf, waveOf } from '../objects/index.ts';
import { generatedName } from './generated-name.ts';
import { type Item, indexResults, resultKey, versionOfItem } from './item.ts';
import type { SyncOptions } from './options.ts';
import { inOrder, phases } from './order.ts';
import type { SyncPhase } from './types.ts';

/** Keeps a hook until its result was read, even where its own controller would remove it. */
export const hookFinalizer = 'argocd.argoproj.io/hook-finalizer';

export interface ItemsInput {
  /** Managed objects: targets with their live counterparts, and live ones to be pruned. */
  readonly objects: readonly ComparedObject[];
  /** Targets that are hooks. */
  readonly hooks: readonly Target[];
  /** Parts that come from no manifest, such as a namespace to be created. */
  readonly extra?: readonly Item[];
  /** Looks up a live object by `printKey`: hooks are found by their name. */
  readonly liveOf: (key: string) => LiveObject | undefined;
  readonly sync: SyncOperation;
  readonly options: SyncOptions;
  readonly results: readonly ResourceResult[];
  readonly revision: string;
  /** Seconds since 1970 of the operation's start: part of generated hook names. */
  readonly startedAt: number;
}

/** Every object's part in this sync, in the order they run; made anew for each pass, so that a restart loses nothing. */
export function itemsOf(input: ItemsInput): readonly Item[] {
  const results = indexResults(input.results);
  const partial = (input.sync.resources?.length ?? 0) > 0;
  const isSelected = selectionOf(input.sync);
  const hooksOff = partial || input.sync.syncStrategy?.apply !== undefined;
  const isSettled = settledIn(input.results);
  const managed = input.objects
    .filter(({ key }) => !partial || isSelected(key))
    // What this very sync has brought in order still counts: the next wave waits until it is well.
    .filter((object) => !isLeftOut(object, input.options) || isSettled(object.key))
    .flatMap(managedItem);
  const hooks = hooksOff ? [] : input.hooks.flatMap((hook) => hookItems(hook, input));
  const items = inOrder([...managed, ...hooks, ...(input.extra ?? [])], input.options);
  // In the order some take over another's phase, and under that one their result stands.
  return items.map((item) => ({ ...item, result: begun(item, results.get(resultKey(item))) }));
}

function isLeftOut({ target, modified }: ComparedObject, { applyOutOfSyncOnly }: SyncOptions): boolean {
  return applyOutOfSyncOnly && target !== undefined && !modified;
}

function settledIn(results: readonly ResourceResult[]): (key: ObjectKey) => boolean {
  const keys = new Set(
    results.map(({ group = '', kind = '', namespace = '', name = '' }) => printKey({ group, kind, namespace, name })),
  );
  return (key) => keys.has(printKey(key));
}

/**
 * A row without a status only announces what is about to be done. A hook that makes room for itself was not there then: if
 * it is now, it was asked for. All else is pending still, and doing it again repeats nothing.
 */
function begun(item: Item, result: ResourceResult | undefined): ResourceResult | undefined {
  if (result?.hookPhase !== 'Running' || result.status !== undefined) return result;
  const isNew = item.live !== undefined && item.hook?.policies.includes('BeforeHookCreation') === true;
  return isNew ? { ...result, status: 'Synced' } : undefined;
}

/** Tells what a partial sync is about; without a namespace an object of that name in any is meant. */
function selectionOf({ resources = [] }: SyncOperation): (key: ObjectKey) => boolean {
  const selected = new Set(
    resources.map(({ group = '', kind, name, namespace = '' }) => printKey({ group, kind, namespace, name })),
  );
  return (key) => selected.has(printKey(key)) || selected.has(printKey({ ...key, namespace: '' }));
}

function managedItem(object: ComparedObject): Item[] {
  // Without a status an object is a hook, skipped, or bears a copied mark: not ours to touch.
  if (object.hook || object.status === undefined) return [];
  const { key, target, live, modified } = object;
  const marked = target?.object ?? live?.object;
  if (marked === undefined) return [];
  const wave = waveOf(marked);
  return [
    {
      key,
      version: versionOfItem(target, live),
      phase: 'Sync',
      wave,
      target,
      live,
      modified,
      hook: undefined,
      result: undefined,
    },
  ];
}

function hookItems(hook: Target, input: ItemsInput): Item[] {
  const role = roleOf(hook.object);
  if (role.role !== 'hook') return [];
  const wanted = role.types.filter((type): type is SyncPhase => (phases as readonly string[]).includes(type));
  return wanted.map((phase) => {
    const object = guarded(named(hook.object, phase, input));
    const key = objectKey(object);
    const live = input.liveOf(printKey(key));
    const target: Target = { ...hook, key, object };
    return {
      key,
      version: versionOfItem(target, live),
      phase,
      wave: waveOf(object),
      target,
      live,
      modified: true,
      hook: { policies: role.policies },
      result: undefined,
    };
  });
}

/** A generated name is the same in every step of one operation, so that a restart finds its hook again. */
function named(object: KubeObject, phase: SyncPhase, input: ItemsInput): KubeObject {
  const { generateName, name = '' } = object.metadata;
  if (name !== '' || generateName === undefined) return object;
  return withName(object, generatedName(generateName, { ...input, phase }));
}

function guarded(object: KubeObject): KubeObject {
  const finalizers = [...new Set([...(object.metadata.finalizers ?? []), hookFinalizer])];
  return { ...object, metadata: { ...object.metadata, finalizers } };
}
