import { objectAt, stringAt } from '../../core/json/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import type { Actor, Inside } from '../ports.ts';
import { controllerKey, remove, setStatus, shortHash, specOf } from './objects.ts';
import { nodeName } from './pod.ts';
import { createPod, isFinished, isReady, podsOf } from './pods-of.ts';
import { ownKey, reconciler, splitKey } from './reconciler.ts';

const revisionLabel = 'controller-revision-hash';

/** Keeps one pod of a DaemonSet on the one node. */
export function daemonSetActor(): Actor {
  const watched = [
    { group: 'apps', kind: 'DaemonSet', keys: ownKey },
    { group: '', kind: 'Pod', keys: controllerKey('DaemonSet') },
  ];
  return reconciler('daemonset', watched, async (inside, key) => {
    const set = inside.get('apps', 'DaemonSet', ...splitKey(key));
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return undefined;
    const hash = shortHash(objectAt(specOf(set), 'template') ?? {});
    await keepPod(inside, set, hash);
    await report(inside, set, hash);
    return undefined;
  });
}

/** A selector for other nodes means no pod here. */
function wantsNode(inside: Inside, set: KubeObject): boolean {
  const node = inside.get('', 'Node', '', nodeName);
  const selector = objectAt(specOf(set), 'template', 'spec', 'nodeSelector') ?? {};
  return node !== undefined && Object.entries(selector).every(([key, value]) => node.metadata.labels?.[key] === value);
}

async function keepPod(inside: Inside, set: KubeObject, hash: string): Promise<void> {
  const wanted = wantsNode(inside, set);
  const renewed = stringAt(specOf(set), 'updateStrategy', 'type') !== 'OnDelete';
  const pods = podsOf(inside, set);
  const good = pods.filter((pod) => {
    return !isFinished(pod) && (!renewed || pod.metadata.labels?.[revisionLabel] === hash);
  });
  const kept = wanted ? good[0] : undefined;
  for (const pod of pods) if (pod !== kept) await remove(inside, pod);
  if (kept !== undefined || !wanted) return;
  const generation = String(set.metadata.generation ?? 1);
  await createPod(inside, set, { labels: { [revisionLabel]: hash, 'pod-template-generation': generation } });
}

async function report(inside: Inside, set: KubeObject, hash: string): Promise<void> {
  const pods = podsOf(inside, set).filter((pod) => !isFinished(pod));
  const desired = wantsNode(inside, set) ? 1 : 0;
  const ready = pods.filter(isReady).length;
  const shown = (count: number): number | undefined => (count === 0 ? undefined : count);
  await setStatus(inside, set, {
    currentNumberScheduled: pods.length,
    numberMisscheduled: 0,
    desiredNumberScheduled: desired,
    numberReady: ready,
    observedGeneration: set.metadata.generation ?? 1,
    updatedNumberScheduled: shown(pods.filter((pod) => pod.metadata.labels?.[revisionLabel] === hash).length),
    numberAvailable: shown(ready),
    numberUnavailable: shown(Math.max(0, desired - ready)),
  });
}
