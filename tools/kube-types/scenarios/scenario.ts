import type { Json, JsonObject } from '../../../src/core/json/index.ts';

/** One request about the object of a scenario. */
export interface Step {
  readonly verb: 'create' | 'update' | 'apply' | 'json' | 'merge' | 'strategic' | 'delete';
  readonly manager?: string;
  readonly force?: boolean;
  readonly subresource?: string;
  /** The body; for `update` a change laid over the stored object (a merge patch the recorder applies itself). */
  readonly body: Json;
}

/** What is asked of one object, in order; the recorder keeps each answer. */
export interface Scenario {
  readonly title: string;
  readonly resource: 'configmaps' | 'deployments' | 'services' | 'widgets';
  readonly name: string;
  readonly steps: readonly Step[];
}

const kinds = {
  configmaps: { apiVersion: 'v1', kind: 'ConfigMap' },
  deployments: { apiVersion: 'apps/v1', kind: 'Deployment' },
  services: { apiVersion: 'v1', kind: 'Service' },
  widgets: { apiVersion: 'example.com/v1', kind: 'Widget' },
};

/** An object of a resource as it is sent. */
export function of(
  resource: Scenario['resource'],
  name: string,
  rest: JsonObject,
  metadata: JsonObject = {},
): JsonObject {
  return { ...kinds[resource], metadata: { name, namespace: 'default', ...metadata }, ...rest };
}

/** A scenario by its parts. */
export function scenario(
  title: string,
  resource: Scenario['resource'],
  name: string,
  steps: readonly Step[],
): Scenario {
  return { title, resource, name, steps };
}

/** A ConfigMap. */
export const map = (name: string, data: JsonObject, metadata?: JsonObject): JsonObject =>
  of('configmaps', name, { data }, metadata);
/** An object of the CRD the recorder makes. */
export const widget = (name: string, spec: JsonObject, metadata?: JsonObject): JsonObject =>
  of('widgets', name, { spec: { replicas: 1, ...spec } }, metadata);
const selector = { matchLabels: { app: 'a' } };
/** A Deployment. */
export const deployment = (
  name: string,
  spec: JsonObject,
  containers: JsonObject[] = [{ name: 'main', image: 'nginx' }],
  metadata?: JsonObject,
): JsonObject =>
  of(
    'deployments',
    name,
    { spec: { selector, template: { metadata: { labels: { app: 'a' } }, spec: { containers } }, ...spec } },
    metadata,
  );
