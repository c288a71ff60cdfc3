import type { OperationState } from '../../core/api/index.ts';
import { type Comparison, compare } from '../../core/diff/index.ts';
import { type Activity, activityOf, defaultPace } from '../../core/sync/index.ts';
import { comparingOf } from './comparing.ts';
import type { Ready } from './gather.ts';
import { timeText } from './time.ts';
import { whileUnread, withoutSyncStatus } from './unread.ts';

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
  | { readonly next: 'sync'; readonly comparison: Comparison; readonly state: OperationState }
  /** Nothing is known that was not said, nor is it time to say so. */
  | { readonly next: 'nothing' }
  /** It is being deleted. */
  | { readonly next: 'remove' };

/** Decides from the inputs and the time alone. */
export function decide(inputs: Ready, now: number): Decision {
  if (inputs.app.metadata.deletionTimestamp !== undefined) return { next: 'remove' };
  if (inputs.sources.error !== undefined)
    return whileUnread(inputs, undefined, now) ?? { next: 'say', comparison: undefined };
  const comparison = compare(inputs.sources.targets, inputs.live, comparingOf(inputs));
  if (comparison.errors.length + (comparison.invalid ?? []).length > 0)
    return { next: 'say', comparison: withoutSyncStatus(comparison, inputs) };
  const waiting = whileUnread(inputs, comparison, now);
  if (waiting !== undefined) return waiting;
  const activity = activityFor(inputs, comparison, now);
  if (activity.active) return { next: 'sync', comparison, state: activity.state };
  const said = withoutSyncStatus(comparison, inputs);
  return { next: 'say', comparison: said, syncError: activity.error, againInMs: activity.againInMs };
}

function activityFor({ app, sources, admitted }: Ready, comparison: Comparison, now: number): Activity {
  return activityOf({
    app,
    comparison,
    revision: sources.revision,
    revisions: sources.revisions,
    now,
    nowText: timeText(now),
    pace: defaultPace,
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
