import type { OperationState } from '../../core/api/index.ts';
import type { Comparison } from '../../core/diff/index.ts';
import type { Decision } from './decide.ts';
import type { Ready } from './gather.ts';
import { timeText } from './time.ts';

/** What was compared with the last good manifests: health and tree stand, but whether it is in sync is no longer known. */
export function withoutSyncStatus(comparison: Comparison, { sources }: Pick<Ready, 'sources'>): Comparison {
  if (sources.unread?.told !== true) return comparison;
  return {
    ...comparison,
    status: 'Unknown',
    objects: comparison.objects.map((object) =>
      object.status === undefined ? object : { ...object, status: 'Unknown', reason: sources.unread?.message },
    ),
    errors: [...comparison.errors, sources.unread.message],
  };
}

/**
 * What to do while the sources cannot be read: nothing is started on what was read last. One that is under way goes on,
 * since it keeps to what it began with; one that somebody asks for now is answered.
 */
export function whileUnread(inputs: Ready, comparison: Comparison | undefined, now: number): Decision | undefined {
  const { app, sources } = inputs;
  if (sources.unread === undefined) return undefined;
  const state = app.status?.operationState;
  const isRunning = state?.phase === 'Running' || state?.phase === 'Terminating';
  if (isRunning && comparison !== undefined) return undefined;
  const operationState = isRunning ? ended(state, now) : refused(inputs, now);
  // Nothing to compare with, and not yet time to say so.
  if (comparison === undefined && operationState === undefined && !sources.unread.told) return { next: 'nothing' };
  const said = comparison === undefined ? undefined : withoutSyncStatus(comparison, inputs);
  return { next: 'say', comparison: said, operationState };
}

/** Whoever terminates does not wait for the sources; without them nobody knows which hooks were running. */
function ended(state: OperationState, now: number): OperationState | undefined {
  if (state.phase !== 'Terminating') return undefined;
  const message = 'Operation terminated; its hooks may still run, since its sources cannot be read';
  return { ...state, phase: 'Failed', message, finishedAt: timeText(now) };
}

function refused({ app, sources }: Ready, now: number): OperationState | undefined {
  const { operation } = app;
  if (operation === undefined || sources.unread === undefined) return undefined;
  const at = timeText(now);
  const { message } = sources.unread;
  // No revision was tried: once the sources read again, an automatic sync of any is free to begin.
  const syncResult = { revision: '', resources: [] };
  return { operation, phase: 'Error', message, startedAt: at, finishedAt: at, syncResult };
}
