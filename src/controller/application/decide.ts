import type { Operation } from '../../core/api/index.ts';
import { type Comparison, compare, isOurs } from '../../core/diff/index.ts';
import { aggregateHealth, assess, type Health } from '../../core/health/index.ts';
import { asJson } from '../../core/objects/index.ts';
import type { DeleteTask } from '../../core/sync/index.ts';
import type { Ready } from './gather.ts';

/** The cascade finalizers: objects go before the Application does. */
export const cascadeFinalizers = [
  'resources-finalizer.argocd.argoproj.io',
  'resources-finalizer.argocd.argoproj.io/foreground',
  'resources-finalizer.argocd.argoproj.io/background',
];

/** What to do in this pass. */
export type Decision =
  /** Nothing to do, or nothing that may be done; say what is known. */
  | { readonly next: 'say'; readonly comparison: Comparison | undefined; readonly health: Health }
  | { readonly next: 'sync'; readonly comparison: Comparison; readonly operation: Operation }
  | { readonly next: 'remove'; readonly tasks: readonly DeleteTask[] }
  /** Nothing is left of it: the finalizer may go. */
  | { readonly next: 'release' }
  /** Something could not be read that must be known first. */
  | { readonly next: 'wait' };

/** Decides from the inputs alone. */
export function decide(inputs: Ready): Decision {
  if (inputs.app.metadata.deletionTimestamp !== undefined) return decideRemoval(inputs);
  if (inputs.sourceError !== undefined) return { next: 'say', comparison: undefined, health: { status: 'Unknown' } };
  const comparison = compare(inputs.targets, inputs.live, { instance: inputs.instance });
  const operation = comparison.errors.length > 0 ? undefined : operationFor(inputs, comparison);
  if (operation === undefined) return { next: 'say', comparison, health: healthOf(comparison) };
  return { next: 'sync', comparison, operation };
}

/** The health of an Application from what was compared. */
export function healthOf(comparison: Comparison): Health {
  return aggregateHealth(
    comparison.objects.map(({ live, hook }) => ({
      live: live !== undefined,
      counts: !hook,
      health: live === undefined ? undefined : assess(asJson(live.object)),
    })),
  );
}

/** A sync somebody asked for, one that is under way, or one the Application's own policy asks for. */
function operationFor({ app, revision }: Ready, comparison: Comparison): Operation | undefined {
  if (app.operation !== undefined) return app.operation;
  const last = app.status?.operationState;
  if (last?.phase === 'Running' || last?.phase === 'Terminating') return last.operation;
  const automated = app.spec.syncPolicy?.automated;
  if (automated === undefined || automated.enabled === false || comparison.status !== 'OutOfSync') return undefined;
  const attempted = last !== undefined && last.syncResult?.revision === revision;
  if (attempted && (last.phase !== 'Succeeded' || automated.selfHeal !== true)) return undefined;
  const empty = comparison.objects.length > 0 && comparison.objects.every(({ requiresPruning }) => requiresPruning);
  if (empty && automated.prune === true && automated.allowEmpty !== true) return undefined;
  return {
    sync: {
      ...(revision === undefined ? {} : { revision }),
      prune: automated.prune === true,
      ...(app.spec.syncPolicy?.syncOptions === undefined ? {} : { syncOptions: app.spec.syncPolicy.syncOptions }),
    },
    initiatedBy: { automated: true },
  };
}

function decideRemoval({ app, live, instance }: Ready): Decision {
  const cascade = (app.metadata.finalizers ?? []).find((finalizer) => cascadeFinalizers.includes(finalizer));
  if (cascade === undefined) return { next: 'wait' };
  // What could not be read may hold objects of ours: the Application stays until it can be.
  if (live.unknown.size > 0) return { next: 'wait' };
  const ours = [...live.objects.values()].filter((object) => isOurs(object, instance));
  if (ours.length === 0) return { next: 'release' };
  const propagation = cascade.endsWith('/background') ? 'Background' : 'Foreground';
  const tasks = ours.flatMap(({ key, object }): DeleteTask[] => {
    const { uid, resourceVersion, deletionTimestamp } = object.metadata;
    if (uid === undefined || resourceVersion === undefined || deletionTimestamp !== undefined) return [];
    const place = { key, version: '', phase: 'Sync', wave: 0, hook: false } as const;
    return [{ act: 'delete', ...place, uid, resourceVersion, propagation, why: 'cascade', dryRun: false }];
  });
  return { next: 'remove', tasks };
}
