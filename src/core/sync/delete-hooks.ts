import { type LiveObject, type Target, withName } from '../diff/index.ts';
import type { Health } from '../health/index.ts';
import { type KubeObject, objectKey, printKey, roleOf } from '../objects/index.ts';
import { generatedName } from './generated-name.ts';
import { versionOfItem } from './item.ts';
import type { ApplyTask, DeleteTask } from './types.ts';

export type DeleteHookType = 'PreDelete' | 'PostDelete';

/** The finalizers that make hooks of deletion run, and those that clean up after them. */
export const deleteHookFinalizers: {
  readonly [type in DeleteHookType]: { readonly run: string; readonly cleanup: string };
} = {
  PreDelete: {
    run: 'pre-delete-finalizer.argocd.argoproj.io',
    cleanup: 'pre-delete-finalizer.argocd.argoproj.io/cleanup',
  },
  PostDelete: {
    run: 'post-delete-finalizer.argocd.argoproj.io',
    cleanup: 'post-delete-finalizer.argocd.argoproj.io/cleanup',
  },
};

/** The finalizers an Application should have for its delete hooks, in place of those it has. */
export function withDeleteHookFinalizers(finalizers: readonly string[], targets: readonly Target[]): string[] {
  const ours = Object.values(deleteHookFinalizers).flatMap(({ run, cleanup }) => [run, cleanup]);
  const wanted = (Object.keys(deleteHookFinalizers) as DeleteHookType[]).flatMap((type) =>
    hooksOf(type, targets).length === 0 ? [] : [deleteHookFinalizers[type].run, deleteHookFinalizers[type].cleanup],
  );
  const others = finalizers.filter((finalizer) => !ours.includes(finalizer));
  return [...others, ...wanted];
}

/** The targets of a deletion that began at that second: hooks that leave their names to us have one, the same in every pass. */
export function withDeleteHookNames(targets: readonly Target[], revision: string, startedAt: number): Target[] {
  return targets.map((target) => {
    const { generateName, name = '' } = target.object.metadata;
    const phase = (Object.keys(deleteHookFinalizers) as DeleteHookType[]).find((type) => isHookOf(type, target));
    if (name !== '' || generateName === undefined || phase === undefined) return target;
    const object = withName(target.object, generatedName(generateName, { revision, phase, startedAt }));
    return { ...target, key: objectKey(object), object };
  });
}

export interface DeleteHookInput {
  readonly type: DeleteHookType;
  readonly targets: readonly Target[];
  /** By `printKey`. */
  readonly liveOf: (key: string) => LiveObject | undefined;
  readonly health: (object: KubeObject) => Health | undefined;
}

/** What to do next about the hooks of a deletion. */
export type DeleteHookStep =
  | { readonly next: 'run'; readonly tasks: readonly ApplyTask[] }
  | { readonly next: 'wait'; readonly message: string }
  /** A hook failed: it is removed, so that the next pass makes it again. */
  | { readonly next: 'failed'; readonly message: string; readonly tasks: readonly DeleteTask[] }
  | { readonly next: 'done' };

/** One step of the hooks of a deletion: make what is missing, wait until all are well. */
export function planDeleteHooks({ type, targets, liveOf, health }: DeleteHookInput): DeleteHookStep {
  const hooks = hooksOf(type, targets).map((target) => ({ target, live: liveOf(printKey(target.key)) }));
  const missing = hooks.filter(({ live }) => live === undefined);
  if (missing.length > 0) return { next: 'run', tasks: missing.map(({ target }) => applyHook(target)) };
  const judged = hooks.map(({ target, live }) => ({
    target,
    live,
    health: live === undefined ? undefined : health(live.object),
  }));
  const failed = judged.filter(({ health: found }) => found?.status === 'Degraded');
  if (failed.length > 0) {
    const names = failed.map(({ target }) => `${target.key.namespace}/${target.key.name}`).join(', ');
    return {
      next: 'failed',
      message: `${type} hook(s) failed: ${names}`,
      tasks: failed.flatMap(({ live }) => removeHook(live)),
    };
  }
  const running = judged.find(({ health: found }) => found?.status === 'Progressing' || found?.status === 'Missing');
  if (running === undefined) return { next: 'done' };
  const { group, kind, name } = running.target.key;
  return { next: 'wait', message: `waiting for completion of hook ${group}/${kind}/${name}` };
}

/** The tasks that clean up after the hooks of a deletion: only those whose policy asks for it. */
export function cleanDeleteHooks({ type, targets, liveOf, health }: DeleteHookInput): DeleteTask[] {
  return hooksOf(type, targets).flatMap((target) => {
    const live = liveOf(printKey(target.key));
    const role = roleOf(target.object);
    if (live === undefined || role.role !== 'hook') return [];
    const found = health(live.object)?.status;
    const asked = role.policies.includes('HookSucceeded')
      ? found === undefined || found === 'Healthy'
      : role.policies.includes('HookFailed') && found === 'Degraded';
    return asked ? removeHook(live) : [];
  });
}

function hooksOf(type: DeleteHookType, targets: readonly Target[]): Target[] {
  return targets.filter((target) => isHookOf(type, target));
}

function isHookOf(type: DeleteHookType, { object }: Target): boolean {
  const role = roleOf(object);
  return role.role === 'hook' && role.types.includes(type);
}

function applyHook(target: Target): ApplyTask {
  return {
    act: 'apply',
    key: objectKey(target.object),
    version: versionOfItem(target, undefined),
    phase: 'Sync',
    wave: 0,
    hook: true,
    object: target.object,
    mode: 'server',
    force: false,
    validate: true,
    live: undefined,
    dryRun: false,
  };
}

function removeHook(live: LiveObject | undefined): DeleteTask[] {
  const { uid, resourceVersion, deletionTimestamp } = live?.object.metadata ?? {};
  if (live === undefined || uid === undefined || resourceVersion === undefined || deletionTimestamp !== undefined)
    return [];
  const place = { key: live.key, version: versionOfItem(undefined, live), phase: 'Sync', wave: 0, hook: true } as const;
  return [{ act: 'delete', ...place, uid, resourceVersion, propagation: 'Foreground', why: 'hook', dryRun: false }];
}
