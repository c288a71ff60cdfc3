import type { Application, ApplicationStatus, OperationState } from '../../core/api/index.ts';
import { type Comparison, type ComparisonWarning, isUnlisted } from '../../core/diff/index.ts';
import { type ArgosyError, isArgosyError } from '../../core/errors/index.ts';
import type { JsonObject } from '../../core/json/index.ts';
import {
  conditionsAfter,
  foldStatus,
  type OwnedConditions,
  patchBetween,
  type StatusFacts,
} from '../../core/status/index.ts';
import { keyOfApplication, type Ready } from './gather.ts';
import { healthOf } from './health.ts';
import { orphanConditions } from './orphans.ts';
import { ownFaultText } from './own-fault.ts';
import { cutAsBefore, sizeWarning, smallStatus } from './small-status.ts';
import { timeText } from './time.ts';
import type { World } from './world.ts';

const refreshAnnotation = 'argocd.argoproj.io/refresh';

/** What a pass found and did. */
export interface Findings {
  readonly comparison: Comparison | undefined;
  readonly operationState?: OperationState | undefined;
  /** Text of a `SyncError`; undefined takes a former one back. */
  readonly syncError?: string | undefined;
}

/** Writes what a pass found and did, once, and only if it means something new; answers when to tell what is held back. */
export async function report(inputs: Ready, findings: Findings, world: World): Promise<number | undefined> {
  const { app, sources } = inputs;
  const { comparison, operationState, syncError } = findings;
  const { health, errors } = healthOf(app, comparison, world);
  const status = foldStatus({
    app,
    now: timeText(world.now()),
    controlPlane: world.controlPlane,
    comparison,
    health,
    revision: sources.error === undefined && sources.revision !== '' ? sources.revision : app.status?.sync?.revision,
    revisions: sources.revisions,
    sourceType: sources.sourceType,
    operationState: operationState ?? app.status?.operationState,
    conditions: [
      conditions(['InvalidSpecError', 'UnknownError'], comparison?.invalid ?? []),
      ...comparisonWarnings.map((type) => conditions([type], warningsOf(comparison, type))),
      conditions(
        ['ComparisonError'],
        sources.error === undefined ? [...(comparison?.errors ?? []), ...errors] : [sources.error],
      ),
      conditions(['SyncError'], syncError === undefined ? [] : [syncError]),
      conditions(['PolicyWarning'], inputs.admitted.warnings),
      conditions([sizeWarning], []),
      conditions(['UnreadableResourceWarning'], unreadable(inputs)),
      ...orphanConditions(inputs, comparison, world),
    ],
  });
  world.seen(app, status);
  return tell(app, status, operationState, world);
}

/**
 * Writes a status unless its only news is health that flaps: then it is asked again when that has settled. What is too
 * large is sent whole only if it may fit by now: if more than health is new of it.
 */
async function tell(
  app: Application,
  status: ApplicationStatus,
  operation: OperationState | undefined,
  world: World,
): Promise<number | undefined> {
  const key = keyOfApplication(app, world.controlPlane);
  const cut = cutAsBefore(app, status, timeText(world.now()));
  const damped = isAsked(app, operation) ? ({ news: 'more' } as const) : world.damping.judge(key, app.status, cut);
  if (damped.news === 'held') return damped.againInMs;
  if (damped.news === 'none') return undefined;
  const written = await write(app, damped.news === 'health' ? damped.status : status, operation, world);
  if (written !== undefined) world.damping.told(key, damped.news);
  return undefined;
}

/** Kinds the cluster's credential may not list: what they hold of this Application can be neither found nor removed. */
function unreadable({ live }: Ready): string[] {
  return [...live.unknown].flatMap(([what, reason]) =>
    isUnlisted(what) ? [`${reason}; what is no longer wanted of it cannot be found and pruned`] : [],
  );
}

const comparisonWarnings: readonly ComparisonWarning['type'][] = [
  'SharedResourceWarning',
  'RepeatedResourceWarning',
  'ExcludedResourceWarning',
];

function warningsOf(comparison: Comparison | undefined, wanted: ComparisonWarning['type']): string[] {
  return (comparison?.warnings ?? []).flatMap(({ type, message }) => (type === wanted ? [message] : []));
}

/** One condition for each message, the first of them where there are many: thousands are read by nobody. */
function conditions(types: readonly [string, ...string[]], messages: readonly string[]): OwnedConditions {
  const rest = messages.length - mostOfAType;
  const told = rest > 0 ? [...messages.slice(0, mostOfAType), `… and ${rest} more of this kind`] : messages;
  return { types, conditions: told.map((message) => ({ type: types[0], message })) };
}

const mostOfAType = 50;

/**
 * Stores how far an operation has come, and nothing else: the comparison is told when it is over. Answers the Application
 * as it now stands, which later writes of the same pass must begin with.
 */
export async function checkpoint(app: Application, operationState: OperationState, world: World): Promise<Application> {
  const status = { ...app.status, operationState };
  const written = await write(app, status, operationState, world);
  // What was announced before needs no second word, but another controller may have seen it through since.
  const { metadata } = written === undefined ? await confirmOperation(app, world) : withVersion(app, written);
  return { ...app, metadata, status, operation: app.operation ?? operationState.operation };
}

/** Makes sure, without a change, that nobody else has taken the operation further: `kube-conflict` otherwise. */
export async function confirmOperation(app: Application, world: World): Promise<Application> {
  return withVersion(app, await world.patchApplication(app, {}, 'operation'));
}

function withVersion(app: Application, resourceVersion: string | undefined): Application {
  return resourceVersion === undefined ? app : { ...app, metadata: { ...app.metadata, resourceVersion } };
}

/** Writes a refusal: a condition, and nothing known about sync or health. A sync somebody asked for ends with it. */
export async function reportRefusal(app: Application, condition: string, message: string, world: World): Promise<void> {
  const now = timeText(world.now());
  const operationState = refusedOperation(app, condition, message, now);
  const deletion = app.metadata.deletionTimestamp === undefined ? [] : [message];
  const status = uncompared(app, world, {
    health: { status: 'Unknown' },
    revision: undefined,
    revisions: undefined,
    ...(operationState === undefined ? {} : { operationState }),
    conditions: [
      { types: ['InvalidSpecError', 'UnknownError', 'SyncError'], conditions: [{ type: condition, message }] },
      conditions(['DeletionError'], deletion),
    ],
  });
  world.seen(app, status);
  await write(app, status, operationState, world);
}

/**
 * Writes that the cluster has not answered; an operation waits for it. The words are ours alone: what a server run by a
 * tenant says does not belong on an Application.
 */
export async function reportUnreachable(app: Application, error: ArgosyError, world: World): Promise<void> {
  // Of the reasons only this one is told: the others would let a tenant find out what listens where.
  const why =
    error.code === 'kube-unauthorized'
      ? 'the cluster does not accept the credential of its Secret (401; it may have expired: renew it)'
      : 'the cluster does not answer';
  const message = `${why}, so nothing is known of its objects; it is tried again`;
  const status = uncompared(app, world, {
    health: { status: 'Unknown' },
    conditions: [conditions(['InvalidSpecError', 'UnknownError'], []), conditions(['ComparisonError'], [message])],
  });
  world.seen(app, status);
  await write(app, status, undefined, world);
}

/** A sync somebody asked for ends where the Application is refused; without its project nothing could be loaded. */
function refusedOperation(
  { operation }: Application,
  condition: string,
  refusal: string,
  now: string,
): OperationState | undefined {
  if (operation === undefined) return undefined;
  const message = condition === 'UnknownError' ? `Failed to load application project: ${refusal}` : refusal;
  return { operation, phase: 'Error', message, startedAt: now, finishedAt: now };
}

/** Writes why a deletion does not go on, or takes it back. */
export async function reportDeletion(app: Application, messages: readonly string[], world: World): Promise<void> {
  await writeConditions(app, conditions(['DeletionError'], messages), world);
}

/** Writes that passes fail by a fault of ours; the next one that works takes it back. */
export async function reportOwnFault(app: Application, world: World): Promise<void> {
  await writeConditions(app, conditions(['UnknownError', 'InvalidSpecError'], [ownFaultText]), world);
}

/** Writes some conditions; all else that is known stays as it was said. */
async function writeConditions(app: Application, said: OwnedConditions, world: World): Promise<void> {
  const after = conditionsAfter(app.status?.conditions ?? [], said, timeText(world.now()));
  await write(app, { ...app.status, conditions: after }, undefined, world);
}

/** A status without a comparison: what is not said otherwise stays as it was. */
function uncompared(
  app: Application,
  world: World,
  facts: Pick<StatusFacts, 'health' | 'conditions'> & Partial<StatusFacts>,
): ApplicationStatus {
  return foldStatus({
    app,
    now: timeText(world.now()),
    controlPlane: world.controlPlane,
    comparison: undefined,
    revision: app.status?.sync?.revision,
    revisions: app.status?.sync?.revisions,
    sourceType: undefined,
    operationState: app.status?.operationState,
    ...facts,
  });
}

/** Writes a status, or as much of it as the API server takes. */
async function write(
  app: Application,
  status: ApplicationStatus,
  operation: OperationState | undefined,
  world: World,
): Promise<string | undefined> {
  try {
    return await put(app, status, operation, world);
  } catch (error) {
    if (!isArgosyError(error) || error.code !== 'kube-too-large') throw error;
    const small = smallStatus(app, status, timeText(world.now()));
    if (operation === undefined || isOver(operation)) return put(app, small, operation, world);
    // Of one that goes on every row counts, or a hook would run twice: it does not go on, and that is told.
    await put(app, { ...app.status, conditions: small.conditions ?? [] }, undefined, world);
    throw error;
  }
}

async function put(
  app: Application,
  status: ApplicationStatus,
  operation: OperationState | undefined,
  world: World,
): Promise<string | undefined> {
  const before = { status: app.status ?? {} } as unknown as JsonObject; // a parsed status is JSON
  const patch = patchBetween(before, { status } as unknown as JsonObject); // so is a folded one
  const refreshed = isRefreshed(app);
  const field = operationField(app, operation);
  if (patch === undefined && Object.keys(field).length === 0 && !refreshed) return undefined;
  const news = {
    ...patch,
    ...field,
    ...(refreshed ? { metadata: { annotations: { [refreshAnnotation]: null } } } : {}),
  };
  const resourceVersion = await world.patchApplication(app, news, operation === undefined ? undefined : 'operation');
  world.told(app, status);
  return resourceVersion;
}

/** Somebody waits for the answer on the Application, whatever there is to say. */
function isAsked(app: Application, operation: OperationState | undefined): boolean {
  return isRefreshed(app) || Object.keys(operationField(app, operation)).length > 0;
}

function isRefreshed({ metadata }: Application): boolean {
  return metadata.annotations?.[refreshAnnotation] !== undefined;
}

/** While an operation runs it stands on the object, where tools look for it; once it is over it goes. */
function operationField(app: Application, state: OperationState | undefined): JsonObject {
  if (state === undefined) return {};
  if (isOver(state)) return app.operation === undefined ? {} : { operation: null };
  return app.operation === undefined ? { operation: state.operation as unknown as JsonObject } : {}; // a parsed operation is JSON
}

function isOver({ phase }: OperationState): boolean {
  return phase !== 'Running' && phase !== 'Terminating';
}
