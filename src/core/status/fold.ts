import type {
  Application,
  ApplicationStatus,
  OperationState,
  ResourceStatus,
  RevisionHistory,
  SyncStatus,
} from '../api/index.ts';
import type { ComparedObject, Comparison } from '../diff/index.ts';
import type { Health } from '../health/index.ts';
import { type KubeObject, kindText, printKey } from '../objects/index.ts';
import { objectOptionsOf } from '../sync/index.ts';
import { conditionsAfter, type OwnedConditions } from './conditions.ts';

/** Everything a pass found out about an Application. */
export interface StatusFacts {
  readonly app: Application;
  /** RFC 3339, seconds. */
  readonly now: string;
  readonly controlPlane: string;
  /** Undefined where nothing could be compared. */
  readonly comparison: Comparison | undefined;
  readonly health: Health;
  readonly revision: string | undefined;
  /** One for each source of a multi-source Application. */
  readonly revisions: readonly string[] | undefined;
  readonly sourceType: string | undefined;
  readonly operationState: OperationState | undefined;
  readonly conditions: readonly OwnedConditions[];
}

/** The status an Application should have; times of what did not change stay, so that equal meaning is equal text. */
export function foldStatus(facts: StatusFacts): ApplicationStatus {
  const before = facts.app.status ?? {};
  const health = facts.health.status;
  return {
    ...before,
    sync: syncOf(facts),
    health: {
      status: health,
      lastTransitionTime:
        before.health?.status === health ? (before.health.lastTransitionTime ?? facts.now) : facts.now,
    },
    ...(facts.comparison === undefined ? {} : { resources: resourcesOf(facts.comparison, before) }),
    conditions: facts.conditions.reduce(
      (list, step) => conditionsAfter(list, step, facts.now),
      [...(before.conditions ?? [])],
    ),
    ...(facts.operationState === undefined ? {} : { operationState: facts.operationState }),
    ...historyOf(facts),
    ...(facts.sourceType === undefined ? {} : { sourceType: facts.sourceType }),
    reconciledAt: before.reconciledAt ?? facts.now,
    controllerNamespace: facts.controlPlane,
  };
}

function syncOf({ app, comparison, revision, revisions }: StatusFacts): SyncStatus {
  const { source, sources, destination, ignoreDifferences } = app.spec;
  const comparedTo = {
    ...(source === undefined ? {} : { source }),
    ...(sources === undefined ? {} : { sources }),
    ...(destination === undefined ? {} : { destination }),
    ...(ignoreDifferences === undefined ? {} : { ignoreDifferences }),
  };
  return {
    status: comparison?.status ?? 'Unknown',
    ...(revisions === undefined ? (revision === undefined ? {} : { revision }) : { revisions }),
    comparedTo,
  };
}

function resourcesOf(comparison: Comparison, before: ApplicationStatus): ResourceStatus[] {
  const rows = comparison.objects.map((object) => ({ sort: printKey(object.key), row: resourceOf(object) }));
  return [...rows, ...unreadRows(comparison, before, new Set(rows.map(({ sort }) => sort)))]
    .sort((a, b) => (a.sort < b.sort ? -1 : 1))
    .map(({ row }) => row);
}

/**
 * What was there of kinds that cannot be read now: neither there nor gone. Without its line nobody would look for it after
 * a restart, and a deletion would leave it behind.
 */
function unreadRows(
  { unread = new Map() }: Comparison,
  { resources = [] }: ApplicationStatus,
  listed: ReadonlySet<string>,
): { sort: string; row: ResourceStatus }[] {
  if (unread.size === 0) return [];
  return resources.flatMap((row) => {
    const { group = '', kind = '', namespace = '', name = '', hook } = row;
    const sort = printKey({ group, kind, namespace, name });
    if (hook === true || listed.has(sort) || !unread.has(kindText({ group, kind }))) return [];
    return [{ sort, row: { ...row, status: 'Unknown' } }];
  });
}

function resourceOf({ key, version, status, requiresPruning, hook, wave, live }: ComparedObject): ResourceStatus {
  return {
    ...(key.group === '' ? {} : { group: key.group }),
    version,
    kind: key.kind,
    ...(key.namespace === '' ? {} : { namespace: key.namespace }),
    name: key.name,
    ...(status === undefined ? {} : { status }),
    ...(requiresPruning ? { requiresPruning } : {}),
    ...(live !== undefined && asksToConfirm(live.object) ? { requiresDeletionConfirmation: true } : {}),
    ...(hook ? { hook } : {}),
    ...(wave === 0 ? {} : { syncWave: wave }),
  };
}

function asksToConfirm(object: KubeObject): boolean {
  const options = objectOptionsOf(object);
  return options.delete === 'confirm' || options.prune === 'confirm';
}

/** What was deployed, which for a rollback is not what the Application asks for. */
function deployed({ spec }: Application, { syncResult = {} }: OperationState): Partial<RevisionHistory> {
  const { revision, revisions, source = spec.source, sources = spec.sources } = syncResult;
  const several = sources !== undefined && sources.length > 0;
  return {
    ...(revision === undefined ? {} : { revision }),
    ...(revisions === undefined ? {} : { revisions }),
    ...(several ? { sources } : source === undefined ? {} : { source }),
  };
}

/** A line of history for each finished, successful, whole sync that is not yet the last line. */
function historyOf({ app, operationState }: StatusFacts): { history?: RevisionHistory[] } {
  const before = app.status?.history ?? [];
  const done = operationState?.phase === 'Succeeded' && operationState !== app.status?.operationState;
  const partial =
    (operationState?.operation.sync?.resources?.length ?? 0) > 0 || operationState?.operation.sync?.dryRun === true;
  if (!done || partial) return before.length === 0 ? {} : { history: [...before] };
  const limit = Math.max(0, app.spec.revisionHistoryLimit ?? 10);
  const line: RevisionHistory = {
    id: (before.at(-1)?.id ?? -1) + 1,
    ...deployed(app, operationState),
    ...(operationState.startedAt === undefined ? {} : { deployStartedAt: operationState.startedAt }),
    ...(operationState.finishedAt === undefined ? {} : { deployedAt: operationState.finishedAt }),
    ...(operationState.operation.initiatedBy === undefined
      ? {}
      : { initiatedBy: operationState.operation.initiatedBy }),
  };
  return { history: limit === 0 ? [] : [...before, line].slice(-limit) };
}
