import { type JsonObject, stringAt } from '../../json/index.ts';
import type { Health } from '../types.ts';
import { count, healthy, progressing, unobserved } from './read.ts';

/** Every node that should run a pod runs an updated and available one. */
export function assessDaemonSet(object: JsonObject): Health {
  if (unobserved(object))
    return progressing('Waiting for rollout to finish: observed daemon set generation less than desired generation');
  const [updated, desired, available] = ['updatedNumberScheduled', 'desiredNumberScheduled', 'numberAvailable'].map(
    (field) => count(object, 'status', field),
  ) as [number, number, number]; // three fields in, three numbers out
  const name = stringAt(object, 'metadata', 'name') ?? '';
  if (stringAt(object, 'spec', 'updateStrategy', 'type') === 'OnDelete')
    return healthy(`daemon set ${updated} out of ${desired} new pods have been updated`);
  if (updated < desired)
    return progressing(
      `Waiting for daemon set "${name}" rollout to finish: ${updated} out of ${desired} new pods have been updated...`,
    );
  if (available < desired)
    return progressing(
      `Waiting for daemon set "${name}" rollout to finish: ${available} of ${desired} updated pods are available...`,
    );
  return healthy();
}
