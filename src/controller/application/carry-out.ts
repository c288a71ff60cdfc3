import { isArgosyError } from '../../core/errors/index.ts';
import { kindText } from '../../core/objects/index.ts';
import {
  type ApplyTask,
  type DeleteTask,
  hookFinalizer,
  type Outcome,
  type ReleaseTask,
  type Task,
} from '../../core/sync/index.ts';
import type { Reader, Resource, Writer } from '../../kube/index.ts';

/** The name our fields are owned under, as Argo CD's. */
export const fieldManager = 'argocd-controller';

type Door = Reader & Writer;

/** One task in, one outcome out: sends it, translates the answer, decides nothing. */
export async function carryOut(task: Task, resource: Resource, door: Door): Promise<Outcome> {
  try {
    if (task.act === 'apply') return await apply(task, resource, door);
    return task.act === 'delete' ? await remove(task, resource, door) : await release(task, resource, door);
  } catch (error) {
    if (!isArgosyError(error)) throw error;
    // Gone already is what a delete and a release wanted.
    if (task.act !== 'apply' && error.code === 'kube-not-found') return { task, status: 'Pruned', message: 'pruned' };
    return { task, status: 'SyncFailed', message: error.message, code: error.code };
  }
}

async function apply(task: ApplyTask, resource: Resource, door: Door): Promise<Outcome> {
  const fieldValidation = task.validate ? 'Strict' : 'Ignore';
  const object = await door.apply(resource, task.object, {
    fieldManager,
    force: true,
    fieldValidation,
    dryRun: task.dryRun,
  });
  return {
    task,
    status: 'Synced',
    message: `${kindText(task.key)}/${task.key.name} serverside-applied`,
    ...(task.dryRun ? {} : { object }),
  };
}

async function remove(task: DeleteTask, resource: Resource, door: Door): Promise<Outcome> {
  const { uid, resourceVersion, propagation, dryRun } = task;
  const left = await door.delete(resource, task.key.namespace, task.key.name, {
    uid,
    resourceVersion,
    propagation,
    dryRun,
  });
  // Finalizers keep it for a while: it is still there, going.
  return { task, status: 'Pruned', message: 'pruned', object: left };
}

async function release(task: ReleaseTask, resource: Resource, door: Door): Promise<Outcome> {
  const { finalizers = [], resourceVersion = '' } = task.live.metadata;
  const kept = finalizers.filter((finalizer) => finalizer !== hookFinalizer);
  const patch = { metadata: { finalizers: kept, resourceVersion } };
  const object = await door.patch(resource, task.key.namespace, task.key.name, 'merge', patch, { fieldManager });
  return { task, status: 'Synced', message: '', object };
}
