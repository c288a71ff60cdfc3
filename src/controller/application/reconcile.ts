import { compare } from '../../core/diff/index.ts';
import { act } from './act.ts';
import { type Decision, decide } from './decide.ts';
import { gather, type Ready, renderSources, type Sources } from './gather.ts';
import { checkpoint, report, reportDeletion, reportRefusal } from './report.ts';
import { runSync } from './sync.ts';
import type { World } from './world.ts';

/** How long to wait for objects that are being removed, or for a cluster that cannot be read, where no watch tells. */
const pollMs = 1000;

/** One pass over one Application: gather, decide, act, report. Answers when to look again, if not on an event. */
export async function reconcile(key: string, world: World): Promise<number | undefined> {
  const inputs = await gather(key, world);
  if (inputs.state === 'gone') return undefined;
  if (inputs.state === 'refused') {
    await reportRefusal(inputs.app, inputs.condition, inputs.message, world);
    return undefined;
  }
  const decision = decide(inputs, world.now());
  switch (decision.next) {
    case 'say':
      await report(inputs, decision, world);
      return decision.againInMs;
    case 'sync':
      return sync(inputs, decision, world);
    case 'remove':
      return remove(inputs, decision, world);
    case 'wait':
      await reportDeletion(inputs.app, [decision.reason], world);
      return pollMs;
  }
}

async function sync(
  inputs: Ready,
  { state }: Extract<Decision, { next: 'sync' }>,
  world: World,
): Promise<number | undefined> {
  const sources = await pinnedSources(inputs, state, world);
  const progress =
    sources.error === undefined
      ? await runSync(inputs, { state, sources, checkpoint: (so) => checkpoint(inputs.app, so, world) }, world)
      : {
          state: { ...state, phase: 'Error', message: sources.error, finishedAt: state.startedAt ?? '' },
          live: inputs.live,
        };
  // Synced needs evidence: the answers of the API server stand for the objects it has just written.
  const comparison = compare(inputs.sources.targets, progress.live, { instance: inputs.instance });
  await report(inputs, { comparison, operationState: progress.state }, world);
  return progress.state.phase === 'Running' ? pollMs : undefined;
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

async function remove(
  inputs: Ready,
  { removal }: Extract<Decision, { next: 'remove' }>,
  world: World,
): Promise<number | undefined> {
  switch (removal.next) {
    case 'delete': {
      const outcomes = await act(inputs.app, removal.tasks, inputs.access, world);
      const failed = outcomes.filter(({ status }) => status === 'SyncFailed').map(({ message }) => message);
      await reportDeletion(inputs.app, [...new Set(failed)], world);
      return pollMs;
    }
    case 'release':
      await release(inputs, removal.finalizer, world);
      return undefined;
    case 'wait':
      return pollMs;
    case 'none':
      return undefined;
  }
}

/** Everything the finalizer stood for is gone: it may go, too. */
async function release({ app }: Ready, finalizer: string, world: World): Promise<void> {
  const finalizers = (app.metadata.finalizers ?? []).filter((each) => each !== finalizer);
  // The version is the precondition: a finalizer somebody adds meanwhile is not lost.
  await world.patchApplication(app, { metadata: { finalizers, resourceVersion: app.metadata.resourceVersion ?? '' } });
}
