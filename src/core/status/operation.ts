import type { Operation, OperationState, ResourceResult } from '../api/index.ts';
import type { Outcome } from '../sync/index.ts';

/** What became of one object, as `syncResult.resources` tells it. */
export function resultOf({ task, status, message }: Outcome): ResourceResult {
  const { group, kind, namespace, name } = task.key;
  return {
    group,
    version: task.version,
    kind,
    namespace,
    name,
    status,
    message,
    hookPhase: hookPhase(status),
    syncPhase: task.phase,
  };
}

function hookPhase(status: Outcome['status']): string {
  return status === 'SyncFailed' ? 'Failed' : 'Succeeded';
}

/** The state of an operation whose tasks have all been carried out. */
export function operationResult(
  operation: Operation,
  outcomes: readonly Outcome[],
  at: { readonly startedAt: string; readonly finishedAt: string; readonly revision: string },
): OperationState {
  const failed = outcomes.filter(({ status }) => status === 'SyncFailed');
  return {
    operation,
    phase: failed.length > 0 ? 'Failed' : 'Succeeded',
    message:
      failed.length > 0
        ? `one or more objects failed to apply, reason: ${reasons(failed)}`
        : 'successfully synced (all tasks run)',
    startedAt: at.startedAt,
    finishedAt: at.finishedAt,
    syncResult: { revision: at.revision, resources: outcomes.map(resultOf) },
  };
}

function reasons(failed: readonly Outcome[]): string {
  return [...new Set(failed.map(({ message }) => message))].join(',');
}
