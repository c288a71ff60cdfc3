import { groupOf } from '../objects/index.ts';

const groups = new Set([
  '',
  'apps',
  'batch',
  'autoscaling',
  'policy',
  'extensions',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

/**
 * Tells whether the API server decodes objects of this version into a type of its own: then empty fields are dropped,
 * quantities rewritten and nulls forgotten. Custom objects are stored as written.
 */
export function isBuiltIn(apiVersion: string): boolean {
  return groups.has(groupOf(apiVersion));
}

/** Fields of built-in types in which nothing means "as usual": the server fills them in. */
export const filledWhenEmpty: ReadonlySet<string> = new Set([
  'clusterIP',
  'concurrencyPolicy',
  'dnsPolicy',
  'externalTrafficPolicy',
  'healthCheckNodePort',
  'imagePullPolicy',
  'nodePort',
  'podManagementPolicy',
  'protocol',
  'restartPolicy',
  'schedulerName',
  'sessionAffinity',
  'targetPort',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'type',
]);

/** Maps whose keys are a user's: an empty value in them is a value, where an empty field of a struct is none. */
export const freeMaps: ReadonlySet<string> = new Set([
  'annotations',
  'binaryData',
  'data',
  'labels',
  'matchLabels',
  'nodeSelector',
  'parameters',
  'properties',
  'selector',
  'stringData',
  'volumeAttributes',
]);

/** Maps from the name of a resource to a quantity. */
const quantityMaps = new Set([
  'allocatable',
  'allocatedResources',
  'capacity',
  'default',
  'defaultRequest',
  'hard',
  'limits',
  'max',
  'maxLimitRequestRatio',
  'min',
  'podFixed',
  'requests',
]);
const quantityFields = new Set([
  'averageValue',
  'divisor',
  'maximumVolumeSize',
  'sizeLimit',
  'targetAverageValue',
  'targetValue',
]);

/** Tells whether a field of a workload or a built-in kind holds a quantity, by its name and its parent's. */
export function holdsQuantity(kind: string, parent: string | undefined, field: string): boolean {
  if (parent !== undefined && quantityMaps.has(parent)) return true;
  if (quantityFields.has(field)) return true;
  return field === 'value' && kind === 'HorizontalPodAutoscaler';
}

/** The keys by which lists of built-in types are merged, by the list's field; tried in order. */
const keysByField: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  ['containers', [['name']]],
  ['initContainers', [['name']]],
  ['ephemeralContainers', [['name']]],
  ['volumes', [['name']]],
  ['env', [['name']]],
  ['imagePullSecrets', [['name']]],
  ['secrets', [['name']]],
  ['webhooks', [['name']]],
  ['validations', [['name']]],
  ['volumeMounts', [['mountPath']]],
  ['volumeDevices', [['devicePath']]],
  ['hostAliases', [['ip']]],
  ['resourceClaims', [['name']]],
  ['schedulingGates', [['name']]],
  ['topologySpreadConstraints', [['topologyKey', 'whenUnsatisfiable']]],
  [
    'ports',
    [
      ['containerPort', 'protocol'],
      ['port', 'protocol'],
    ],
  ],
  ['ownerReferences', [['uid']]],
]);

/** Keys for a list of a built-in type that nobody's managed fields describe; undefined where it is replaced as a whole. */
export function usualKeys(field: string, item: (key: string) => boolean): readonly string[] | undefined {
  return keysByField.get(field)?.find(([first = '']) => item(first));
}

/** What stands for a key of a list that an item leaves out. */
export function usualKeyValue(name: string): string | undefined {
  return name === 'protocol' ? 'TCP' : undefined;
}
