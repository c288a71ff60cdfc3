import { isArray, type JsonObject, own, stringAt } from '../json/index.ts';
import { parseApiVersion } from '../objects/index.ts';
import { assessAutoscaler } from './kinds/autoscaler.ts';
import { conditionChecks } from './kinds/by-condition.ts';
import { assessClaim } from './kinds/claim.ts';
import { assessCronJob } from './kinds/cron-job.ts';
import { assessDaemonSet } from './kinds/daemon-set.ts';
import { assessDeployment } from './kinds/deployment.ts';
import {
  assessApiService,
  assessApplicationSet,
  assessCrd,
  assessDisruptionBudget,
  assessWorkflow,
} from './kinds/extension.ts';
import { assessJob } from './kinds/job.ts';
import { assessIngress, assessService } from './kinds/network.ts';
import { assessPod } from './kinds/pod.ts';
import type { Assess } from './kinds/read.ts';
import { assessReplicaSet } from './kinds/replica-set.ts';
import { assessRollout } from './kinds/rollout.ts';
import { assessStatefulSet } from './kinds/stateful-set.ts';
import type { Health } from './types.ts';

/** Hooks are kept by this finalizer until their result was read; being deleted says nothing about them. */
const hookFinalizer = 'argocd.argoproj.io/hook-finalizer';

const builtIn: ReadonlyMap<string, Assess> = new Map<string, Assess>([
  ['apps/Deployment', assessDeployment],
  ['apps/StatefulSet', assessStatefulSet],
  ['apps/DaemonSet', assessDaemonSet],
  ['apps/ReplicaSet', assessReplicaSet],
  ['/Pod', assessPod],
  ['batch/Job', assessJob],
  ['batch/CronJob', assessCronJob],
  ['networking.k8s.io/Ingress', assessIngress],
  ['extensions/Ingress', assessIngress],
  ['/Service', assessService],
  ['/PersistentVolumeClaim', assessClaim],
  ['autoscaling/HorizontalPodAutoscaler', assessAutoscaler],
  ['apiregistration.k8s.io/APIService', assessApiService],
  ['apiextensions.k8s.io/CustomResourceDefinition', assessCrd],
  ['policy/PodDisruptionBudget', assessDisruptionBudget],
  ['argoproj.io/Rollout', assessRollout],
  ['argoproj.io/Workflow', assessWorkflow],
  ['argoproj.io/ApplicationSet', assessApplicationSet],
  ...conditionChecks(),
]);

/** Tells whether a kind has a health of its own, so that a cache knows whose bodies it needs. */
export function hasHealth(group: string, kind: string): boolean {
  return builtIn.has(`${group}/${kind}`);
}

/**
 * How an object is doing; undefined where its kind says nothing about that. `custom` is the check an admin has set for
 * the kind, which wins over the built-in one; it may throw, and then the answer is unknown, never healthy.
 */
export function assess(object: JsonObject, custom?: Assess): Health | undefined {
  if (stringAt(object, 'metadata', 'deletionTimestamp') !== undefined && !keptForItsResult(object)) {
    return { status: 'Progressing', message: 'Pending deletion' };
  }
  const { group } = parseApiVersion(stringAt(object, 'apiVersion') ?? '');
  const check = custom ?? builtIn.get(`${group}/${stringAt(object, 'kind') ?? ''}`);
  try {
    return check?.(object);
  } catch (error) {
    return { status: 'Unknown', message: error instanceof Error ? error.message : String(error), failed: true };
  }
}

function keptForItsResult(object: JsonObject): boolean {
  const finalizers = own(own(object, 'metadata'), 'finalizers');
  return isArray(finalizers) && finalizers.includes(hookFinalizer);
}
