import { at, type JsonObject, stringAt } from '../../json/index.ts';
import type { Health } from '../types.ts';
import { conditionOf, count, degraded, healthy, progressing, suspended, unobserved } from './read.ts';

/** Generation first, then paused, deadline, replica counts: a rollout is over when all three counts agree. */
export function assessDeployment(object: JsonObject): Health {
  if (at(object, 'spec', 'paused') === true) return suspended('Deployment is paused');
  if (unobserved(object))
    return progressing('Waiting for rollout to finish: observed deployment generation less than desired generation');
  const rollout = conditionOf(object, 'Progressing');
  const name = stringAt(object, 'metadata', 'name') ?? '';
  if (stringAt(rollout, 'reason') === 'ProgressDeadlineExceeded')
    return degraded(`Deployment "${name}" exceeded its progress deadline`);
  return assessCounts(object);
}

function assessCounts(object: JsonObject): Health {
  const wanted = at(object, 'spec', 'replicas');
  const [updated, replicas, available] = ['updatedReplicas', 'replicas', 'availableReplicas'].map((field) =>
    count(object, 'status', field),
  ) as [number, number, number]; // three fields in, three numbers out
  if (typeof wanted === 'number' && updated < wanted) {
    return progressing(`Waiting for rollout to finish: ${updated} out of ${wanted} new replicas have been updated...`);
  }
  if (replicas > updated)
    return progressing(`Waiting for rollout to finish: ${replicas - updated} old replicas are pending termination...`);
  if (available < updated)
    return progressing(`Waiting for rollout to finish: ${available} of ${updated} updated replicas are available...`);
  return healthy();
}
