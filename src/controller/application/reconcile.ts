import type { OperationState } from '../../core/api/index.ts';
import { type Comparison, compare } from '../../core/diff/index.ts';
import { automate, defaultPace, withDeleteHookFinalizers } from '../../core/sync/index.ts';
import { refusedForMs } from './closeup.ts';
import { comparingOf } from './comparing.ts';
import { type Decision, decide } from './decide.ts';
import { leaveFooting, lostFooting } from './footing.ts';
import { gather, type Ready, renderSources, type Sources, see } from './gather.ts';
import { remove } from './removal.ts';
import { checkpoint, report, reportRefusal } from './report.ts';
import { type Progress, runSync } from './sync.ts';
import { timeText } from './time.ts';
import { withoutSyncStatus } from './unread.ts';
import type { World } from './world.ts';

/** How long to wait for hooks and waves where no watch tells. */
const pollMs = 1000;

/** One pass over one Application: gather, decide, act, report. Answers when to look again, if not on an event. */
export async function reconcile(key: string, world: World): Promise<number | undefined> {
  const inputs = await gather(key, world);
  if (inputs.state === 'gone') return undefined;
  if (inputs.state === 'refused') {
    await reportRefusal(inputs.app, inputs.condition, inputs.message, world);
    return undefined;
  }
  // The watch brings the Application back with its new finalizers; nothing is applied before that.
  if (await keepForHooks(inputs, world)) return undefined;
  const decision = decide(inputs, world.now());
  switch (decision.next) {
    case 'say':
      await report(inputs, decision, world);
      return decision.againInMs ?? (inputs.unsure ? refusedForMs : undefined);
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
  { state }: Extract<Decision, { next: 'sync' }>,
  world: World,
): Promise<number | undefined> {
  const verdict = inputs.admitted.permitsOperation(state.operation);
  const sources =
    verdict.answer === 'allowed'
      ? await pinnedSources(inputs, state, world)
      : { ...inputs.sources, error: verdict.message };
  const { namespace = world.controlPlane, name } = inputs.app.metadata;
  const key = `${namespace}/${name}`;
  const lost = lostFooting(key, state, inputs.admitted, world);
  let { app } = inputs;
  const store = async (so: OperationState): Promise<void> => {
    app = await checkpoint(app, so, world);
  };
  const failure = lost ?? sources.error;
  const progress: Progress =
    failure === undefined
      ? await runSync(await seen(inputs, sources, world), { state, sources, checkpoint: store }, world)
      : {
          state: { ...state, phase: 'Error', message: failure, finishedAt: timeText(world.now()) },
          live: inputs.live,
          predicted: inputs.predicted,
        };
  if (progress.state.phase !== 'Running') leaveFooting(key, world);
  // Synced needs evidence: the answers of the API server stand for the objects it has just written.
  const predicted = sources === inputs.sources ? progress.predicted : undefined;
  const comparison = compare(inputs.sources.targets, progress.live, comparingOf({ ...inputs, predicted }));
  const syncError = lastWord({ ...inputs, app }, comparison, progress.state, world.now());
  const said = withoutSyncStatus(comparison, inputs);
  await report({ ...inputs, app }, { comparison: said, operationState: progress.state, syncError }, world);
  return progress.againInMs ?? (progress.state.phase === 'Running' ? pollMs : undefined);
}

/** Why an automatic sync that has just ended will not be tried again; nobody would look a second time to say it. */
function lastWord(inputs: Ready, comparison: Comparison, state: OperationState, now: number): string | undefined {
  if (state.phase === 'Running' || state.operation.initiatedBy?.automated !== true) return undefined;
  const { operation: _over, ...app } = inputs.app;
  const { revision, revisions } = inputs.sources;
  const ended = { ...app, status: { ...app.status, operationState: state } };
  const next = automate({ app: ended, comparison, revision, revisions, now, pace: defaultPace });
  return next.start ? undefined : next.error;
}

/** The inputs of a sync of other targets than the newest: these must be looked at, too. */
async function seen(inputs: Ready, sources: Sources, world: World): Promise<Ready> {
  if (sources === inputs.sources) return inputs;
  const { live, predicted, unsure } = await see(inputs, sources.targets, world);
  const objects = new Map([...inputs.live.objects, ...live.objects]);
  return { ...inputs, live: { objects, unknown: live.unknown }, predicted, unsure };
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
  return renderSources(inputs.app, inputs.instance, inputs.access, world, {
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
  await world.patchApplication(app, { metadata: { finalizers, resourceVersion: app.metadata.resourceVersion ?? '' } });
  return true;
}
