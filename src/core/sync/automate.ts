import { type Application, type Operation, type OperationState, type Params, sourcesOf } from '../api/index.ts';
import type { ComparedObject, Comparison } from '../diff/index.ts';
import { equal, type Json } from '../json/index.ts';

/** How self-heal holds back between attempts; milliseconds. */
export interface SelfHealPace {
  readonly firstMs: number;
  readonly factor: number;
  readonly maxMs: number;
}

export const defaultPace: SelfHealPace = { firstMs: 2000, factor: 3, maxMs: 300_000 };

/** The pace the settings ask for; without a back-off it is one constant wait. */
export function paceOf({
  selfHealBackoff,
  selfHealTimeout,
}: Pick<Params, 'selfHealBackoff' | 'selfHealTimeout'>): SelfHealPace {
  const { timeout, factor, cap } = selfHealBackoff;
  if (timeout === 0) return { firstMs: selfHealTimeout, factor: 1, maxMs: selfHealTimeout };
  return { firstMs: timeout, factor, maxMs: cap };
}

export interface AutomateInput {
  readonly app: Application;
  readonly comparison: Comparison;
  /** What the comparison was made with: one revision, or one for each source. */
  readonly revision: string;
  readonly revisions?: readonly string[] | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly pace: SelfHealPace;
}

/** Whether an Application's own policy starts a sync now. `error` is the text of a `SyncError`. */
export type Automation =
  | { readonly start: true; readonly operation: Operation }
  | { readonly start: false; readonly error?: string; readonly againInMs?: number };

const nothing: Automation = { start: false };

/** Decides about auto-sync, in Argo CD's order of conditions. */
export function automate(input: AutomateInput): Automation {
  const { app, comparison } = input;
  const policy = app.spec.syncPolicy?.automated;
  if (policy === undefined || policy.enabled === false || app.operation !== undefined) return nothing;
  if (app.metadata.deletionTimestamp !== undefined || comparison.status !== 'OutOfSync') return nothing;
  const due = comparison.objects.filter(({ status }) => status !== undefined && status !== 'Synced');
  if (policy.prune !== true && due.every(({ requiresPruning }) => requiresPruning)) return nothing;
  const last = app.status?.operationState;
  const attempted = last !== undefined && wasAttempted(input, last);
  if (attempted && last.phase !== 'Succeeded') {
    return { start: false, error: `Failed last sync attempt to [${revisionText(input)}]: ${last.message ?? ''}` };
  }
  if (attempted && policy.selfHeal !== true) return nothing;
  if (policy.prune === true && policy.allowEmpty !== true && isWipeOut(comparison)) {
    return {
      start: false,
      error: `Skipping sync attempt to ${revisionText(input)}: auto-sync will wipe out all resources`,
    };
  }
  return attempted ? heal(input, last, due) : { start: true, operation: fullOperation(input) };
}

function revisionText({ revision, revisions }: AutomateInput): string {
  return revisions === undefined ? revision : revisions.join(', ');
}

/** Everything there is would go: more likely a mistake in Git than a wish. */
function isWipeOut({ objects }: Comparison): boolean {
  const judged = objects.filter(({ status }) => status !== undefined);
  return judged.length > 0 && judged.every(({ requiresPruning }) => requiresPruning);
}

/** The same sources at the same revisions were synced, or tried, before. */
function wasAttempted({ app, revision, revisions }: AutomateInput, last: OperationState): boolean {
  const { syncResult } = last;
  // Refused before it began: nothing was tried, and once the refusal is lifted nothing is in the way.
  if (syncResult === undefined) return false;
  const same =
    revisions === undefined
      ? syncResult.revision === revision
      : equal(syncResult.revisions as Json | undefined, revisions);
  const used = syncResult.sources ?? (syncResult.source === undefined ? undefined : [syncResult.source]);
  // Without a record of the sources only the revision can be compared.
  return same && (used === undefined || equal(used as unknown as Json, sourcesOf(app) as unknown as Json)); // sources are parsed JSON
}

function fullOperation({ app, revision, revisions }: AutomateInput): Operation {
  const { syncOptions, automated, retry } = app.spec.syncPolicy ?? {};
  return {
    sync: {
      ...(revisions === undefined ? { revision } : { revisions }),
      prune: automated?.prune === true,
      ...(syncOptions === undefined ? {} : { syncOptions }),
    },
    initiatedBy: { automated: true },
    retry: retry ?? { limit: 5 },
  };
}

/** Self-heal mends only what drifted, runs no hooks, and waits longer each time. */
function heal(input: AutomateInput, last: OperationState, due: readonly ComparedObject[]): Automation {
  const attempts = last.operation.sync?.autoHealAttemptsCount ?? 0;
  const wait =
    attempts === 0 ? 0 : Math.min(input.pace.maxMs, input.pace.firstMs * input.pace.factor ** (attempts - 1));
  // A time in the future is somebody's invention: it may hold a sync back for no longer than the wait.
  const elapsed = Math.max(0, input.now - Date.parse(last.finishedAt ?? ''));
  if (elapsed < wait) return { start: false, againInMs: wait - elapsed };
  const operation = fullOperation(input);
  const resources = due.map(({ key: { group, kind, name, namespace } }) => ({ group, kind, name, namespace }));
  return {
    start: true,
    operation: { ...operation, sync: { ...operation.sync, resources, autoHealAttemptsCount: attempts + 1 } },
  };
}
