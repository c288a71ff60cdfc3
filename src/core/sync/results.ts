import type { ResourceResult } from '../api/index.ts';
import { indexResults, resultKeyOf } from './item.ts';
import type { Outcome, Task } from './types.ts';

/** What a task leaves behind in `syncResult.resources`; cleaning up leaves nothing. */
export function resultOf({ task, status, message }: Outcome): ResourceResult | undefined {
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
  const rows = new Map(indexResults(before));
  for (const outcome of outcomes) {
    const result = resultOf(outcome);
    if (result !== undefined) rows.set(resultKeyOf(result), result);
  }
  return [...rows.values()];
}

/**
 * What is stored before a step is carried out: the results so far, and a row without a status for each hook that is about
 * to be asked for. Whoever resumes knows by it that such a hook is of this sync, and not left over from the last one.
 */
export function announce(before: readonly ResourceResult[], tasks: readonly Task[]): ResourceResult[] {
  const hooks = tasks.filter((task) => task.hook && task.act === 'apply' && !task.dryRun);
  const rows = hooks.map(({ key: { group, kind, namespace, name }, version, phase }) => {
    return { group, version, kind, namespace, name, hookType: phase, hookPhase: 'Running', syncPhase: phase };
  });
  return [...before, ...rows];
}
