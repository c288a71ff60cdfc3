import type { Json, JsonObject } from '../../core/json/index.ts';
import { isArray, isObject, stringAt } from '../../core/json/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import type { Actor, Inside } from '../ports.ts';
import { controlled } from './controlled.ts';
import { tell } from './events.ts';
import {
  controllerKey,
  isTrue,
  numberAt,
  remove,
  setStatus,
  specOf,
  statusOf,
  timeText,
  withCondition,
} from './objects.ts';
import { createPod, isFinished, isReady } from './pods-of.ts';
import { ownKey, reconciler, splitKey } from './reconciler.ts';

/** Runs Jobs to their end: pods until enough succeeded or too many failed. */
export function jobActor(): Actor {
  const watched = [
    { group: 'batch', kind: 'Job', keys: ownKey },
    { group: '', kind: 'Pod', keys: controllerKey('Job') },
  ];
  return reconciler('job', watched, async (inside, key) => {
    const job = inside.get('batch', 'Job', ...splitKey(key));
    if (job === undefined || job.metadata.deletionTimestamp !== undefined) return undefined;
    return isTrue(job, 'Complete') || isTrue(job, 'Failed') ? expire(inside, job) : run(inside, job);
  });
}

interface Tally {
  readonly active: readonly KubeObject[];
  readonly succeeded: number;
  readonly failed: number;
  readonly ready: number;
}

function tally(inside: Inside, job: KubeObject): Tally {
  const pods = controlled(inside, '', 'Pod', job);
  const phase = (pod: KubeObject): Json | undefined => statusOf(pod)['phase'];
  const active = pods.filter((pod) => !isFinished(pod) && pod.metadata.deletionTimestamp === undefined);
  const restarts = active.reduce((sum, pod) => sum + restartsOf(pod), 0);
  return {
    active,
    succeeded: pods.filter((pod) => phase(pod) === 'Succeeded').length,
    failed: pods.filter((pod) => phase(pod) === 'Failed').length + restarts,
    ready: active.filter(isReady).length,
  };
}

/** Pods that restart their containers in place count each restart as a failure. */
function restartsOf(pod: KubeObject): number {
  const list = statusOf(pod)['containerStatuses'];
  if (!isArray(list)) return 0;
  return list.reduce<number>((sum, item) => sum + (isObject(item) ? numberAt(item, 'restartCount', 0) : 0), 0);
}

async function run(inside: Inside, job: KubeObject): Promise<number | undefined> {
  const spec = specOf(job);
  const now = tally(inside, job);
  const completions = numberAt(spec, 'completions', 1);
  if (spec['suspend'] === true) return suspend(inside, job, now);
  if (now.failed > numberAt(spec, 'backoffLimit', 6))
    return fail(inside, job, 'BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  const left = deadlineLeft(inside, job);
  if (left !== undefined && left <= 0)
    return fail(inside, job, 'DeadlineExceeded', 'Job was active longer than specified deadline');
  if (now.succeeded >= completions) return complete(inside, job);
  const wanted = Math.min(numberAt(spec, 'parallelism', 1), completions - now.succeeded);
  for (let count = now.active.length; count < wanted; count += 1) await createPod(inside, job);
  for (const pod of now.active.slice(wanted)) await remove(inside, pod);
  await report(inside, job, {});
  return left;
}

function deadlineLeft(inside: Inside, job: KubeObject): number | undefined {
  const limit = specOf(job)['activeDeadlineSeconds'];
  const since = stringAt(statusOf(job), 'startTime');
  if (typeof limit !== 'number' || since === undefined) return undefined;
  return Date.parse(since) + limit * 1000 - inside.now().getTime();
}

async function report(inside: Inside, job: KubeObject, more: { readonly [key: string]: Json }): Promise<void> {
  const { active, succeeded, failed, ready } = tally(inside, job);
  const shown = (count: number): number | undefined => (count === 0 ? undefined : count);
  const counts = { active: shown(active.length), succeeded: shown(succeeded), failed: shown(failed) };
  const startTime = stringAt(statusOf(job), 'startTime') ?? timeText(inside.now());
  await setStatus(inside, job, { startTime, ...counts, ready, terminating: 0, uncountedTerminatedPods: {}, ...more });
}

function conditions(inside: Inside, job: KubeObject, types: readonly string[], why: JsonObject): Json {
  const now = timeText(inside.now());
  let list: Json | undefined = statusOf(job)['conditions'];
  for (const type of types) list = withCondition(list, { type, status: 'True', lastProbeTime: now, ...why }, now);
  return list ?? [];
}

async function complete(inside: Inside, job: KubeObject): Promise<undefined> {
  for (const pod of tally(inside, job).active) await remove(inside, pod);
  const why = { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
  await report(inside, job, {
    completionTime: timeText(inside.now()),
    conditions: conditions(inside, job, ['SuccessCriteriaMet', 'Complete'], why),
  });
  const component = 'job-controller';
  await tell(inside, job, { type: 'Normal', reason: 'Completed', message: 'Job completed', component });
  return undefined;
}

async function fail(inside: Inside, job: KubeObject, reason: string, message: string): Promise<undefined> {
  const { failed, active } = tally(inside, job);
  for (const pod of active) await remove(inside, pod);
  await report(inside, job, {
    failed,
    conditions: conditions(inside, job, ['FailureTarget', 'Failed'], { reason, message }),
  });
  await tell(inside, job, { type: 'Warning', reason, message, component: 'job-controller' });
  return undefined;
}

async function suspend(inside: Inside, job: KubeObject, { active }: Tally): Promise<undefined> {
  for (const pod of active) await remove(inside, pod);
  const why = { reason: 'JobSuspended', message: 'Job suspended' };
  const list = conditions(inside, job, ['Suspended'], why);
  await setStatus(inside, job, { active: undefined, ready: 0, terminating: 0, conditions: list });
  return undefined;
}

/** A finished Job with a time to live goes when that is over. */
async function expire(inside: Inside, job: KubeObject): Promise<number | undefined> {
  const seconds = specOf(job)['ttlSecondsAfterFinished'];
  if (typeof seconds !== 'number') return undefined;
  const list = statusOf(job)['conditions'];
  const times = isArray(list) ? list.map((item) => stringAt(item, 'lastTransitionTime') ?? '') : [];
  const left = Date.parse(times.sort().at(-1) ?? '') + seconds * 1000 - inside.now().getTime();
  if (left > 0) return left;
  await remove(inside, job, 'Background');
  return undefined;
}
