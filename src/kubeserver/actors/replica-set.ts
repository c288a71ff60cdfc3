import { objectAt } from '../../core/json/index.ts';
import { type KubeObject, nameOf } from '../../core/objects/index.ts';
import type { Actor, Inside } from '../ports.ts';
import { controllerKey, numberAt, remove, setStatus, specOf } from './objects.ts';
import { bySpare, createPod, isAvailable, isFinished, isReady, podsOf } from './pods-of.ts';
import { ownKey, reconciler, splitKey } from './reconciler.ts';

/** Keeps as many pods as a ReplicaSet asks for. */
export function replicaSetActor(): Actor {
  const watched = [
    { group: 'apps', kind: 'ReplicaSet', keys: ownKey },
    { group: '', kind: 'Pod', keys: controllerKey('ReplicaSet') },
  ];
  return reconciler('replicaset', watched, async (inside, key) => {
    const set = inside.get('apps', 'ReplicaSet', ...splitKey(key));
    if (set === undefined) return undefined;
    if (set.metadata.deletionTimestamp === undefined) await keepCount(inside, set);
    return report(inside, set);
  });
}

async function keepCount(inside: Inside, set: KubeObject): Promise<void> {
  const pods = podsOf(inside, set).filter((pod) => !isFinished(pod));
  const wanted = numberAt(specOf(set), 'replicas', 1);
  for (let count = pods.length; count < wanted; count += 1) await createPod(inside, set);
  for (const pod of pods.sort(bySpare).slice(0, Math.max(0, pods.length - wanted))) await remove(inside, pod);
}

async function report(inside: Inside, set: KubeObject): Promise<number | undefined> {
  const pods = podsOf(inside, set).filter((pod) => !isFinished(pod));
  const minReady = numberAt(specOf(set), 'minReadySeconds', 0);
  const ready = pods.filter(isReady).length;
  const available = pods.filter((pod) => isAvailable(pod, minReady, inside.now())).length;
  const labels = objectAt(specOf(set), 'template', 'metadata', 'labels') ?? {};
  const labeled = pods.filter((pod) => hasAll(pod.metadata.labels ?? {}, labels)).length;
  await setStatus(inside, set, {
    replicas: pods.length,
    fullyLabeledReplicas: labeled === 0 ? undefined : labeled,
    readyReplicas: ready === 0 ? undefined : ready,
    availableReplicas: available === 0 ? undefined : available,
    terminatingReplicas: 0,
    observedGeneration: set.metadata.generation ?? 1,
  });
  return available < ready ? 500 : undefined;
}

function hasAll(labels: { readonly [key: string]: string }, wanted: { readonly [key: string]: unknown }): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

/** A name for messages: `ReplicaSet "web-1"`. */
export function replicaSetText(set: KubeObject): string {
  return `ReplicaSet "${nameOf(set)}"`;
}
