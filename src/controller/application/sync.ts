import type { Operation, OperationState } from '../../core/api/index.ts';
import { type Comparison, compare, type Live } from '../../core/diff/index.ts';
import { assess } from '../../core/health/index.ts';
import { asJson, printKey } from '../../core/objects/index.ts';
import {
  type ItemsInput,
  itemsOf,
  nextStep,
  type Outcome,
  resultsAfter,
  roleOf,
  type Step,
  syncOptionsOf,
} from '../../core/sync/index.ts';
import { act } from './act.ts';
import type { Ready } from './gather.ts';
import type { World } from './world.ts';

/** Where a sync stands after this pass. */
export interface Progress {
  readonly state: OperationState;
  readonly live: Live;
  readonly comparison: Comparison;
}

/** A chain of steps longer than this is a loop of ours, not a sync: every step settles at least one object. */
const maxSteps = 10_000;

/**
 * Takes a sync as far as it goes without waiting: one wave after the other. `checkpoint` stores the state before a hook
 * starts and at each boundary between waves, so that a restart continues and repeats no hook.
 */
export async function runSync(
  inputs: Ready,
  operation: Operation,
  world: World,
  checkpoint: (state: OperationState) => Promise<void>,
): Promise<Progress> {
  let state = opened(inputs, operation, world.now());
  let live = inputs.live;
  for (let steps = 0; steps < maxSteps; steps++) {
    const comparison = compare(inputs.targets, live, { instance: inputs.instance });
    const step = nextStep(stepInput(inputs, comparison, live, state));
    if (needsCheckpoint(step, state)) await checkpoint(withResults(state, step.results));
    const outcomes = await act(inputs.app, step.tasks, inputs.access, world);
    live = after(live, outcomes);
    state = advance(withResults(state, resultsAfter(step.results, outcomes)), step, outcomes, world.now());
    if (step.next !== 'run' || state.phase !== 'Running') {
      return { state, live, comparison: compare(inputs.targets, live, { instance: inputs.instance }) };
    }
  }
  throw new Error(`the sync of ${inputs.instance} does not end`);
}

/** The state of the operation so far: resumed where it was left, else opened now. */
function opened({ app, revision }: Ready, operation: Operation, now: string): OperationState {
  const last = app.status?.operationState;
  if (last !== undefined && (last.phase === 'Running' || last.phase === 'Terminating') && last.finishedAt === undefined)
    return last;
  return {
    operation,
    phase: 'Running',
    message: '',
    startedAt: now,
    syncResult: { ...(revision === undefined ? {} : { revision }), resources: [] },
  };
}

function stepInput(
  inputs: Ready,
  comparison: Comparison,
  live: Live,
  state: OperationState,
): Parameters<typeof nextStep>[0] {
  const sync = state.operation.sync ?? {};
  const options = syncOptionsOf(sync.syncOptions ?? []);
  const items: ItemsInput = {
    objects: comparison.objects,
    hooks: inputs.targets.filter(({ object }) => roleOf(object).role === 'hook'),
    liveOf: (key) => live.objects.get(key),
    sync,
    options,
    results: state.syncResult?.resources ?? [],
    revision: state.syncResult?.revision ?? '',
    startedAt: Math.floor(Date.parse(state.startedAt ?? '') / 1000),
  };
  return {
    items: itemsOf(items),
    prune: sync.prune === true,
    options,
    force: sync.syncStrategy?.apply?.force === true || sync.syncStrategy?.hook?.force === true,
    dryRun: sync.dryRun === true,
    migrationManager: 'kubectl-client-side-apply',
    health: (object) => assess(asJson(object)),
    approved: false,
    terminating: state.phase === 'Terminating',
    applyAll: false,
  };
}

/** Before a hook, and before every wave but the first: what was done so far must survive us. */
function needsCheckpoint(step: Step, state: OperationState): boolean {
  if (step.next !== 'run' || step.tasks.length === 0) return false;
  return step.tasks.some(({ hook }) => hook) || (state.syncResult?.resources?.length ?? 0) > 0;
}

function withResults(
  state: OperationState,
  resources: NonNullable<OperationState['syncResult']>['resources'],
): OperationState {
  return { ...state, syncResult: { ...state.syncResult, ...(resources === undefined ? {} : { resources }) } };
}

function advance(state: OperationState, step: Step, outcomes: readonly Outcome[], now: string): OperationState {
  if (step.next === 'wait') return { ...state, message: step.message };
  if (step.next === 'end') return { ...state, phase: step.phase, message: step.message, finishedAt: now };
  const failed = outcomes.some(({ status }) => status === 'SyncFailed');
  // The last wave without hooks waits for nobody's health.
  if (step.final && !failed)
    return { ...settled(state), phase: 'Succeeded', message: 'successfully synced (all tasks run)', finishedAt: now };
  return state;
}

function settled(state: OperationState): OperationState {
  const rows = (state.syncResult?.resources ?? []).map((row) =>
    row.hookPhase === 'Running' ? { ...row, hookPhase: 'Succeeded' } : row,
  );
  return withResults(state, rows);
}

/** The live objects after the API server's answers: what it has just written is what is there. */
function after(live: Live, outcomes: readonly Outcome[]): Live {
  const objects = new Map(live.objects);
  for (const { task, status, object } of outcomes) {
    if (status === 'Pruned' && object === undefined) objects.delete(printKey(task.key));
    else if (object !== undefined) objects.set(printKey(task.key), { key: task.key, object });
  }
  return { objects, unknown: live.unknown };
}
