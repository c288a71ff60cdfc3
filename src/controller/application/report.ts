import type { Application, ApplicationStatus, OperationState } from '../../core/api/index.ts';
import type { Comparison } from '../../core/diff/index.ts';
import type { Health } from '../../core/health/index.ts';
import type { JsonObject } from '../../core/json/index.ts';
import { foldStatus, type OwnedConditions, patchBetween } from '../../core/status/index.ts';
import { healthOf } from './decide.ts';
import type { Ready } from './gather.ts';
import type { World } from './world.ts';

const refreshAnnotation = 'argocd.argoproj.io/refresh';

/** What a pass found and did. */
export interface Findings {
  readonly comparison: Comparison | undefined;
  readonly health?: Health | undefined;
  readonly operationState?: OperationState | undefined;
}

/** Writes what a pass found and did, once, and only if it means something new. */
export async function report(
  inputs: Ready,
  { comparison, health, operationState }: Findings,
  world: World,
): Promise<void> {
  const { app } = inputs;
  const status = foldStatus({
    app,
    now: world.now(),
    controlPlane: world.controlPlane,
    comparison,
    health: health ?? (comparison === undefined ? { status: 'Unknown' } : healthOf(comparison)),
    revision: inputs.revision ?? app.status?.sync?.revision,
    sourceType: inputs.sourceType,
    operationState: operationState ?? app.status?.operationState,
    conditions: [admitted, comparisonConditions(inputs, comparison)],
  });
  const ended = operationState !== undefined && operationState.finishedAt !== undefined;
  await write(app, status, { consumed: ended && app.operation !== undefined }, world);
}

/** Stores how far an operation has come, and nothing else: the comparison is told when it is over. */
export async function checkpoint(app: Application, operationState: OperationState, world: World): Promise<void> {
  await write(app, { ...app.status, operationState }, { consumed: false }, world);
}

/** Writes a refusal: a condition, and nothing known about sync or health. */
export async function reportRefusal(app: Application, condition: string, message: string, world: World): Promise<void> {
  const status = foldStatus({
    app,
    now: world.now(),
    controlPlane: world.controlPlane,
    comparison: undefined,
    health: { status: 'Unknown' },
    revision: undefined,
    sourceType: undefined,
    operationState: app.status?.operationState,
    conditions: [{ types: admitted.types, conditions: [{ type: condition, message }] }],
  });
  await write(app, status, { consumed: false }, world);
}

/** Admitted: whatever was refused before is no longer. */
const admitted: OwnedConditions = { types: ['InvalidSpecError', 'UnknownError'], conditions: [] };

function comparisonConditions(inputs: Ready, comparison: Comparison | undefined): OwnedConditions {
  const messages = inputs.sourceError === undefined ? (comparison?.errors ?? []) : [inputs.sourceError];
  return { types: ['ComparisonError'], conditions: messages.map((message) => ({ type: 'ComparisonError', message })) };
}

async function write(
  app: Application,
  status: ApplicationStatus,
  { consumed }: { consumed: boolean },
  world: World,
): Promise<void> {
  const before = { status: app.status ?? {} } as unknown as JsonObject; // a parsed status is JSON
  const patch = patchBetween(before, { status } as unknown as JsonObject); // so is a folded one
  const refreshed = app.metadata.annotations?.[refreshAnnotation] !== undefined;
  if (patch === undefined && !consumed && !refreshed) return;
  await world.patchApplication(app, {
    ...patch,
    ...(consumed ? { operation: null } : {}),
    ...(refreshed ? { metadata: { annotations: { [refreshAnnotation]: null } } } : {}),
  });
}
