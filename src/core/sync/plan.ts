import type { ComparedObject, Comparison } from '../diff/index.ts';
import { printKey } from '../objects/index.ts';
import type { ApplyTask, DeleteTask, Task } from './types.ts';

export interface PlanOptions {
  /** Remove what bears the Application's mark and is no longer asked for. */
  readonly prune: boolean;
}

/** The tasks that make the cluster match, in the order they are carried out; objects that match need none. */
export function planSync(comparison: Comparison, options: PlanOptions): Task[] {
  const applies = comparison.objects.flatMap((object) => applyTask(object));
  const prunes = options.prune ? comparison.objects.flatMap((object) => pruneTask(object)) : [];
  return [...applies.sort(byOrder), ...prunes.sort((a, b) => byOrder(b, a))];
}

function applyTask({ key, version, target, live, modified, wave, hook }: ComparedObject): ApplyTask[] {
  if (target === undefined || !modified) return [];
  const task: ApplyTask = {
    act: 'apply',
    key,
    version,
    phase: 'Sync',
    wave,
    hook,
    object: target.object,
    mode: 'server',
    force: false,
    validate: true,
    live: live?.object,
  };
  return [task];
}

function pruneTask({ key, version, live, requiresPruning, wave, hook }: ComparedObject): DeleteTask[] {
  const { uid, resourceVersion } = live?.object.metadata ?? {};
  if (!requiresPruning || uid === undefined || resourceVersion === undefined) return [];
  return [
    {
      act: 'delete',
      key,
      version,
      phase: 'Sync',
      wave,
      hook,
      uid,
      resourceVersion,
      propagation: 'Foreground',
      why: 'prune',
    },
  ];
}

/** Argo CD's order of kinds; all others come last, equal among themselves. */
const kindOrder = new Map(
  `Namespace NetworkPolicy ResourceQuota LimitRange PodSecurityPolicy PodDisruptionBudget ServiceAccount Secret SecretList
  ConfigMap StorageClass PersistentVolume PersistentVolumeClaim CustomResourceDefinition ClusterRole ClusterRoleList
  ClusterRoleBinding ClusterRoleBindingList Role RoleList RoleBinding RoleBindingList Service DaemonSet Pod
  ReplicationController ReplicaSet Deployment HorizontalPodAutoscaler StatefulSet Job CronJob IngressClass Ingress APIService`
    .split(/\s+/)
    .map((kind, place) => [kind, place]),
);

function byOrder(a: Task, b: Task): number {
  const rank = (task: Task): number => kindOrder.get(task.key.kind) ?? kindOrder.size;
  return (
    a.wave - b.wave ||
    rank(a) - rank(b) ||
    a.key.name.localeCompare(b.key.name) ||
    printKey(a.key).localeCompare(printKey(b.key))
  );
}
