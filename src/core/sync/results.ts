import type { ResourceResult } from '../api/index.ts';
import { resultKey } from './item.ts';
import type { Outcome } from './types.ts';

/** What a task leaves behind in `syncResult.resources`; cleaning up leaves nothing. */
function resultOf({ task, status, message }: Outcome): ResourceResult | undefined {
  if (task.act === 'release' || (task.act === 'delete' && task.why !== 'prune')) return undefined;
  const { group, kind, namespace, name } = task.key;
  // An applied object is running until its health was seen; everything else is settled by the answer.
  const hookPhase =
    status === 'SyncFailed'
      ? 'Failed'
      : status === 'Synced' && !(task.act === 'apply' && task.dryRun)
        ? 'Running'
        : 'Succeeded';
  return {
    group,
    version: task.version,
    kind,
    namespace,
    name,
    status,
    message,
    ...(task.hook ? { hookType: task.phase } : {}),
    hookPhase,
    syncPhase: task.phase,
  };
}

/** The results after a step: each object and phase once, in the order they first came. */
export function resultsAfter(before: readonly ResourceResult[], outcomes: readonly Outcome[]): ResourceResult[] {
  const rows = new Map(before.map((result) => [keyOf(result), result]));
  for (const outcome of outcomes) {
    const result = resultOf(outcome);
    if (result !== undefined) rows.set(keyOf(result), result);
  }
  return [...rows.values()];
}

function keyOf({ group = '', kind = '', namespace = '', name = '', syncPhase = 'Sync' }: ResourceResult): string {
  return resultKey({ key: { group, kind, namespace, name }, phase: syncPhase });
}
