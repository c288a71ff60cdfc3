import { at, type JsonObject, stringAt } from '../../json/index.ts';
import type { Health } from '../types.ts';
import { conditionOf, count, degraded, healthy, progressing, unobserved } from './read.ts';

/** Pods that cannot be made are worse than pods not yet there. */
export function assessReplicaSet(object: JsonObject): Health {
  if (unobserved(object))
    return progressing('Waiting for rollout to finish: observed replica set generation less than desired generation');
  const failure = conditionOf(object, 'ReplicaFailure');
  if (stringAt(failure, 'status') === 'True') return degraded(stringAt(failure, 'message'));
  const wanted = at(object, 'spec', 'replicas');
  const available = count(object, 'status', 'availableReplicas');
  if (typeof wanted === 'number' && available < wanted) {
    return progressing(`Waiting for rollout to finish: ${available} out of ${wanted} new replicas are available...`);
  }
  return healthy();
}
