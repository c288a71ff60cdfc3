import { ArgosyError } from '../../core/errors/index.ts';
import { stringAt } from '../../core/json/index.ts';
import { asJson, kindText, type ObjectMeta, printKey } from '../../core/objects/index.ts';
import type { Outcome, Task } from '../../core/sync/index.ts';
import { carryOut } from './carry-out.ts';
import { Coming } from './coming-kinds.ts';
import { changedText, sameFooting } from './footing.ts';
import { keyOfApplication, type Ready } from './gather.ts';
import { inLanes, spareIn } from './lanes.ts';
import type { World } from './world.ts';

/** For whom tasks are carried out, and what the policy said when the pass began. */
type Actor = Pick<Ready, 'app' | 'access' | 'admitted' | 'sources'>;

/**
 * Carries tasks out, each permitted once more on the newest snapshot; one outcome per task, in their order. Neighbours of
 * one kind are under way at once, kinds come one after the other, as in Argo CD: whatever the order of kinds puts first has
 * been answered before the next begins.
 */
export async function act(actor: Actor, tasks: readonly Task[], world: World): Promise<Outcome[]> {
  const errand = new Errand(actor, world);
  const width = { spare: spareIn(actor.admitted.cluster, world), most: () => errand.width };
  const outcomes: Outcome[] = [];
  for (const group of groupsOf(tasks)) outcomes.push(...(await inLanes(group, (task) => errand.run(task), width)));
  return outcomes;
}

/** Neighbours that may be under way at once; no object is among them twice. */
function groupsOf(tasks: readonly Task[]): readonly (readonly Task[])[] {
  if (tasks.length < 2) return [tasks];
  const groups: Task[][] = [];
  let place = '';
  let keys = new Set<string>();
  for (const task of tasks) {
    const [here, key] = [placeOf(task), printKey(task.key)];
    const last = groups.at(-1);
    if (last !== undefined && here === place && !keys.has(key)) last.push(task);
    else {
      groups.push([task]);
      place = here;
      keys = new Set();
    }
    keys.add(key);
  }
  return groups;
}

function placeOf(task: Task): string {
  const { act: what, phase, wave, key } = task;
  // A deletion takes a whole wave at once, whatever the kinds.
  const kind = task.act === 'delete' && task.why === 'cascade' ? '' : kindText(key);
  return `${what} ${phase} ${wave} ${kind}`;
}

/** So many calls in a row without an answer say enough: the rest of a wave would wait out its deadline, too. */
const unansweredInARow = 3;

/** What one step has found out so far while its tasks are carried out. */
class Errand {
  readonly #actor: Actor;
  readonly #world: World;
  readonly #coming: Coming;
  readonly #written = new Map<string, ObjectMeta>();
  #unanswered = 0;
  #isAnswered = false;
  #away: Outcome | undefined;

  constructor(actor: Actor, world: World) {
    this.#actor = actor;
    this.#world = world;
    this.#coming = new Coming(actor);
  }

  /** How many tasks to begin at once: before the first answer no more than it takes to learn that there is none. */
  get width(): number {
    return this.#isAnswered ? Number.POSITIVE_INFINITY : unansweredInARow;
  }

  async run(task: Task): Promise<Outcome> {
    goOn(this.#actor, this.#world);
    if (this.#away !== undefined) return { ...this.#away, task };
    await this.#coming.settle(task);
    // Others have been carried out meanwhile: the last word is said right before the write.
    goOn(this.#actor, this.#world);
    const outcome = await actOne(this.#actor, this.#afterOwn(task), this.#world);
    this.#note(outcome);
    return outcome;
  }

  #note(outcome: Outcome): void {
    const { task, object, passing } = outcome;
    if (object !== undefined) this.#written.set(printKey(task.key), object.metadata);
    this.#isAnswered ||= passing !== true;
    this.#unanswered = passing === true ? this.#unanswered + 1 : 0;
    if (this.#unanswered >= unansweredInARow) this.#away = outcome;
  }

  /** A delete right after a write of ours means the object that write left behind, not the one before it. */
  #afterOwn(task: Task): Task {
    if (task.act !== 'delete') return task;
    const written = this.#written.get(printKey(task.key));
    if (written?.uid !== task.uid || written.resourceVersion === undefined) return task;
    return { ...task, resourceVersion: written.resourceVersion };
  }
}

/**
 * A wave may have thousands of tasks: who stops the operation, or us, waits for those under way and not for all. It is as if
 * we had been killed between two: what was done is found by the next pass, which ends the operation.
 */
function goOn({ app }: Actor, world: Pick<World, 'application' | 'controlPlane' | 'stopping'>): void {
  if (world.stopping()) throw new ArgosyError('cancelled', 'the controller stops; it goes on when it is back');
  if (app.status?.operationState?.phase === 'Terminating') return;
  const newest = world.application(keyOfApplication(app, world.controlPlane));
  if (newest !== undefined && stringAt(asJson(newest), 'status', 'operationState', 'phase') === 'Terminating')
    throw new ArgosyError('cancelled', 'the operation is being terminated');
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
