import type { OperationState } from '../../core/api/index.ts';
import type { Comparison } from '../../core/diff/index.ts';
import { endedState } from '../../core/sync/index.ts';
import type { Surroundings } from './decide.ts';
import type { Ready } from './gather.ts';
import { healthOf } from './health.ts';
import { timeText } from './time.ts';

/**
 * What to do while an Application cannot be compared, or the health of its objects cannot be told: nothing is started.
 * Who asks for a sync now is answered with the reason. One that is under way ends with what will not change by itself, and
 * waits for what is only not known at the moment. Undefined where everything can be compared.
 */
export function whileIncomparable(
  inputs: Ready,
  comparison: Comparison,
  world: Surroundings,
): { readonly next: 'say'; readonly operationState: OperationState | undefined } | undefined {
  const { errors, invalid = [] } = comparison;
  const failing = healthOf(inputs.app, comparison, world).errors;
  if (errors.length + invalid.length + failing.length === 0) return undefined;
  const comparable = [...errors, ...failing].map((message) => `ComparisonError: ${message};`);
  const message = [...invalid.map((each) => `InvalidSpecError: ${each};`), ...comparable].join(' ');
  const lasts = invalid.length + failing.length > 0 || errors.some((error) => !isUnknown(error, comparison));
  return { next: 'say', operationState: answered(inputs, { message, lasts }, timeText(world.now())) };
}

/** An object or a kind could not be read, or a dry run was refused: that may be otherwise at the next look. */
function isUnknown(error: string, { objects, unread = new Map() }: Comparison): boolean {
  if ([...unread.values()].includes(error)) return true;
  return objects.some(({ status, reason }) => status === 'Unknown' && reason === error);
}

function answered(
  { app }: Ready,
  { message, lasts }: { readonly message: string; readonly lasts: boolean },
  now: string,
): OperationState | undefined {
  const state = app.status?.operationState;
  if (state?.phase === 'Running') {
    const waits = !lasts || state.finishedAt !== undefined;
    return waits ? undefined : endedState({ ...state, phase: 'Error', message, finishedAt: now }, now);
  }
  const { operation } = app;
  if (operation === undefined) return undefined;
  return endedState({ operation, phase: 'Error', message, startedAt: now, finishedAt: now }, now);
}
