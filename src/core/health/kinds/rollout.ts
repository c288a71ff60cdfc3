import { at, type JsonObject, stringAt } from '../../json/index.ts';
import type { Health } from '../types.ts';
import { conditionOf, count, degraded, healthy, items, progressing, suspended, unknown } from './read.ts';

/** An Argo Rollout: its own phase where it reports one, and the counts of older controllers otherwise. */
export function assessRollout(object: JsonObject): Health {
  const invalid = conditionOf(object, 'InvalidSpec');
  if (stringAt(invalid, 'status') === 'True') return degraded(stringAt(invalid, 'message'));
  if (!isObserved(object)) return progressing('Waiting for rollout spec update to be observed');
  const phase = stringAt(object, 'status', 'phase');
  const message = stringAt(object, 'status', 'message');
  switch (phase) {
    case undefined:
    case '':
      return byCounts(object);
    case 'Healthy':
      return healthy(message);
    case 'Progressing':
      return progressing(message);
    case 'Degraded':
      return degraded(message);
    case 'Paused':
      return suspended(message);
    default:
      return unknown(`Rollout has the phase ${phase}`);
  }
}

/** The controller writes the generation as a text; ones before that wrote a hash, which says nothing here. */
function isObserved(object: JsonObject): boolean {
  const workload = stringAt(object, 'metadata', 'annotations', 'rollout.argoproj.io/workload-generation');
  // A Rollout may borrow the template of a Deployment, whose generation counts as well.
  if (at(object, 'spec', 'workloadRef') !== undefined && workload !== workloadObserved(object)) return false;
  const written = at(object, 'status', 'observedGeneration');
  if (written === undefined) return at(object, 'metadata', 'generation') === undefined;
  const observed = Number(written);
  return !Number.isInteger(observed) || observed >= count(object, 'metadata', 'generation');
}

function workloadObserved(object: JsonObject): string | undefined {
  const written = at(object, 'status', 'workloadObservedGeneration');
  return typeof written === 'number' ? String(written) : stringAt(object, 'status', 'workloadObservedGeneration');
}

function byCounts(object: JsonObject): Health {
  if (at(object, 'status', 'abort') === true) return degraded('Rollout is aborted');
  const progress = conditionOf(object, 'Progressing');
  const reason = stringAt(progress, 'reason') ?? '';
  if (['RolloutAborted', 'ProgressDeadlineExceeded'].includes(reason)) return degraded(stringAt(progress, 'message'));
  if (items(object, 'status', 'pauseConditions').length > 0 || at(object, 'spec', 'paused') === true) {
    return suspended('Rollout is paused');
  }
  const wanted = typeof at(object, 'spec', 'replicas') === 'number' ? count(object, 'spec', 'replicas') : 1;
  const updated = count(object, 'status', 'updatedReplicas');
  if (updated < wanted) return progressing('Waiting for roll out to finish: More replicas need to be updated');
  if (count(object, 'status', 'replicas') > updated) return progressing('Waiting for old replicas to be removed');
  if (count(object, 'status', 'availableReplicas') < updated) {
    return progressing('Waiting for roll out to finish: updated replicas are still becoming available');
  }
  return healthy();
}
