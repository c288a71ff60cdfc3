import { ArgosyError } from '../../core/errors/index.ts';
import { stringAt } from '../../core/json/index.ts';
import { asJson, kindText, printKey } from '../../core/objects/index.ts';
import type { Outcome, Task } from '../../core/sync/index.ts';
import { carryOut } from './carry-out.ts';
import { Coming } from './coming-kinds.ts';
import { changedText, sameFooting } from './footing.ts';
import { keyOfApplication, type Ready } from './gather.ts';
import type { World } from './world.ts';

/** For whom tasks are carried out, and what the policy said when the pass began. */
type Actor = Pick<Ready, 'app' | 'access' | 'admitted' | 'sources'>;

/** Carries tasks out one after the other, each permitted once more on the newest snapshot; one outcome per task. */
export async function act(actor: Actor, tasks: readonly Task[], world: World): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const coming = new Coming(actor);
  for (const task of tasks) {
    goOn(actor, world);
    const away = whoIsAway(outcomes);
    if (away !== undefined) {
      outcomes.push({ ...away, task });
      continue;
    }
    await coming.settle(task);
    outcomes.push(await actOne(actor, afterOwn(task, outcomes), world));
  }
  return outcomes;
}

/** So many calls in a row without an answer say enough: the rest of a wave would wait out its deadline, too. */
const unansweredInARow = 3;

function whoIsAway(outcomes: readonly Outcome[]): Outcome | undefined {
  const last = outcomes.slice(-unansweredInARow);
  return last.length === unansweredInARow && last.every(({ passing }) => passing === true) ? last.at(-1) : undefined;
}

/**
 * A wave may have thousands of tasks: who stops the operation, or us, waits for one of them and not for all. It is as if
 * we had been killed between two: what was done is found by the next pass, which ends the operation.
 */
function goOn({ app }: Actor, world: Pick<World, 'application' | 'controlPlane' | 'stopping'>): void {
  if (world.stopping()) throw new ArgosyError('cancelled', 'the controller stops; it goes on when it is back');
  if (app.status?.operationState?.phase === 'Terminating') return;
  const newest = world.application(keyOfApplication(app, world.controlPlane));
  if (newest !== undefined && stringAt(asJson(newest), 'status', 'operationState', 'phase') === 'Terminating')
    throw new ArgosyError('cancelled', 'the operation is being terminated');
}

/** A delete right after a write of ours means the object that write left behind, not the one before it. */
function afterOwn(task: Task, outcomes: readonly Outcome[]): Task {
  if (task.act !== 'delete') return task;
  const written = outcomes.findLast((outcome) => printKey(outcome.task.key) === printKey(task.key))?.object?.metadata;
  if (written?.uid !== task.uid || written.resourceVersion === undefined) return task;
  return { ...task, resourceVersion: written.resourceVersion };
}

async function actOne({ app, access, admitted }: Actor, task: Task, world: World): Promise<Outcome> {
  const refused = (message: string): Outcome => ({ task, status: 'SyncFailed', message });
  const admission = world.admit(app);
  if (admission.answer === 'ignored') return refused('the namespace of the Application is no longer watched');
  if (admission.answer === 'refused') return refused(admission.message);
  if (!sameFooting(admitted, admission)) return refused(changedText(admitted, admission));
  const resource = access.resource(task.key.group, task.key.kind);
  if (resource === undefined) return refused(`the cluster does not serve ${kindText(task.key)}`);
  const verdict = admission.permits(task.key, resource.namespaced);
  if (verdict.answer !== 'allowed') return refused(verdict.message);
  if (task.act !== 'apply') return carryOut(task, resource, access.as(admission.identity));
  // It is written in the version of its manifest, whichever the cluster prefers.
  const outcome = await carryOut(task, { ...resource, version: task.version }, access.as(admission.identity));
  if (outcome.code !== 'kube-not-found' || task.version === resource.version) return outcome;
  const served = `the cluster serves ${kindText(task.key)} as ${resource.version}`;
  return { ...outcome, message: `${outcome.message}; ${served}` };
}
