import type { Application, OperationState } from '../../core/api/index.ts';
import type { Comparison } from '../../core/diff/index.ts';
import { type Activity, activityOf, overdue, paceOf, retryDueInMs } from '../../core/sync/index.ts';
import { compareInTurns, comparingOf } from './comparing.ts';
import { isUnderWay, keyOfApplication, type Ready } from './gather.ts';
import { whileIncomparable } from './incomparable.ts';
import { withNamespaceStatus } from './namespace.ts';
import { timeText } from './time.ts';
import { whileUnread, withoutSyncStatus } from './unread.ts';
import type { World } from './world.ts';

/** What to do in this pass. */
export type Decision =
  /** Nothing to do, or nothing that may be done; say what is known. */
  | {
      readonly next: 'say';
      readonly comparison: Comparison | undefined;
      readonly operationState?: OperationState | undefined;
      readonly syncError?: string | undefined;
      readonly againInMs?: number | undefined;
    }
  /** `fresh`: it begins now. The comparison is that of the newest sources, where one was made. */
  | {
      readonly next: 'sync';
      readonly state: OperationState;
      readonly fresh: boolean;
      readonly comparison?: Comparison | undefined;
    }
  /** Nothing is known that was not said, nor is it time to say so. */
  | { readonly next: 'nothing' }
  /** It is being deleted. */
  | { readonly next: 'remove' };

/** What a decision asks for besides the inputs. */
export type Surroundings = Pick<World, 'now' | 'health' | 'params' | 'controlPlane' | 'operations'>;

/** Decides from the inputs, the time and what this process has begun. */
export async function decide(inputs: Ready, world: Surroundings): Promise<Decision> {
  const { app } = inputs;
  // An operation that is under way goes on: it may be about to create what a deletion would miss.
  if (app.metadata.deletionTimestamp !== undefined && !isUnderWay(app)) return { next: 'remove' };
  const running = app.status?.operationState;
  // Between two attempts nothing is half done, and whoever deletes the Application wants no other.
  if (app.metadata.deletionTimestamp !== undefined && running && retryDueInMs(running, world.now()) !== undefined)
    return { next: 'sync', state: { ...running, phase: 'Terminating', message: '' }, fresh: false };
  // Whoever stops an operation need not wait until everything can be read again.
  if (running?.phase === 'Terminating') return { next: 'sync', state: running, fresh: false };
  const { leftMs } = begunOf(app, world);
  if (running !== undefined && leftMs !== undefined && leftMs <= 0)
    return { next: 'sync', state: overdue(running), fresh: false };
  return within(leftMs, await judge(inputs, world));
}

/** A decision to wait is looked at again when the operation under way has taken too long, at the latest. */
function within(leftMs: number | undefined, decision: Decision): Decision {
  if (leftMs === undefined || decision.next !== 'say') return decision;
  return { ...decision, againInMs: Math.min(decision.againInMs ?? leftMs, leftMs) };
}

async function judge(inputs: Ready, world: Surroundings): Promise<Decision> {
  const { app } = inputs;
  if (inputs.sources.error !== undefined)
    return whileUnread(inputs, undefined, world.now()) ?? { next: 'say', comparison: undefined };
  const compared = await compareInTurns(inputs.sources.targets, inputs.live, comparingOf(inputs));
  const comparison = withNamespaceStatus(compared, app, app.status?.operationState);
  const held = whileIncomparable(inputs, comparison, world);
  if (held !== undefined) return { ...held, comparison: withoutSyncStatus(comparison, inputs) };
  const waiting = whileUnread(inputs, comparison, world.now());
  if (waiting !== undefined) return waiting;
  const activity = activityFor(inputs, comparison, world);
  if (activity.active) return { next: 'sync', state: activity.state, fresh: activity.fresh, comparison: compared };
  const said = withoutSyncStatus(comparison, inputs);
  const syncError = activity.blocked === true ? saidBefore(app, 'SyncError') : activity.error;
  const { state: operationState, againInMs } = activity;
  return { next: 'say', comparison: said, operationState, syncError, againInMs };
}

function saidBefore({ status }: Application, wanted: string): string | undefined {
  return status?.conditions?.find(({ type }) => type === wanted)?.message;
}

function activityFor({ app, sources, admitted }: Ready, comparison: Comparison, world: Surroundings): Activity {
  const now = world.now();
  const params = world.params();
  return activityOf({
    ...begunOf(app, world),
    app,
    comparison,
    revision: sources.revision,
    revisions: sources.revisions,
    now,
    nowText: timeText(now),
    pace: paceOf(params),
    window: (request) => {
      const { verdict, changesAt } = admitted.window({ now, ...request });
      const message = verdict.answer === 'allowed' ? '' : verdict.message;
      return {
        open: verdict.answer === 'allowed',
        message,
        changesInMs: changesAt === undefined ? undefined : Math.max(1000, changesAt - now),
      };
    },
  });
}

/** What is known of the operation under way, wherever its status says it began. */
function begunOf(app: Application, world: Surroundings): { begunAt?: number | undefined; leftMs?: number } {
  const { phase, startedAt = '' } = app.status?.operationState ?? {};
  if (phase !== 'Running') return {};
  const key = keyOfApplication(app, world.controlPlane);
  const now = world.now();
  const { syncTimeout } = world.params();
  const begunAt = world.operations.begunAt(key, startedAt);
  const since = world.operations.since(key, startedAt, now);
  return { begunAt, ...(syncTimeout === 0 ? {} : { leftMs: since + syncTimeout - now }) };
}
