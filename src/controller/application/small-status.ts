import type { Application, ApplicationStatus, ResourceResult, ResourceStatus } from '../../core/api/index.ts';
import { conditionsAfter } from '../../core/status/index.ts';

/** The condition that says that rows are left out. */
export const sizeWarning = 'StatusSizeWarning';

/** So many rows and conditions stay of what does not fit, what is amiss before all else. */
const mostRows = 500;
const mostConditions = 50;
const longestMessage = 4000;

/**
 * A status that the API server takes, in place of one that is larger than it stores: without it nothing at all would be
 * told of an Application with some thousand objects. The truth in memory is whole; only what is written is cut.
 */
export function smallStatus(
  { status: before }: Application,
  status: ApplicationStatus,
  now: string,
): ApplicationStatus {
  const { resources = [], operationState, conditions = [] } = status;
  const rows = operationState?.syncResult?.resources ?? [];
  const known = (before?.conditions ?? []).filter(({ type }) => type === sizeWarning);
  const told = conditions.slice(0, mostConditions).map((each) => ({ ...each, message: short(each.message) ?? '' }));
  const message = `the status does not fit into the Application: ${mostRows} of ${Math.max(resources.length, rows.length)} objects are listed, those that are not in order first; split the Application`;
  const said = { types: [sizeWarning], conditions: [{ type: sizeWarning, message }] };
  return {
    ...status,
    resources: worstFirst(resources, isAmiss),
    conditions: conditionsAfter([...told, ...known], said, now),
    ...(operationState === undefined
      ? {}
      : {
          operationState: {
            ...operationState,
            ...(operationState.message === undefined ? {} : { message: short(operationState.message) ?? '' }),
            syncResult: { ...operationState.syncResult, resources: worstFirst(rows, hasFailed) },
          },
        }),
  };
}

/** What would stand written of a status: as much as before, where that had to be cut. */
export function cutAsBefore(app: Application, status: ApplicationStatus, now: string): ApplicationStatus {
  const wasCut = app.status?.conditions?.some(({ type }) => type === sizeWarning) === true;
  return wasCut ? smallStatus(app, status, now) : status;
}

function worstFirst<T>(rows: readonly T[], isBad: (row: T) => boolean): T[] {
  return [...rows.filter(isBad), ...rows.filter((row) => !isBad(row))].slice(0, mostRows);
}

const isAmiss = ({ status }: ResourceStatus): boolean => status !== 'Synced';
const hasFailed = ({ status }: ResourceResult): boolean => status === 'SyncFailed';

function short(text: string | undefined): string | undefined {
  return text !== undefined && text.length > longestMessage ? `${text.slice(0, longestMessage - 1)}…` : text;
}
