import type { Application, ResourceOverride, Settings } from '../../core/api/index.ts';
import type { ComparedObject, Comparison } from '../../core/diff/index.ts';
import { aggregateHealth, assess, type CustomChecks, customChecks, type Health } from '../../core/health/index.ts';
import { asJson, groupOf, type KubeObject, type ObjectKey, printKey } from '../../core/objects/index.ts';
import type { World } from './world.ts';

const compiled = new WeakMap<ReadonlyMap<string, ResourceOverride>, CustomChecks>();

/** The admin's health checks, compiled once for each value of the settings. */
export function checksOf({ resourceOverrides }: Pick<Settings, 'resourceOverrides'>): CustomChecks {
  const known = compiled.get(resourceOverrides);
  if (known !== undefined) return known;
  const checks = customChecks(resourceOverrides, () => Date.now() / 1000);
  compiled.set(resourceOverrides, checks);
  return checks;
}

/** How an object is doing, by the admin's check for its kind or else by the built-in one. */
export function assessWith(checks: CustomChecks, object: KubeObject): Health | undefined {
  return assess(asJson(object), checks.of(groupOf(object.apiVersion), object.kind));
}

/** The health of an Application from what was compared, and which of its objects' health could not be told. */
export function healthOf(
  app: Application,
  comparison: Comparison | undefined,
  world: Pick<World, 'health' | 'controlPlane'>,
): { readonly health: Health; readonly errors: readonly string[] } {
  if (comparison === undefined) return { health: { status: 'Unknown' }, errors: [] };
  // A pass asks twice, before it decides and when it reports; scripts need not run twice for that.
  const known = judged.get(comparison);
  if (known !== undefined) return known;
  const found = judgeHealth(app, comparison, world);
  judged.set(comparison, found);
  return found;
}

const judged = new WeakMap<Comparison, ReturnType<typeof judgeHealth>>();

function judgeHealth(
  app: Application,
  comparison: Comparison,
  world: Pick<World, 'health' | 'controlPlane'>,
): { readonly health: Health; readonly errors: readonly string[] } {
  const errors: string[] = [];
  const parts = comparison.objects.map((object) => {
    const health = object.live === undefined ? undefined : world.health(object.live.object);
    const counts = isCounted(object, health) && !isSelf(object.key, app, world.controlPlane);
    if (counts && health?.failed === true) {
      errors.push(`the health of ${printKey(object.key)} cannot be told: ${health.message ?? ''}`);
    }
    return { live: object.live !== undefined, counts, health };
  });
  return { health: aggregateHealth(parts), errors };
}

function isCounted({ key, live, hook, status }: ComparedObject, health: Health | undefined): boolean {
  if (hook || status === undefined) return false;
  if (live?.object.metadata.annotations?.['argocd.argoproj.io/ignore-healthcheck'] === 'true') return false;
  // A child that has not been looked at yet, or cannot be, says nothing about its parent.
  return !(isApplication(key) && (health?.status === 'Missing' || health?.status === 'Unknown'));
}

/** An Application may be among its own manifests; its health cannot hang on itself. */
function isSelf(key: ObjectKey, { metadata }: Application, controlPlane: string): boolean {
  return isApplication(key) && key.name === metadata.name && key.namespace === (metadata.namespace ?? controlPlane);
}

function isApplication({ group, kind }: ObjectKey): boolean {
  return group === 'argoproj.io' && kind === 'Application';
}
