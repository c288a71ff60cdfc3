import type { ApplicationStatus, OperationState } from '../api/index.ts';

/** One thing to tell people about an Application, as an Event. */
export interface Transition {
  readonly type: 'Normal' | 'Warning';
  readonly reason: 'OperationStarted' | 'OperationCompleted' | 'ResourceUpdated';
  readonly message: string;
}

/** What changed in meaning between two statuses, told once: the end of an operation before anything else. */
export function transitionBetween(
  before: ApplicationStatus | undefined,
  after: ApplicationStatus,
): Transition | undefined {
  return operationTransition(before?.operationState, after.operationState) ?? statusTransition(before, after);
}

function operationTransition(
  before: OperationState | undefined,
  after: OperationState | undefined,
): Transition | undefined {
  if (after === undefined || (before?.phase === after.phase && before.startedAt === after.startedAt)) return undefined;
  const revision = after.syncResult?.revision ?? after.syncResult?.revisions?.join(', ') ?? '';
  const partial = (after.operation.sync?.resources?.length ?? 0) > 0;
  const subject = `${partial ? 'Partial sync' : 'Sync'} operation to ${revision}`;
  switch (after.phase) {
    case 'Succeeded':
      return { type: 'Normal', reason: 'OperationCompleted', message: `${subject} succeeded` };
    case 'Failed':
    case 'Error':
      return { type: 'Warning', reason: 'OperationCompleted', message: `${subject} failed: ${after.message ?? ''}` };
    case 'Running':
      return before?.phase === 'Running'
        ? undefined
        : { type: 'Normal', reason: 'OperationStarted', message: startedText(after, revision) };
    default:
      return undefined;
  }
}

function startedText({ operation }: OperationState, revision: string): string {
  const who = operation.initiatedBy?.automated === true ? 'automated sync' : 'sync';
  return `Initiated ${who} to '${revision}'`;
}

/** A status that got worse says why, so that nobody has to open the Application to learn it. */
function statusTransition(before: ApplicationStatus | undefined, after: ApplicationStatus): Transition | undefined {
  const parts = [
    changed('sync', before?.sync?.status, after.sync?.status),
    changed('health', before?.health?.status, after.health?.status),
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  const message = parts.join('; ');
  const [error] = newErrors(before, after);
  if (error === undefined) return { type: 'Normal', reason: 'ResourceUpdated', message };
  return { type: 'Warning', reason: 'ResourceUpdated', message: `${message} (${error})` };
}

/** Error conditions that were not there before, as `type: message`. */
export function newErrors(before: ApplicationStatus | undefined, after: ApplicationStatus): readonly string[] {
  const errors = ({ conditions = [] }: ApplicationStatus): string[] =>
    conditions.flatMap(({ type, message }) => (type.endsWith('Error') ? [`${type}: ${message}`] : []));
  const known = errors(before ?? {});
  return errors(after).filter((each) => !known.includes(each));
}

function changed(what: string, before: string | undefined, after: string | undefined): string | undefined {
  return before === after || after === undefined ? undefined : `Updated ${what} status: ${before ?? ''} -> ${after}`;
}
