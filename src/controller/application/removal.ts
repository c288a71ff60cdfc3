import { isOurs, isUnlisted } from '../../core/diff/index.ts';
import {
  cleanDeleteHooks,
  type DeleteHookInput,
  type DeleteHookType,
  deleteHookFinalizers,
  planDeleteHooks,
  planRemoval,
  syncOptionsOf,
  type Task,
} from '../../core/sync/index.ts';
import { act } from './act.ts';
import type { Ready } from './gather.ts';
import { reportDeletion } from './report.ts';
import type { World } from './world.ts';

/** How long to wait for objects that are being removed, or for a cluster that cannot be read, where no watch tells. */
const pollMs = 1000;

/**
 * One step of an Application's deletion: PreDelete hooks, its objects wave by wave, PostDelete hooks; each stage stands
 * for a finalizer, which goes when the stage is over. Answers when to look again.
 */
export async function remove(inputs: Ready, world: World): Promise<number | undefined> {
  const { app, sources } = inputs;
  const wait = async (reason: string): Promise<number> => {
    await reportDeletion(app, [reason], world);
    return pollMs;
  };
  // What could not be read may hold objects of ours: the Application stays until it can be.
  const unknown = unreadOf(inputs);
  if (unknown !== undefined) return wait(unknown);
  if (sources.error !== undefined) return wait(sources.error);
  const finalizers = app.metadata.finalizers ?? [];
  for (const type of ['PreDelete', 'PostDelete'] as const) {
    if (type === 'PostDelete') {
      const cascade = await removeObjects(inputs, world);
      if (cascade !== 'none') return cascade;
    }
    const { run, cleanup } = deleteHookFinalizers[type];
    if (finalizers.includes(run)) return runHooks(type, inputs, world);
    if (finalizers.includes(cleanup)) {
      await carry(inputs, cleanDeleteHooks(hookInput(type, inputs, world)), world);
      return release(inputs, cleanup, world);
    }
  }
  return undefined;
}

/**
 * Why it cannot be told what is left. A kind that may not be listed is no reason by itself: its objects were asked for by
 * the names in the status, and each that could not be read is one.
 */
function unreadOf({ live, admitted }: Ready): string | undefined {
  const [found] = [...live.unknown].filter(([what]) => !isUnlisted(what));
  if (found === undefined) return undefined;
  const [what, reason] = found;
  const colon = what.indexOf(':');
  if (colon < 0) return reason;
  const who = admitted.identity.as === 'impersonate' ? admitted.identity.user : "the cluster's credential";
  return `${reason}; grant get and delete on it to ${who}, or list and watch on ${what.slice(0, colon)} to the cluster's credential`;
}

async function runHooks(type: DeleteHookType, inputs: Ready, world: World): Promise<number | undefined> {
  const step = planDeleteHooks(hookInput(type, inputs, world));
  switch (step.next) {
    case 'run':
      // Another controller may have seen them through and cleaned up: what is gone by now must not run again.
      await world.patchApplication(inputs.app, {}, 'finalizers');
      await carry(inputs, step.tasks, world);
      return pollMs;
    case 'failed':
      await carry(inputs, step.tasks, world);
      await reportDeletion(inputs.app, [step.message], world);
      return pollMs;
    case 'wait':
      return pollMs;
    case 'done':
      return release(inputs, deleteHookFinalizers[type].run, world);
  }
}

function hookInput(type: DeleteHookType, { sources, live }: Ready, world: World): DeleteHookInput {
  return {
    type,
    targets: sources.targets,
    liveOf: (key) => live.objects.get(key),
    health: (object) => world.health(object),
  };
}

async function removeObjects(inputs: Ready, world: World): Promise<number | undefined | 'none'> {
  const { app, live, instance, admitted, access } = inputs;
  // An Application may be among its own objects; it goes last, with its finalizer.
  const ours = [...live.objects.values()].filter(
    (object) => isOurs(object, instance, inputs.settings) && object.object.metadata.uid !== (app.metadata.uid ?? ''),
  );
  const permitted = ours.filter(
    ({ key }) => admitted.permits(key, access.resource(key.group, key.kind)?.namespaced).answer === 'allowed',
  );
  const approvedAt = Date.parse(app.metadata.annotations?.['argocd.argoproj.io/deletion-approved'] ?? '');
  const removal = planRemoval({
    finalizers: app.metadata.finalizers ?? [],
    objects: permitted,
    options: syncOptionsOf(app.spec.syncPolicy?.syncOptions ?? []),
    approved: approvedAt >= Date.parse(app.metadata.deletionTimestamp ?? ''),
  });
  switch (removal.next) {
    case 'delete':
      await carry(inputs, removal.tasks, world);
      return pollMs;
    case 'release':
      return release(inputs, removal.finalizer, world);
    case 'wait':
      return pollMs;
    case 'none':
      return 'none';
  }
}

/** Carries tasks out; what is refused stands on the Application, and is tried again. */
async function carry(inputs: Ready, tasks: readonly Task[], world: World): Promise<void> {
  const outcomes = await act(inputs, tasks, world);
  const failed = outcomes.filter(({ status }) => status === 'SyncFailed').map(({ message }) => message);
  await reportDeletion(inputs.app, [...new Set(failed)], world);
}

/** Everything a finalizer stood for is done: it may go. */
async function release({ app }: Ready, finalizer: string, world: World): Promise<undefined> {
  const finalizers = (app.metadata.finalizers ?? []).filter((each) => each !== finalizer);
  // Guarded: a finalizer somebody adds meanwhile is not lost.
  await world.patchApplication(app, { metadata: { finalizers } }, 'finalizers');
  return undefined;
}
