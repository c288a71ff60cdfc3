import type { Application, Operation, OperationState } from '../api/index.ts';
import { type AutomateInput, type Automation, automate } from './automate.ts';
import { nextAttempt, retryDueInMs } from './retry.ts';

/** What an Application's operation is at the beginning of a pass. */
export type Activity =
  /** `fresh`: it begins now. */
  | { readonly active: true; readonly state: OperationState; readonly manual: boolean; readonly fresh: boolean }
  /** Nothing to do now. `state` is what goes on record; `error` the text of a `SyncError`. */
  | {
      readonly active: false;
      readonly state?: OperationState | undefined;
      readonly error?: string | undefined;
      /** A window is closed: what was said about earlier syncs stays. */
      readonly blocked?: boolean;
      readonly againInMs?: number | undefined;
    };

/** Whether windows let it sync now. */
export interface WindowAnswer {
  readonly open: boolean;
  readonly message: string;
  readonly changesInMs: number | undefined;
}

export interface ActivityInput extends AutomateInput {
  readonly nowText: string;
  /** Whether a sync may begin or go on now; `startedAt` undefined for one that has not begun. */
  readonly window: (request: { manual: boolean; startedAt: number | undefined }) => WindowAnswer;
  /** When the operation under way began, where that is known from elsewhere than the status, which tenants write. */
  readonly begunAt?: number | undefined;
  /** How long the operation under way may still take; undefined where nothing limits it. */
  readonly leftMs?: number | undefined;
}

/**
 * Finds the operation a pass works on: one under way, one somebody asked for, or one the Application's own policy starts.
 * A newer commit replaces an automatic sync that waits or has failed, so that nobody waits for what is outdated.
 */
export function activityOf(input: ActivityInput): Activity {
  const running = runningState(input.app);
  if (running !== undefined && !isOvertaken(input, running)) return resume(input, running);
  if (running === undefined && input.app.operation !== undefined) return begin(input, input.app.operation);
  const window = input.window({ manual: false, startedAt: undefined });
  if (!window.open) return { active: false, blocked: true, againInMs: window.changesInMs };
  const { operation: _replaced, ...app } = input.app;
  const automation = automate(running === undefined ? input : { ...input, app });
  return automation.start ? begin(input, automation.operation) : idle(automation);
}

function idle(automation: Exclude<Automation, { start: true }>): Activity {
  return { active: false, error: automation.error, againInMs: automation.againInMs };
}

function runningState(app: Application): OperationState | undefined {
  const state = app.status?.operationState;
  return state?.phase === 'Running' || state?.phase === 'Terminating' ? state : undefined;
}

/** Automatic, pinned to another commit than the newest, and at a point where nothing of it is half done. */
function isOvertaken({ app, revision, revisions }: ActivityInput, state: OperationState): boolean {
  if (state.phase !== 'Running' || state.operation.initiatedBy?.automated !== true) return false;
  if (app.spec.syncPolicy?.automated === undefined || revisions !== undefined) return false;
  // Nothing would take its place.
  if (app.metadata.deletionTimestamp !== undefined) return false;
  return state.syncResult?.revision !== undefined && state.syncResult.revision !== revision;
}

function begin(input: ActivityInput, operation: Operation): Activity {
  const manual = operation.initiatedBy?.automated !== true;
  const state = opened(input, operation);
  const window = input.window({ manual, startedAt: undefined });
  if (window.open) return { active: true, state, manual, fresh: true };
  return { active: false, blocked: true, state: { ...state, message: window.message }, againInMs: window.changesInMs };
}

function opened({ app, revision, revisions, nowText }: ActivityInput, operation: Operation): OperationState {
  const { source, sources, revision: wanted = '' } = operation.sync ?? {};
  // What the operation brings itself has yet to be looked up; all else is what was compared.
  const known = source === undefined && sources === undefined && (wanted === '' || wanted === revision);
  const used = sources ?? app.spec.sources;
  const one = source ?? app.spec.source;
  const { managedNamespaceMetadata } = app.spec.syncPolicy ?? {};
  return {
    operation: unclaimed(operation),
    phase: 'Running',
    message: '',
    startedAt: nowText,
    syncResult: {
      ...(known ? (revisions === undefined ? { revision } : { revisions }) : {}),
      ...(used === undefined || used.length === 0 ? (one === undefined ? {} : { source: one }) : { sources: used }),
      ...(managedNamespaceMetadata === undefined ? {} : { managedNamespaceMetadata }),
      resources: [],
    },
  };
}

/** Whoever may write an Application may claim any name in an operation: nobody vouches for it, so it is not told. */
function unclaimed({ initiatedBy, ...operation }: Operation): Operation {
  return initiatedBy?.automated === true ? { ...operation, initiatedBy: { automated: true } } : operation;
}

function resume(input: ActivityInput, state: OperationState): Activity {
  const manual = state.operation.initiatedBy?.automated !== true;
  if (state.phase === 'Terminating') return { active: true, state, manual, fresh: false };
  const { leftMs = Number.POSITIVE_INFINITY } = input;
  if (leftMs <= 0) return { active: true, state: overdue(state), manual, fresh: false };
  const atMost = (ms: number | undefined): number | undefined =>
    ms === undefined && leftMs === Number.POSITIVE_INFINITY ? undefined : Math.min(ms ?? leftMs, leftMs);
  const due = retryDueInMs(state, input.now);
  if (due !== undefined && due > 0) return { active: false, againInMs: atMost(due) };
  const window = input.window({ manual, startedAt: input.begunAt });
  if (!window.open) {
    const waiting = { ...state, message: window.message };
    return { active: false, blocked: true, state: waiting, againInMs: atMost(window.changesInMs) };
  }
  return { active: true, state: due === undefined ? state : again(input, state), manual, fresh: false };
}

/** The next attempt; one that asks for fresh revisions is pinned to those of now. */
function again({ revision, revisions }: ActivityInput, state: OperationState): OperationState {
  const next = nextAttempt(state);
  if (state.operation.retry?.refresh !== true) return next;
  return { ...next, syncResult: { ...next.syncResult, ...(revisions === undefined ? { revision } : { revisions }) } };
}

/** An operation that has taken too long is stopped as if somebody asked for it; why stands in its last message. */
export function overdue(state: OperationState): OperationState {
  return { ...state, phase: 'Terminating', message: overdueReason };
}

/** Why an operation was stopped that nobody else has stopped. */
export const overdueReason = 'triggered by controller sync timeout';
