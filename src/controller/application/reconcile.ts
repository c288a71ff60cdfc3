import type { OperationState } from '../../core/api/index.ts';
import type { Comparison } from '../../core/diff/index.ts';
import { isArgosyError } from '../../core/errors/index.ts';
import { automate, paceOf, terminated, withDeleteHookFinalizers } from '../../core/sync/index.ts';
import { refusedForMs } from './closeup.ts';
import { compareInTurns, comparingOf } from './comparing.ts';
import { type Decision, decide } from './decide.ts';
import { leaveFooting, lostFooting } from './footing.ts';
import { gather, keyOfApplication, type Ready, renderSources, type Sources, see } from './gather.ts';
import { withNamespaceStatus } from './namespace.ts';
import { remove } from './removal.ts';
import { checkpoint, confirmOperation, report, reportRefusal, reportUnreachable } from './report.ts';
import { type Progress, runSync } from './sync.ts';
import { timeText } from './time.ts';
import { withoutSyncStatus } from './unread.ts';
import type { World } from './world.ts';

/** How long to wait for hooks and waves where no watch tells. */
const pollMs = 1000;

/** How soon to look again after somebody else took the Application over. */
const soonMs = 1000;

/** One pass over one Application: gather, decide, act, report. Answers when to look again, if not on an event. */
export async function reconcile(key: string, world: World): Promise<number | undefined> {
  try {
    return await pass(key, world);
  } catch (error) {
    // Not a fault: as if we had been stopped in the middle, with what was done so far found by whoever goes on.
    if (!isArgosyError(error) || error.code !== 'kube-conflict') throw error;
    world.log.info('somebody else has changed the Application; looking again', { application: key });
    return soonMs;
  }
}

async function pass(key: string, world: World): Promise<number | undefined> {
  const inputs = await gather(key, world);
  if (inputs.state === 'gone') return undefined;
  if (inputs.state === 'refused') {
    await reportRefusal(inputs.app, inputs.condition, inputs.message, world);
    return undefined;
  }
  if (inputs.state === 'unreachable') {
    await reportUnreachable(inputs.app, inputs.error, world);
    // The queue tries again, ever more rarely, and logs what the cluster or the way to it said.
    throw inputs.error;
  }
  // The watch brings the Application back with its new finalizers; nothing is applied before that.
  if (await keepForHooks(inputs, world)) return undefined;
  const decision = await decide(inputs, world);
  switch (decision.next) {
    case 'say':
      return earlier(
        await report(inputs, decision, world),
        decision.againInMs ?? (inputs.unsure ? refusedForMs : undefined),
      );
    case 'sync':
      return sync(inputs, decision, world);
    case 'remove':
      return remove(inputs, world);
    case 'nothing':
      return undefined;
  }
}

async function sync(
  inputs: Ready,
  { state, fresh, comparison: before }: Extract<Decision, { next: 'sync' }>,
  world: World,
): Promise<number | undefined> {
  const key = keyOfApplication(inputs.app, world.controlPlane);
  const elsewhere = isAnybodys(state, fresh) ? 0 : world.operations.elsewhereFor(key, world.now());
  if (elsewhere > 0) return elsewhere;
  if (fresh) world.operations.begin(key, state.startedAt ?? '', world.now());
  const verdict = inputs.admitted.permitsOperation(state.operation);
  const sources =
    verdict.answer === 'allowed'
      ? await pinnedSources(inputs, state, world)
      : { ...inputs.sources, error: verdict.message };
  const lost = lostFooting(key, state, inputs.admitted, world);
  let { app } = inputs;
  const store = async (so: OperationState): Promise<void> => {
    app = await checkpoint(app, so, world);
  };
  const confirm = async (): Promise<void> => {
    app = await confirmOperation(app, world);
  };
  const failure = lost ?? sources.error;
  const progress: Progress =
    failure === undefined
      ? await runSync(
          await seen(inputs, sources, world),
          { state: pinnedTo(state, sources), sources, comparison: before, checkpoint: store, confirm },
          world,
        )
      : {
          state: withoutSources(state, failure, timeText(world.now())),
          live: inputs.live,
          predicted: inputs.predicted,
          touched: new Set(),
        };
  if (progress.state.phase !== 'Running') leaveFooting(key, world);
  // Synced needs evidence: the answers of the API server stand for the objects it has just written.
  const predicted = sources === inputs.sources ? progress.predicted : undefined;
  const compared = await comparedAfter(
    { ...inputs, predicted },
    progress,
    sources === inputs.sources ? before : undefined,
  );
  const comparison = compared === undefined ? undefined : withNamespaceStatus(compared, app, progress.state);
  const syncError = lastWord({ ...inputs, app }, comparison, progress.state, world);
  const said = comparison === undefined ? undefined : withoutSyncStatus(comparison, inputs);
  const held = await report({ ...inputs, app }, { comparison: said, operationState: progress.state, syncError }, world);
  if (progress.state.phase !== 'Running') world.operations.over(key);
  // A deletion that waited for this operation goes on; the echo of our own write wakes nobody.
  const isAwaited = progress.state.phase === 'Running' || app.metadata.deletionTimestamp !== undefined;
  return earlier(held, progress.againInMs ?? (isAwaited ? pollMs : undefined));
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

/** Whoever asks for a sync, or for its end, waits for no other controller that is at work on this Application. */
function isAnybodys({ phase, operation }: OperationState, fresh: boolean): boolean {
  return phase === 'Terminating' || (fresh && operation.initiatedBy?.automated !== true);
}

/** The newest targets with what is there now; without targets nothing can be told. */
async function comparedAfter(
  inputs: Ready,
  { live, touched }: Progress,
  before: Comparison | undefined,
): Promise<Comparison | undefined> {
  if (inputs.sources.error !== undefined) return undefined;
  const known = before === undefined ? undefined : { comparison: before, changed: touched };
  return compareInTurns(inputs.sources.targets, live, comparingOf(inputs), known);
}

/** Without manifests there is nothing to do: what somebody has stopped is over, all else has failed. */
function withoutSources(state: OperationState, error: string, finishedAt: string): OperationState {
  if (state.phase === 'Terminating') return { ...state, phase: 'Failed', message: terminated, finishedAt };
  return { ...state, phase: 'Error', message: error, finishedAt };
}

/** Why an automatic sync that has just ended will not be tried again; nobody would look a second time to say it. */
function lastWord(
  inputs: Ready,
  comparison: Comparison | undefined,
  state: OperationState,
  world: World,
): string | undefined {
  if (comparison === undefined || state.phase === 'Running' || state.operation.initiatedBy?.automated !== true)
    return undefined;
  const { operation: _over, ...app } = inputs.app;
  const { revision, revisions } = inputs.sources;
  const ended = { ...app, status: { ...app.status, operationState: state } };
  const next = automate({
    app: ended,
    comparison,
    revision,
    revisions,
    now: world.now(),
    pace: paceOf(world.params()),
  });
  return next.start ? undefined : next.error;
}

/** The inputs of a sync of other targets than the newest: these must be looked at, too. */
async function seen(inputs: Ready, sources: Sources, world: World): Promise<Ready> {
  if (sources === inputs.sources) return inputs;
  const { live, predicted, unsure } = await see(inputs, sources.targets, world);
  const objects = new Map([...inputs.live.objects, ...live.objects]);
  return { ...inputs, live: { objects, unknown: live.unknown }, predicted, unsure };
}

/** The revision that an operation's own wish was found to mean stands in its result, and is kept from then on. */
function pinnedTo(state: OperationState, { revision, revisions }: Sources): OperationState {
  const { syncResult } = state;
  if (syncResult?.revision !== undefined || syncResult?.revisions !== undefined) return state;
  return { ...state, syncResult: { ...syncResult, ...(revisions === undefined ? { revision } : { revisions }) } };
}

/** An operation keeps to the sources and revisions it began with, whatever the newest are. */
async function pinnedSources(
  inputs: Ready,
  state: Extract<Decision, { next: 'sync' }>['state'],
  world: World,
): Promise<Sources> {
  const { source, sources, revision, revisions } = state.operation.sync ?? {};
  const pinned = state.syncResult?.revision ?? revision;
  const same =
    source === undefined &&
    sources === undefined &&
    (pinned === undefined || pinned === '' || pinned === inputs.sources.revision);
  if (same && (revisions === undefined || inputs.sources.revisions !== undefined)) return inputs.sources;
  return renderSources(inputs, world, {
    revision: pinned,
    revisions,
    source,
    sources,
  });
}

/** Hooks of deletion need a finalizer while there are any: it must stand before the Application can be deleted. */
async function keepForHooks({ app, sources }: Ready, world: World): Promise<boolean> {
  if (sources.error !== undefined || app.metadata.deletionTimestamp !== undefined) return false;
  const before = app.metadata.finalizers ?? [];
  const finalizers = withDeleteHookFinalizers(before, sources.targets);
  if (finalizers.length === before.length && finalizers.every((each) => before.includes(each))) return false;
  await world.patchApplication(app, { metadata: { finalizers } }, 'finalizers');
  return true;
}
