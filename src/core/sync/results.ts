import type { ResourceResult } from '../api/index.ts';
import type { ObjectKey } from '../objects/index.ts';
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
 * to be asked for and each object that is about to go. Whoever resumes knows by it that such a hook is of this sync, and
 * not left over from the last one, and who took an object away that is there no more.
 */
export function announce(before: readonly ResourceResult[], tasks: readonly Task[]): ResourceResult[] {
  const rows = tasks.filter(isAnnounced).map((task) => {
    const { group, kind, namespace, name } = task.key;
    const { version, phase } = task;
    const hookType = task.hook ? { hookType: phase } : {};
    return { group, version, kind, namespace, name, ...hookType, hookPhase: 'Running', syncPhase: phase };
  });
  return [...before, ...rows];
}

function isAnnounced(task: Task): boolean {
  if (task.act === 'release' || task.dryRun) return false;
  return task.act === 'apply' ? task.hook : task.why === 'prune';
}

/** The results of former passes, where an object that was about to go and has gone is pruned. */
export function resultsFound(
  before: readonly ResourceResult[],
  isGone: (key: ObjectKey) => boolean,
): readonly ResourceResult[] {
  return before.map((row) => {
    const { group = '', kind = '', namespace = '', name = '', status, hookType } = row;
    if (status !== undefined || hookType !== undefined || !isGone({ group, kind, namespace, name })) return row;
    return { ...row, status: 'Pruned', message: 'pruned', hookPhase: 'Succeeded' };
  });
}
