import type { ResourceResult } from '../api/index.ts';
import type { Health } from '../health/index.ts';
import { type KubeObject, kindText } from '../objects/index.ts';
import { type Item, isFailed, isPending, isPrune, isRunning } from './item.ts';
import { hookFinalizer } from './items.ts';
import { objectOptionsOf } from './options.ts';
import { terminated } from './retry.ts';
import { applyTask, deleteTask, needsConfirmation, pruneRefusal, releaseTask, type TaskOptions } from './tasks.ts';
import type { Task } from './types.ts';

/** What a sync was asked for, as far as its steps depend on it. */
export interface StepInput extends TaskOptions {
  readonly prune: boolean;
  readonly health: (object: KubeObject) => Health | undefined;
  /** A person approved prunes since the operation began. */
  readonly approved: boolean;
  readonly terminating: boolean;
  /** Apply also what matches already, as Argo CD does; by default it is reported without a call. */
  readonly applyAll: boolean;
}

/**
 * What to do next in a sync. `run`: carry out the tasks, then ask again. `wait`: nothing until a live object changes.
 * `end`: the operation is over once the tasks (cleaning up) are carried out.
 */
export type Step =
  | {
      readonly next: 'run';
      readonly tasks: readonly Task[];
      readonly results: readonly ResourceResult[];
      readonly final: boolean;
    }
  | {
      readonly next: 'wait';
      readonly message: string;
      readonly tasks: readonly Task[];
      readonly results: readonly ResourceResult[];
    }
  | {
      readonly next: 'end';
      readonly phase: 'Succeeded' | 'Failed';
      readonly message: string;
      readonly tasks: readonly Task[];
      readonly results: readonly ResourceResult[];
    };

/** What one step looks at. */
export interface Sight {
  /** In order: what is under way, and at least the first wave that is pending; all of them once none is or one has failed. */
  readonly items: readonly Item[];
  /** Of all items. */
  readonly results: readonly ResourceResult[];
  readonly multiStep: boolean;
  /** More waves are pending than those in sight. */
  readonly later: boolean;
}

/** One step of a sync, from what the last one led to: waits, ends, or runs exactly one wave of one phase. */
export function stepOver({ items, results, multiStep, later }: Sight, input: StepInput): Step {
  if (input.terminating) return terminate(items, results, input);
  const releases = releaseFinished(items, input);
  const waiting = awaited(items, multiStep);
  if (waiting !== undefined) return { next: 'wait', message: waiting, tasks: releases, results };
  if (items.some(stopsSync)) return fail(items, results, releases, input);
  const pending = items.filter(isDue);
  const first = pending[0];
  if (first === undefined) return succeed(items, results, releases, input);
  const wave = pending.filter((item) => item.phase === first.phase && item.wave === first.wave);
  const final = !later && wave.length === pending.length;
  return runWave(wave, { results, releases, final, multiStep, input });
}

/** Still to be run where all goes well. */
export const isDue = (item: Item): boolean => isPending(item) && item.phase !== 'SyncFail';

/** Failed in a way that fails the sync. */
export const stopsSync = (item: Item): boolean => isFailed(item) && item.phase !== 'SyncFail';

/** Whether a step must look at an item that is not pending any more. */
export const isUnderWay = (item: Item): boolean => isRunning(item) || isGoing(item) || isToRelease(item);

/** With one phase and one wave there is no "after": nothing waits for health, except for hooks. */
export function isMultiStep(items: readonly Item[]): boolean {
  const [first, last] = [items[0], items.at(-1)];
  return first !== undefined && last !== undefined && (first.phase !== last.phase || first.wave !== last.wave);
}

function awaited(items: readonly Item[], multiStep: boolean): string | undefined {
  const running = items.filter((item) => isRunning(item) && (multiStep || item.hook !== undefined));
  if (running.length > 0) {
    const hooks = running.filter(({ hook }) => hook !== undefined);
    return hooks.length > 0
      ? waitingFor('completion of hook', hooks, 'hooks')
      : waitingFor('healthy state of', running, 'resources');
  }
  const going = items.filter(isGoing);
  return going.length > 0 ? waitingFor('deletion of', going, 'resources') : undefined;
}

/** Pruned, and still there. */
function isGoing({ target, result, live }: Item): boolean {
  const pruned = target === undefined && result?.status === 'Pruned';
  return pruned && live?.object.metadata.deletionTimestamp !== undefined;
}

function waitingFor(what: string, items: readonly Item[], noun: string): string {
  const { group, kind, name } = items[0]?.key ?? { group: '', kind: '', name: '' };
  const more = items.length > 1 ? ` and ${items.length - 1} more ${noun}` : '';
  return `waiting for ${what} ${group}/${kind}/${name}${more}`;
}

interface WaveContext {
  readonly results: readonly ResourceResult[];
  readonly releases: readonly Task[];
  /** No other wave is pending. */
  readonly final: boolean;
  readonly multiStep: boolean;
  readonly input: StepInput;
}

function runWave(wave: readonly Item[], { results, releases, final, multiStep, input }: WaveContext): Step {
  const unapproved = wave.filter(
    (item) => mayPrune(item, input) && needsConfirmation(item, input.options) && !input.approved,
  );
  if (unapproved.length > 0) {
    return {
      next: 'wait',
      message: waitingFor('pruning confirmation of', unapproved, 'resources'),
      tasks: releases,
      results,
    };
  }
  const stale = wave.filter(isStale);
  // A hook of the last sync goes before its successor of the same name can come: in a step of its own.
  if (stale.length > 0 && !input.dryRun) return makeRoom(stale, results, releases, input);
  const skipped = wave.flatMap((item) => skippedResult(item, multiStep, input));
  const tasks = wave.flatMap((item) => tasksOf(item, input));
  return {
    next: 'run',
    tasks: [...releases, ...tasks],
    results: [...results, ...skipped],
    final: final && wave.every(({ hook }) => hook === undefined),
  };
}

/** A hook of an earlier sync stands where a new one is to come. */
const isStale = ({ hook, live }: Item): boolean =>
  hook?.policies.includes('BeforeHookCreation') === true && live !== undefined;

function makeRoom(
  stale: readonly Item[],
  results: readonly ResourceResult[],
  releases: readonly Task[],
  input: StepInput,
): Step {
  const tasks = stale.flatMap((item) => [...release(item), ...some(deleteTask(item, 'hook', input))]);
  return {
    next: 'wait',
    message: waitingFor('deletion of hook', stale, 'hooks'),
    tasks: [...releases, ...tasks],
    results,
  };
}

const mayPrune = (item: Item, { prune, options }: StepInput): boolean =>
  isPrune(item) && pruneRefusal(item, prune, options) === undefined;

function tasksOf(item: Item, input: StepInput): Task[] {
  if (isPrune(item)) return mayPrune(item, input) ? some(deleteTask(item, 'prune', input)) : [];
  // What stands there goes nowhere in a dry run, so nothing can be tried out in its place.
  if (needsNothing(item, input) || (input.dryRun && isStale(item))) return [];
  return some(applyTask(item, input));
}

function needsNothing(item: Item, input: StepInput): boolean {
  return item.hook === undefined && !item.modified && !input.applyAll && !isMadeAnew(item);
}

/** Whoever asks for an object to be replaced by force wants it made anew by every sync, such as a Job that is to run again. */
function isMadeAnew({ target, live }: Item): boolean {
  const [own, there] = [objectOptionsOf(target?.object), objectOptionsOf(live?.object)];
  return (own.replace || there.replace) && (own.force || there.force);
}

/**
 * Results of what is settled without a call: matches already, may not be pruned, or is going already. Where later waves
 * depend on it, an object that matches still has to be seen healthy.
 */
function skippedResult(item: Item, multiStep: boolean, input: StepInput): ResourceResult[] {
  const { group, kind, namespace, name } = item.key;
  const row = (status: string, message: string, hookPhase = 'Succeeded'): ResourceResult[] => [
    {
      ...{ group, version: item.version, kind, namespace, name, status, message },
      ...(item.hook === undefined ? {} : { hookType: item.phase }),
      ...{ hookPhase, syncPhase: item.phase },
    },
  ];
  if (isPrune(item)) {
    const refusal = pruneRefusal(item, input.prune, input.options);
    if (refusal !== undefined) return row('PruneSkipped', refusal);
    return item.live?.object.metadata.deletionTimestamp === undefined ? [] : row('Pruned', 'pruned');
  }
  if (input.dryRun && isStale(item)) return row('Synced', `${kindText(item.key)}/${name} is to be made anew`);
  if (!needsNothing(item, input)) return [];
  const waits = multiStep && !input.dryRun;
  return row('Synced', `${kindText(item.key)}/${name} unchanged`, waits ? 'Running' : 'Succeeded');
}

function fail(
  items: readonly Item[],
  results: readonly ResourceResult[],
  releases: readonly Task[],
  input: StepInput,
): Step {
  const rescue = items.filter((item) => item.phase === 'SyncFail' && isPending(item));
  if (rescue.length > 0) {
    const stale = rescue.filter(isStale);
    if (stale.length > 0 && !input.dryRun) return makeRoom(stale, results, releases, input);
    return {
      next: 'run',
      tasks: [...releases, ...rescue.flatMap((item) => tasksOf(item, input))],
      results: [...results, ...rescue.flatMap((item) => skippedResult(item, true, input))],
      final: false,
    };
  }
  // What is finished is among the releases already; a second one would meet the version the first has made.
  const cleanup = items.flatMap((item) =>
    item.hook?.policies.includes('HookFailed')
      ? [...(isPending(item) && !input.dryRun ? release(item) : []), ...some(deleteTask(item, 'hook', input))]
      : [],
  );
  return { next: 'end', phase: 'Failed', message: failureMessage(items), tasks: [...releases, ...cleanup], results };
}

function failureMessage(items: readonly Item[]): string {
  const failed = items.filter(isFailed);
  const refused = failed.filter(({ result }) => result?.status === 'SyncFailed');
  const reasons = [
    ...new Set((refused.length > 0 ? refused : failed).map(({ result }) => result?.message ?? '')),
  ].filter((text) => text !== '');
  const head =
    refused.length > 0
      ? 'one or more objects failed to apply'
      : 'one or more synchronization tasks completed unsuccessfully';
  return reasons.length === 0 ? head : `${head}, reason: ${reasons.join(',')}`;
}

function succeed(
  items: readonly Item[],
  results: readonly ResourceResult[],
  releases: readonly Task[],
  input: StepInput,
): Step {
  const cleanup = items.flatMap((item) =>
    item.hook?.policies.includes('HookSucceeded') ? some(deleteTask(item, 'hook', input)) : [],
  );
  return {
    next: 'end',
    phase: 'Succeeded',
    message: 'successfully synced (no more tasks)',
    tasks: [...releases, ...cleanup],
    results,
  };
}

/** Somebody stops the operation: hooks that still run are removed, nothing else is touched. */
function terminate(items: readonly Item[], results: readonly ResourceResult[], input: StepInput): Step {
  const running = items.filter((item) => item.hook !== undefined && isRunning(item) && item.live !== undefined);
  const tasks = running.flatMap((item) => [...release(item), ...some(deleteTask(item, 'terminate', input))]);
  return { next: 'end', phase: 'Failed', message: terminated, tasks, results };
}

/** Hooks whose result is known no longer need to be kept; what is only tried out keeps its finalizers. */
function releaseFinished(items: readonly Item[], { dryRun }: StepInput): Task[] {
  return dryRun ? [] : items.filter(isToRelease).flatMap(release);
}

function isToRelease(item: Item): boolean {
  return item.hook !== undefined && !isPending(item) && !isRunning(item) && isHeld(item);
}

function isHeld({ live }: Item): boolean {
  return live?.object.metadata.finalizers?.includes(hookFinalizer) === true;
}

function release(item: Item): Task[] {
  return isHeld(item) ? some(releaseTask(item)) : [];
}

function some<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}
