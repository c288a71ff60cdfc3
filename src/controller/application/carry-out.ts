import { type ArgosyError, isArgosyError } from '../../core/errors/index.ts';
import { type KubeObject, kindText } from '../../core/objects/index.ts';
import {
  type ApplyTask,
  type DeleteTask,
  hookFinalizer,
  type Outcome,
  type ReleaseTask,
  type Task,
} from '../../core/sync/index.ts';
import type { Reader, Resource, Writer } from '../../kube/index.ts';
import { applyClientSide, lastApplied } from './client-side.ts';
import { migrateFields } from './migrate-fields.ts';

/** The name our fields are owned under, as Argo CD's. */
export const fieldManager = 'argocd-controller';

export type Door = Reader & Writer;

/** One task in, one outcome out: sends it, translates the answer, decides nothing. */
export async function carryOut(task: Task, resource: Resource, door: Door): Promise<Outcome> {
  try {
    if (task.act === 'apply') return await apply(task, resource, door);
    return task.act === 'delete' ? await remove(task, resource, door) : await release(task, resource, door);
  } catch (error) {
    if (!isArgosyError(error)) throw error;
    // Gone already is what a delete and a release wanted.
    if (task.act !== 'apply' && error.code === 'kube-not-found') return { task, status: 'Pruned', message: 'pruned' };
    return { task, status: 'SyncFailed', message: error.message, code: error.code, passing: isPassing(error) };
  }
}

const passingCodes: readonly string[] = [
  'kube-unreachable',
  'kube-timeout',
  'kube-busy',
  'kube-unavailable',
  'kube-unauthorized',
];

/** Whether an error tells of a server that is away, full, or has not got our new credential yet, and not of the object. */
export function isPassing({ code, message }: ArgosyError): boolean {
  // A webhook that cannot be called is a 500 of a server that is well; the text is all that tells it from etcd's faults.
  // The word alone may be the object's own name.
  return passingCodes.includes(code) && !/(failed calling|conversion) webhook/.test(message);
}

async function apply(task: ApplyTask, resource: Resource, door: Door): Promise<Outcome> {
  try {
    return await applyBy(task, resource, door);
  } catch (error) {
    // What may not be changed can be made anew, where somebody asked for that.
    const asked = task.force && task.mode !== 'replace' && task.live !== undefined && !holdsOthers(task);
    if (!asked || !isArgosyError(error) || error.code !== 'kube-invalid') throw error;
    return recreate(task, resource, door);
  }
}

/** A CRD or a Namespace made anew would take everything in it along. */
function holdsOthers({ object }: ApplyTask): boolean {
  return object.kind === 'CustomResourceDefinition' || object.kind === 'Namespace';
}

async function applyBy(task: ApplyTask, resource: Resource, door: Door): Promise<Outcome> {
  const { dryRun } = task;
  const options = { fieldManager, dryRun, fieldValidation: task.validate ? 'Strict' : 'Ignore' } as const;
  if (task.mode === 'replace') return replace(task, resource, door);
  if (task.mode === 'client') {
    const object = await applyClientSide(door, resource, task.object, options);
    return applied(task, object, task.live === undefined ? 'created' : 'configured');
  }
  if (task.migrateFrom !== undefined && !dryRun && lastApplied(task.live) !== undefined) {
    await migrateFields(door, resource, task.object, { from: task.migrateFrom, to: fieldManager });
  }
  return applied(task, await door.apply(resource, task.object, { ...options, force: true }), 'serverside-applied');
}

async function replace(task: ApplyTask, resource: Resource, door: Door): Promise<Outcome> {
  const { live, object, dryRun } = task;
  const options = { fieldManager, dryRun };
  if (live === undefined) return applied(task, await door.create(resource, object, options), 'created');
  if (task.force && !holdsOthers(task)) return recreate(task, resource, door);
  const resourceVersion = live.metadata.resourceVersion ?? '';
  const next: KubeObject = { ...object, metadata: { ...object.metadata, resourceVersion } };
  return applied(task, await door.update(resource, next, options), 'replaced');
}

/** How often to look whether an object has gone, and for how long. */
const goneEveryMs = 200;
const goneWithinMs = 30_000;

async function recreate(task: ApplyTask, resource: Resource, door: Door): Promise<Outcome> {
  const { live, object, key, dryRun } = task;
  const { uid, resourceVersion } = live?.metadata ?? {};
  await tryToCreate(task, resource, door);
  await door.delete(resource, key.namespace, key.name, { uid, resourceVersion, propagation: 'Background', dryRun });
  if (dryRun) return applied(task, object, 'replaced');
  for (let waited = 0; waited < goneWithinMs; waited += goneEveryMs) {
    try {
      return applied(task, await door.create(resource, object, { fieldManager }), 'replaced');
    } catch (error) {
      if (!isArgosyError(error) || error.code !== 'kube-already-exists') throw error;
      await new Promise((resolve) => setTimeout(resolve, goneEveryMs));
    }
  }
  const message = `${kindText(key)}/${key.name} is still being deleted; it is made anew once it has gone`;
  return { task, status: 'SyncFailed', message, code: 'kube-conflict' };
}

/** What could not come back must not go: the API server judges the new object before it finds the old one in its place. */
async function tryToCreate({ object }: ApplyTask, resource: Resource, door: Door): Promise<void> {
  try {
    await door.create(resource, object, { fieldManager, dryRun: true });
  } catch (error) {
    if (!isArgosyError(error) || error.code !== 'kube-already-exists') throw error;
  }
}

function applied(task: ApplyTask, object: KubeObject, how: string): Outcome {
  const message = `${kindText(task.key)}/${task.key.name} ${how}`;
  return { task, status: 'Synced', message, ...(task.dryRun ? {} : { object }) };
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
