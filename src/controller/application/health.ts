import type { ResourceOverride, Settings } from '../../core/api/index.ts';
import { assess, type CustomChecks, customChecks, type Health } from '../../core/health/index.ts';
import { asJson, groupOf, type KubeObject } from '../../core/objects/index.ts';

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
