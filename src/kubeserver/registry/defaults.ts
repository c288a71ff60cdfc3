import { type JsonObject, type MutableJsonObject, thaw } from '../../core/json/index.ts';
import { child } from './defaults/fill.ts';
import * as network from './defaults/network.ts';
import * as others from './defaults/others.ts';
import { defaultPod, defaultTemplate } from './defaults/pod.ts';
import { prepareOf } from './defaults/prepare.ts';
import * as workloads from './defaults/workloads.ts';

export { canonicalQuantity } from './defaults/quantity.ts';

type Defaulter = (object: MutableJsonObject) => void;

const defaulters: ReadonlyMap<string, Defaulter> = new Map<string, Defaulter>([
  ['/Pod', defaultPod],
  ['/PodTemplate', (object) => defaultTemplate(child(object, 'template'))],
  ['/ReplicationController', workloads.defaultReplicationController],
  ['/Service', network.defaultService],
  ['/Endpoints', network.defaultEndpoints],
  ['/Namespace', others.defaultNamespace],
  ['/Secret', others.defaultSecret],
  ['/LimitRange', others.defaultLimitRange],
  ['/PersistentVolumeClaim', others.defaultClaim],
  ['/PersistentVolume', others.defaultPersistentVolume],
  ['/Event', others.defaultEvent],
  ['apps/Deployment', workloads.defaultDeployment],
  ['apps/StatefulSet', workloads.defaultStatefulSet],
  ['apps/DaemonSet', workloads.defaultDaemonSet],
  ['apps/ReplicaSet', workloads.defaultReplicaSet],
  ['batch/Job', workloads.defaultJob],
  ['batch/CronJob', workloads.defaultCronJob],
  ['discovery.k8s.io/EndpointSlice', network.defaultEndpointSlice],
  ['networking.k8s.io/IngressClass', network.defaultIngressClass],
  ['networking.k8s.io/NetworkPolicy', network.defaultNetworkPolicy],
  ['autoscaling/v2/HorizontalPodAutoscaler', network.defaultAutoscaler],
  ['autoscaling/v1/HorizontalPodAutoscaler', network.defaultAutoscalerV1],
  ['storage.k8s.io/StorageClass', others.defaultStorageClass],
  ['storage.k8s.io/CSIDriver', others.defaultCsiDriver],
  ['scheduling.k8s.io/PriorityClass', others.defaultPriorityClass],
  ['rbac.authorization.k8s.io/Role', others.defaultRole],
  ['rbac.authorization.k8s.io/ClusterRole', others.defaultRole],
  ['rbac.authorization.k8s.io/RoleBinding', others.defaultBinding],
  ['rbac.authorization.k8s.io/ClusterRoleBinding', others.defaultBinding],
  ['admissionregistration.k8s.io/ValidatingWebhookConfiguration', others.defaultWebhooks],
  ['admissionregistration.k8s.io/MutatingWebhookConfiguration', others.defaultWebhooks],
  ['apiextensions.k8s.io/CustomResourceDefinition', others.defaultCustomResourceDefinition],
]);

/**
 * The object with the defaults that Kubernetes writes in Go rather than in its OpenAPI: at every write, before
 * validation. Kinds without such defaults come back as they are.
 */
export function defaultBuiltIn(group: string, version: string, kind: string, object: JsonObject): JsonObject {
  const fillIn = defaulters.get(`${group}/${kind}`) ?? defaulters.get(`${group}/${version}/${kind}`);
  if (fillIn === undefined) return object;
  const copy = thaw(object);
  fillIn(copy);
  return copy;
}

/** The object as it begins its life: its first status and what only creation sets. */
export function prepareBuiltIn(group: string, version: string, kind: string, object: JsonObject): JsonObject {
  const prepare = prepareOf(group, version, kind);
  if (prepare === undefined) return object;
  const copy = thaw(object);
  prepare(copy);
  return copy;
}
