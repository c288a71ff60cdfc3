import { at, type JsonObject, stringAt } from '../../json/index.ts';
import type { Health } from '../types.ts';
import { count, healthy, progressing, unobserved } from './read.ts';

/** Ready pods first, then the rules of the update strategy, where a partition holds some pods back on purpose. */
export function assessStatefulSet(object: JsonObject): Health {
  if (count(object, 'status', 'observedGeneration') === 0 || unobserved(object)) {
    return progressing('Waiting for statefulset spec update to be observed...');
  }
  const replicas = at(object, 'spec', 'replicas');
  const ready = count(object, 'status', 'readyReplicas');
  if (typeof replicas === 'number' && ready < replicas)
    return progressing(`Waiting for ${replicas - ready} pods to be ready...`);
  return assessStrategy(object, typeof replicas === 'number' ? replicas : undefined);
}

function assessStrategy(object: JsonObject, replicas: number | undefined): Health {
  const type = stringAt(object, 'spec', 'updateStrategy', 'type');
  const updated = count(object, 'status', 'updatedReplicas');
  if (type === 'RollingUpdate' && at(object, 'spec', 'updateStrategy', 'rollingUpdate') !== undefined) {
    const partition = at(object, 'spec', 'updateStrategy', 'rollingUpdate', 'partition');
    if (replicas !== undefined && typeof partition === 'number' && updated < replicas - partition) {
      return progressing(
        `Waiting for partitioned roll out to finish: ${updated} out of ${replicas - partition} new pods have been updated...`,
      );
    }
    return healthy(`partitioned roll out complete: ${updated} new pods have been updated...`);
  }
  if (type === 'OnDelete') return healthy(`statefulset has ${count(object, 'status', 'readyReplicas')} ready pods`);
  if (stringAt(object, 'status', 'updateRevision') !== stringAt(object, 'status', 'currentRevision')) {
    return progressing(
      `waiting for statefulset rolling update to complete ${updated} pods at revision ${stringAt(object, 'status', 'updateRevision') ?? ''}...`,
    );
  }
  return healthy(
    `statefulset rolling update complete ${count(object, 'status', 'currentReplicas')} pods at revision ${stringAt(object, 'status', 'currentRevision') ?? ''}...`,
  );
}
