import { isObject, type Json, type JsonObject, objectAt } from '../../core/json/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import type { Inside } from '../ports.ts';
import type { Sets } from './deployment.ts';
import { numberAt, setStatus, specOf, statusOf, timeText, withCondition } from './objects.ts';
import { replicaSetText } from './replica-set.ts';
import { margins } from './rollout.ts';

interface Counts {
  readonly desired: number;
  readonly replicas: number;
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
}

function countsOf(deployment: KubeObject, { all, fresh }: Sets): Counts {
  const total = (key: string): number => all.reduce((sum, set) => sum + numberAt(statusOf(set), key, 0), 0);
  return {
    desired: numberAt(specOf(deployment), 'replicas', 1),
    replicas: total('replicas'),
    updated: fresh === undefined ? 0 : numberAt(statusOf(fresh), 'replicas', 0),
    ready: total('readyReplicas'),
    available: total('availableReplicas'),
  };
}

/** Writes how far a Deployment is; answers when its deadline is to be looked at. */
export async function reportDeployment(
  inside: Inside,
  deployment: KubeObject,
  sets: Sets,
): Promise<number | undefined> {
  const counts = countsOf(deployment, sets);
  const { desired, replicas, updated, ready, available } = counts;
  const shown = (count: number): number | undefined => (count === 0 ? undefined : count);
  const progress = progressing(inside, deployment, sets, counts);
  const now = timeText(inside.now());
  const conditions = withTimes(
    statusOf(deployment)['conditions'],
    [availability(deployment, counts), progress.condition],
    now,
  );
  await setStatus(inside, deployment, {
    observedGeneration: deployment.metadata.generation ?? 1,
    replicas: shown(replicas),
    updatedReplicas: shown(updated),
    readyReplicas: shown(ready),
    availableReplicas: shown(available),
    unavailableReplicas: shown(Math.max(0, Math.max(desired, replicas) - available)),
    terminatingReplicas: 0,
    conditions,
  });
  return progress.again;
}

/** A condition's update time moves with its reason or message, its transition time only with its status. */
function withTimes(before: Json | undefined, wanted: readonly JsonObject[], now: string): Json[] {
  let list: Json[] = Array.isArray(before) ? [...(before as Json[])] : []; // a JSON list
  for (const condition of wanted) {
    const same = list.find((item): item is JsonObject => isObject(item) && item['type'] === condition['type']);
    const equalSo = ['status', 'reason', 'message'].every((key) => same?.[key] === condition[key]);
    const lastUpdateTime = (equalSo ? same?.['lastUpdateTime'] : now) ?? now;
    list = withCondition(list, { ...condition, lastUpdateTime }, now);
  }
  return list;
}

function availability(deployment: KubeObject, { desired, available }: Counts): JsonObject {
  const strategy = objectAt(specOf(deployment), 'strategy') ?? {};
  const least = strategy['type'] === 'Recreate' ? desired : desired - margins(strategy, desired).unavailable;
  return available >= least
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
}

interface Progress {
  readonly condition: JsonObject;
  readonly again: number | undefined;
}

function progressing(inside: Inside, deployment: KubeObject, { fresh }: Sets, counts: Counts): Progress {
  const type = 'Progressing';
  if (specOf(deployment)['paused'] === true) {
    const condition = { type, status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' };
    return { condition, again: undefined };
  }
  const set = fresh === undefined ? 'ReplicaSet' : replicaSetText(fresh);
  const { desired, updated, replicas, available } = counts;
  if (updated === desired && replicas === desired && available === desired) {
    const message = `${set} has successfully progressed.`;
    return { condition: { type, status: 'True', reason: 'NewReplicaSetAvailable', message }, again: undefined };
  }
  const left = deadlineLeft(inside, deployment, counts);
  if (left <= 0) {
    const message = `${set} has timed out progressing.`;
    return { condition: { type, status: 'False', reason: 'ProgressDeadlineExceeded', message }, again: undefined };
  }
  const message = `${set} is progressing.`;
  return { condition: { type, status: 'True', reason: 'ReplicaSetUpdated', message }, again: left + 50 };
}

/** Milliseconds until a rollout that makes no headway counts as failed. */
function deadlineLeft(inside: Inside, deployment: KubeObject, counts: Counts): number {
  const status = statusOf(deployment);
  const limit = numberAt(specOf(deployment), 'progressDeadlineSeconds', 600) * 1000;
  const moved =
    counts.updated > numberAt(status, 'updatedReplicas', 0) ||
    counts.ready > numberAt(status, 'readyReplicas', 0) ||
    counts.available > numberAt(status, 'availableReplicas', 0) ||
    (deployment.metadata.generation ?? 1) !== numberAt(status, 'observedGeneration', 0);
  const before = objectAt({ found: find(status['conditions']) ?? {} }, 'found') ?? {};
  if (moved || before['reason'] === 'NewReplicaSetAvailable' || before['reason'] === 'DeploymentPaused') return limit;
  if (before['reason'] === 'ProgressDeadlineExceeded') return 0;
  const since = before['lastUpdateTime'];
  return typeof since === 'string' ? Date.parse(since) + limit - inside.now().getTime() : limit;
}

function find(conditions: Json | undefined): JsonObject | undefined {
  if (!Array.isArray(conditions)) return undefined;
  return (conditions as Json[]).find((item): item is JsonObject => isObject(item) && item['type'] === 'Progressing');
}
