import { type OperationState, parseDuration, type RetryStrategy } from '../api/index.ts';

/** What to do with an operation that has just failed. */
export type AfterFailure = { readonly retry: false } | { readonly retry: true; readonly state: OperationState };

/** Turns a failed operation into one that waits for its next attempt, while there are attempts left. */
export function afterFailure(state: OperationState, now: string): AfterFailure {
  const { limit = 0 } = state.operation.retry ?? {};
  const done = state.retryCount ?? 0;
  if (state.operation.sync?.dryRun === true || (limit >= 0 && done >= limit)) return { retry: false };
  const at = new Date(Date.parse(now) + waitMs(state.operation.retry, done + 1));
  return {
    retry: true,
    state: {
      ...state,
      phase: 'Running',
      finishedAt: now,
      retryCount: done + 1,
      message: `${state.message ?? ''}. Retrying attempt #${done + 1} at ${at.toISOString().slice(11, 19)}.`,
    },
  };
}

/**
 * What becomes of an operation that has just ended: one that failed waits for its next attempt if it has one left, one
 * that somebody stopped does not.
 */
export function endedState(state: OperationState, now: string): OperationState {
  const failed = state.phase === 'Failed' || state.phase === 'Error';
  if (!failed || state.message?.startsWith(terminated) === true) return state;
  const next = afterFailure(state, now);
  if (next.retry) return next.state;
  const count = state.retryCount ?? 0;
  return count === 0 ? state : { ...state, message: `${state.message ?? ''} (retried ${count} times)` };
}

/** The message of an operation that somebody stopped, or its beginning. */
export const terminated = 'Operation terminated';

/** Milliseconds until a waiting operation may try again; 0 once it may. Undefined where it is not waiting. */
export function retryDueInMs(state: OperationState, now: number): number | undefined {
  if (state.phase !== 'Running' || state.finishedAt === undefined) return undefined;
  const wait = waitMs(state.operation.retry, state.retryCount ?? 0);
  // Whoever may write the status may write any time: nobody waits longer than the wait is long.
  const left = Date.parse(state.finishedAt) + wait - now;
  return Number.isNaN(left) ? wait : Math.min(wait, Math.max(0, left));
}

/** The state a new attempt begins with: results are forgotten, and with `refresh` the pinned revisions, too. */
export function nextAttempt(state: OperationState): OperationState {
  const { finishedAt: _finished, syncResult = {}, ...rest } = state;
  const { operation } = state;
  if (operation.retry?.refresh !== true) {
    return { ...rest, phase: 'Running', message: '', syncResult: { ...syncResult, resources: [] } };
  }
  const unpinned = operation.sync === undefined ? operation : { ...operation, sync: withoutRevisions(operation.sync) };
  const result = { ...withoutRevisions(syncResult), resources: [] };
  return { ...rest, operation: unpinned, phase: 'Running', message: '', syncResult: result };
}

function withoutRevisions<T extends { readonly revision?: string; readonly revisions?: readonly string[] }>(
  pinned: T,
): Omit<T, 'revision' | 'revisions'> {
  const { revision: _one, revisions: _several, ...rest } = pinned;
  return rest;
}

/** The wait before attempt n (from 1): the first duration times the factor, n times, up to the most. */
function waitMs(retry: RetryStrategy | undefined, attempt: number): number {
  const { duration = '5s', factor = 2, maxDuration = '3m' } = retry?.backoff ?? {};
  const first = millis(duration) ?? 5000;
  const most = millis(maxDuration) ?? 180_000;
  const wait = first <= 0 ? 0 : first * Math.max(1, factor) ** attempt;
  return Math.max(0, Math.min(wait, most === 0 ? longestMs : most, longestMs));
}

/** Whoever asks for longer gets this: a month is as good as never, and still a date. */
const longestMs = 30 * 24 * 3_600_000;

function millis(text: string): number | undefined {
  // A bare integer means seconds.
  return /^\d+$/.test(text) ? Number(text) * 1000 : parseDuration(text);
}
