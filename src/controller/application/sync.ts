import type { OperationState } from '../../core/api/index.ts';
import type { Comparison, Live } from '../../core/diff/index.ts';
import { kindText, type ObjectKey, printKey, roleOf } from '../../core/objects/index.ts';
import {
  announce,
  Course,
  type CourseInput,
  endedState,
  type Item,
  itemsOf,
  type Outcome,
  overdueReason,
  resultsAfter,
  resultsFound,
  type Step,
  type SyncOptions,
  syncOptionsOf,
  terminated,
} from '../../core/sync/index.ts';
import { act } from './act.ts';
import { compareInTurns, comparingOf } from './comparing.ts';
import { keyOfApplication, type Ready, type Sources } from './gather.ts';
import { Ground, type Known } from './ground.ts';
import { namespaceItems } from './namespace.ts';
import { type RefusedItem, refusals } from './precheck.ts';
import { timeText } from './time.ts';
import { Turns } from './turns.ts';
import type { World } from './world.ts';

/** Where a sync stands after this pass. */
export interface Progress extends Known {
  readonly state: OperationState;
  /** When to go on, where a step is to be taken again. */
  readonly againInMs?: number | undefined;
}

/** What a sync is made of besides the Application: the sources it is pinned to, and how to store how far it came. */
export interface SyncParts {
  readonly state: OperationState;
  readonly sources: Sources;
  /** Of the newest sources with what is there, if that was made already. */
  readonly comparison?: Comparison | undefined;
  readonly checkpoint: (state: OperationState) => Promise<void>;
  /** Makes sure that nobody else has taken the operation further; throws `kube-conflict` otherwise. */
  readonly confirm: () => Promise<void>;
}

/** Every step settles at least one object: a chain that is longer by more than this is a loop of ours, not a sync. */
const stepsToSpare = 10;

/**
 * Takes a sync as far as it goes without waiting: one wave after the other. `checkpoint` stores the state before a hook
 * starts and at each boundary between waves, so that a restart continues and repeats no hook.
 */
export async function runSync(inputs: Ready, parts: SyncParts, world: World): Promise<Progress> {
  let { state } = parts;
  const ground = new Ground(inputs);
  const key = keyOfApplication(inputs.app, world.controlPlane);
  const pause = state.phase === 'Terminating' ? 0 : world.operations.pausesFor(key, world.now());
  if (pause > 0) return { state, ...ground.known, againInMs: pause };
  const comparison = await comparisonFor(inputs, parts);
  const items = itemsFor(inputs, parts, comparison);
  const stopped = stoppedAtOnce(inputs, { items, comparison, state }, world);
  if (stopped !== undefined) return { state: stopped, ...ground.known };
  const course = new Course(courseInput(inputs, items, state, world));
  const turns = new Turns();
  for (let steps = 0; steps < course.size + stepsToSpare; steps++) {
    const step = course.next();
    if (needsCheckpoint(step, state)) await parts.checkpoint(withResults(state, announce(step.results, step.tasks)));
    else if (makesRoom(step)) await parts.confirm();
    const outcomes = await act({ ...inputs, sources: parts.sources }, step.tasks, world);
    ground.answered(outcomes);
    const away = waitForServer(inputs, state, outcomes, world);
    if (away !== undefined)
      return { state: heldUp(state, step, outcomes, unheardBy(inputs, world)), ...ground.known, againInMs: away };
    course.after(outcomes);
    state = advance(withResults(state, course.results()), step, outcomes, () => timeText(world.now()));
    if (step.next !== 'run' || state.finishedAt !== undefined) return { state, ...ground.known };
    const delay = step.tasks.length === 0 ? 0 : waveDelay(world);
    if (delay > 0) {
      world.operations.pause(key, world.now() + delay);
      return { state, ...ground.known, againInMs: delay };
    }
    await turns.over();
  }
  throw new Error(`the sync of ${inputs.instance} does not end`);
}

/** What was compared before is as good where the operation is about the same sources and asks for nothing else. */
async function comparisonFor(inputs: Ready, { sources, state, comparison }: SyncParts): Promise<Comparison> {
  const asked = state.operation.sync?.syncOptions;
  const usual = inputs.app.spec.syncPolicy?.syncOptions;
  const same = sources === inputs.sources && String(asked ?? usual) === String(usual);
  if (same && comparison !== undefined) return comparison;
  return compareInTurns(sources.targets, inputs.live, comparingOf(inputs, asked));
}

/** Nothing is applied unless everything may be: half an Application helps nobody. */
function stoppedAtOnce(
  inputs: Ready,
  { items, comparison, state }: { items: readonly Item[]; comparison: Comparison; state: OperationState },
  world: World,
): OperationState | undefined {
  const now = (): string => timeText(world.now());
  const refused = (state.syncResult?.resources ?? []).length === 0 ? refusals(items, inputs, optionsOf(state)) : [];
  if (refused.length > 0) return invalid(state, refused, now());
  const shared = sharedStop(comparison, state);
  return shared === undefined ? undefined : { ...state, phase: 'Failed', message: shared, finishedAt: now() };
}

/** The pause between waves, where somebody asks for one: by itself each wave is seen healthy before the next. */
function waveDelay(world: World): number {
  const { data, syncWaveDelay } = world.params();
  return data.has('controller.sync.wave.delay.seconds') ? syncWaveDelay : 0;
}

const optionsOf = ({ operation }: OperationState): SyncOptions => syncOptionsOf(operation.sync?.syncOptions ?? []);

/** How long to wait before the step is taken again; undefined where the server answered, or has been away too long. */
function waitForServer(
  inputs: Ready,
  { phase }: OperationState,
  outcomes: readonly Outcome[],
  world: World,
): number | undefined {
  const { patience } = world;
  noticeFaults(inputs, outcomes, world);
  // Whoever stops an operation does not wait for anybody.
  if (phase !== 'Terminating' && outcomes.some(unheardBy(inputs, world))) return patience.next(inputs.instance);
  const isWell = outcomes.some(({ status }) => status !== 'SyncFailed');
  if (outcomes.length > 0) patience.over(inputs.instance, isWell ? scopesOf(inputs, world) : []);
  return undefined;
}

function noticeFaults(inputs: Ready, outcomes: readonly Outcome[], world: World): void {
  const [own, cluster] = scopesOf(inputs, world);
  const codes = outcomes.filter(({ passing }) => passing).map(({ code }) => code);
  if (codes.length > 0) world.patience.faulted(own);
  // A tenant can make its own calls slow or failing, but cannot take a server away from others.
  if (codes.includes('kube-unreachable')) world.patience.faulted(cluster);
}

/** For whom a fault counts: the Application alone, and everybody on its cluster. */
function scopesOf({ app, admitted }: Ready, { controlPlane }: World): readonly [own: string, cluster: string] {
  return [keyOfApplication(app, controlPlane), admitted.cluster];
}

/** Tells the outcomes that say nothing about their objects. */
function unheardBy(inputs: Ready, world: World): (outcome: Outcome) => boolean {
  const { patience } = world;
  const scopes = scopesOf(inputs, world);
  return ({ passing, code, task }) => {
    // A delete means the object we saw: one that changed since, or another of its name, has to be looked at first.
    const stale = code === 'kube-conflict' && task.act !== 'apply';
    return passing === true || stale || (code === 'kube-forbidden' && patience.mayBeCold(scopes));
  };
}

/** As if we had been stopped in the middle of the step: hooks stay announced, and what was done is found when it goes on. */
function heldUp(
  state: OperationState,
  step: Step,
  outcomes: readonly Outcome[],
  isUnheard: (outcome: Outcome) => boolean,
): OperationState {
  const heard = outcomes.filter((outcome) => !isUnheard(outcome));
  const reason = outcomes.find(isUnheard)?.message ?? '';
  const before = step.next === 'run' ? announce(step.results, step.tasks) : step.results;
  return { ...withResults(state, resultsAfter(before, heard)), message: `waiting to try again: ${reason}` };
}

/** Where the options ask for it, an object of another Application stops the sync before anything is taken over. */
function sharedStop({ warnings = [] }: Comparison, { operation }: OperationState): string | undefined {
  if (!syncOptionsOf(operation.sync?.syncOptions ?? []).failOnSharedResource) return undefined;
  const shared = warnings.filter(({ type }) => type === 'SharedResourceWarning').map(({ message }) => message);
  return shared.length === 0 ? undefined : `Shared resource found: ${shared.join('; ')}`;
}

function itemsFor(inputs: Ready, { sources, state }: SyncParts, comparison: Comparison): readonly Item[] {
  const { live } = inputs;
  const sync = state.operation.sync ?? {};
  return itemsOf({
    objects: comparison.objects,
    hooks: sources.targets.filter(({ object }) => roleOf(object).role === 'hook'),
    extra: namespaceItems(inputs.app, sources, live, sync.syncOptions ?? []),
    liveOf: (key) => live.objects.get(key),
    sync,
    options: syncOptionsOf(sync.syncOptions ?? []),
    results: state.syncResult?.resources ?? [],
    revision: state.syncResult?.revision ?? '',
    startedAt: Math.floor(Date.parse(state.startedAt ?? '') / 1000),
  });
}

function courseInput({ app, live }: Ready, items: readonly Item[], state: OperationState, world: World): CourseInput {
  const sync = state.operation.sync ?? {};
  const annotations = app.metadata.annotations ?? {};
  const approvedAt = Date.parse(annotations['argocd.argoproj.io/deletion-approved'] ?? '');
  return {
    items,
    before: resultsFound(state.syncResult?.resources ?? [], (key) => isGoneFrom(live, key)),
    prune: sync.prune === true,
    options: syncOptionsOf(sync.syncOptions ?? []),
    force: sync.syncStrategy?.apply?.force === true || sync.syncStrategy?.hook?.force === true,
    dryRun: sync.dryRun === true,
    migrationManager:
      annotations['argocd.argoproj.io/client-side-apply-migration-manager'] ?? 'kubectl-client-side-apply',
    health: (object) => world.health(object),
    approved: approvedAt >= Date.parse(state.startedAt ?? ''),
    terminating: state.phase === 'Terminating',
    applyAll: false,
  };
}

/** Surely not there: what could not be read is not gone. */
function isGoneFrom({ objects, unknown }: Live, key: ObjectKey): boolean {
  const text = printKey(key);
  return ![text, kindText(key), `${kindText(key)}:*`].some((what) => objects.has(what) || unknown.has(what));
}

/** Before a hook, and before every wave but the first: what was done so far must survive us. */
function needsCheckpoint(step: Step, state: OperationState): boolean {
  if (step.next !== 'run' || step.tasks.length === 0) return false;
  return step.tasks.some(({ hook }) => hook) || (state.syncResult?.resources ?? []).length > 0;
}

/** What looks like a hook of the last sync may be the fresh one of another controller, which must not be removed. */
function makesRoom({ next, tasks }: Step): boolean {
  return next === 'wait' && tasks.some(({ act: kind, hook }) => kind === 'delete' && hook);
}

type Results = Exclude<Exclude<OperationState['syncResult'], undefined>['resources'], undefined>;

function withResults(state: OperationState, resources: Results): OperationState {
  return { ...state, syncResult: { ...state.syncResult, resources } };
}

function invalid(state: OperationState, refused: readonly RefusedItem[], now: string): OperationState {
  const reasons = [...new Set(refused.map(({ message }) => message))].join('; ');
  const message = `one or more synchronization tasks are not valid: ${reasons}`;
  const results = withResults(
    state,
    refused.map(({ result }) => result),
  );
  const failed: OperationState = { ...results, phase: 'Failed', message, finishedAt: now };
  // A rule says the same at every attempt; what could not be told may be told at the next.
  return refused.some(({ unknown }) => unknown) ? endedState(failed, now) : failed;
}

function advance(state: OperationState, step: Step, outcomes: readonly Outcome[], now: () => string): OperationState {
  if (step.next === 'wait') return waiting(state, step.message, outcomes, now);
  if (step.next === 'end') {
    const overdue = state.phase === 'Terminating' && state.message === overdueReason;
    const message = overdue && step.message === terminated ? `${terminated}, ${overdueReason}` : step.message;
    return endedState({ ...state, phase: step.phase, message, finishedAt: now() }, now());
  }
  const failed = outcomes.some(({ status }) => status === 'SyncFailed');
  // The last wave without hooks waits for nobody's health.
  if (!step.final || failed) return state;
  return { ...settled(state), phase: 'Succeeded', message: 'successfully synced (all tasks run)', finishedAt: now() };
}

/** Waits, unless what it would wait for was refused: that will not come by itself. */
function waiting(
  state: OperationState,
  message: string,
  outcomes: readonly Outcome[],
  now: () => string,
): OperationState {
  const refused = outcomes.filter(({ task, code }) => task.act === 'delete' && code === 'kube-forbidden');
  if (refused.length === 0) return { ...state, message };
  const reasons = [...new Set(refused.map((outcome) => outcome.message))].join(',');
  const failure = `one or more synchronization tasks completed unsuccessfully, reason: ${reasons}`;
  return endedState({ ...state, phase: 'Failed', message: failure, finishedAt: now() }, now());
}

function settled(state: OperationState): OperationState {
  const rows = state.syncResult?.resources ?? [];
  return withResults(
    state,
    rows.map((row) => (row.hookPhase === 'Running' ? { ...row, hookPhase: 'Succeeded' } : row)),
  );
}
