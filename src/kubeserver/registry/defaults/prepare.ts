import { type MutableJsonObject, thaw } from '../../../core/json/index.ts';
import { child, each, ensure } from './fill.ts';

type Prepare = (object: MutableJsonObject) => void;

/** What a kind begins its life with: its first status, and what only creation sets. Pods are admission's. */
const prepares: ReadonlyMap<string, Prepare> = new Map<string, Prepare>([
  ['/Namespace', prepareNamespace],
  ['/Service', status({ loadBalancer: {} })],
  ['/ReplicationController', status({ replicas: 0 })],
  ['/ResourceQuota', status({})],
  ['/PersistentVolumeClaim', status({ phase: 'Pending' })],
  ['/PersistentVolume', status({ phase: 'Pending' })],
  ['apps/Deployment', status({})],
  ['apps/StatefulSet', status({ replicas: 0, availableReplicas: 0 })],
  ['apps/DaemonSet', prepareDaemonSet],
  ['apps/ReplicaSet', status({ replicas: 0 })],
  ['batch/Job', status({})],
  ['batch/CronJob', status({})],
  ['networking.k8s.io/Ingress', status({ loadBalancer: {} })],
  ['autoscaling/v2/HorizontalPodAutoscaler', status({ desiredReplicas: 0, currentMetrics: null })],
  ['autoscaling/v1/HorizontalPodAutoscaler', status({ currentReplicas: 0, desiredReplicas: 0 })],
  [
    'policy/PodDisruptionBudget',
    status({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }),
  ],
  ['apiextensions.k8s.io/CustomResourceDefinition', prepareDefinition],
]);

/** Finds what creation does to objects of a kind. */
export function prepareOf(group: string, version: string, kind: string): Prepare | undefined {
  return prepares.get(`${group}/${kind}`) ?? prepares.get(`${group}/${version}/${kind}`);
}

/** Whatever status a client sends at creation is dropped: status has a door of its own. */
function status(first: MutableJsonObject): Prepare {
  return (object) => {
    object['status'] = thaw(first);
  };
}

function prepareNamespace(object: MutableJsonObject): void {
  ensure(object, 'spec')['finalizers'] = ['kubernetes'];
  object['status'] = { phase: 'Active' };
}

function prepareDaemonSet(object: MutableJsonObject): void {
  ensure(ensure(object, 'metadata'), 'annotations')['deprecated.daemonset.template.generation'] = '1';
  object['status'] = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
}

function prepareDefinition(object: MutableJsonObject): void {
  const stored = each(child(object, 'spec'), 'versions').find((version) => version['storage'] === true);
  const storedVersions = stored === undefined ? [] : [stored['name'] ?? ''];
  object['status'] = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions };
}
