import { isArray, isObject, type JsonObject, objectAt, stringAt, thaw } from '../../core/json/index.ts';
import { type KubeObject, nameOf, namespaceOf } from '../../core/objects/index.ts';
import type { Actor, Inside } from '../ports.ts';
import { controlled } from './controlled.ts';
import { controllerKey, controllerRef, ensure, numberAt, remove, setStatus, shortHash, specOf } from './objects.ts';
import { createPod, isAvailable, isFinished, isReady, podsOf } from './pods-of.ts';
import { ownKey, reconciler, splitKey } from './reconciler.ts';

const revisionLabel = 'controller-revision-hash';

/** Keeps numbered pods with their claims, one after the other, and renews them from the last to the first. */
export function statefulSetActor(): Actor {
  const watched = [
    { group: 'apps', kind: 'StatefulSet', keys: ownKey },
    { group: '', kind: 'Pod', keys: controllerKey('StatefulSet') },
  ];
  return reconciler('statefulset', watched, async (inside, key) => {
    const set = inside.get('apps', 'StatefulSet', ...splitKey(key));
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return undefined;
    const revision = await ensureRevision(inside, set);
    await keepPods(inside, set, revision);
    return report(inside, set, revision);
  });
}

async function ensureRevision(inside: Inside, set: KubeObject): Promise<string> {
  const template = objectAt(specOf(set), 'template') ?? {};
  const hash = shortHash(template);
  const name = `${nameOf(set)}-${hash}`;
  const namespace = namespaceOf(set);
  if (inside.get('apps', 'ControllerRevision', namespace, name) !== undefined) return name;
  const old = controlled(inside, 'apps', 'ControllerRevision', set).map((item) =>
    numberAt(asRecord(item), 'revision', 0),
  );
  await ensure(inside, {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      namespace,
      labels: { ...objectAt(template, 'metadata', 'labels'), 'controller.kubernetes.io/hash': hash },
      ownerReferences: [controllerRef(set)],
    },
    data: { spec: { template: { ...template, $patch: 'replace' } } },
    revision: Math.max(0, ...old) + 1,
  });
  return name;
}

function asRecord(object: KubeObject): JsonObject {
  return object as unknown as JsonObject; // a stored object is JSON
}

function ordinal(pod: KubeObject): number {
  return Number(nameOf(pod).slice(nameOf(pod).lastIndexOf('-') + 1));
}

async function keepPods(inside: Inside, set: KubeObject, revision: string): Promise<void> {
  const spec = specOf(set);
  const replicas = numberAt(spec, 'replicas', 1);
  const parallel = spec['podManagementPolicy'] === 'Parallel';
  const pods = new Map(podsOf(inside, set).map((pod) => [ordinal(pod), pod]));
  for (let index = 0; index < replicas; index += 1) {
    const pod = pods.get(index);
    if (pod !== undefined && isFinished(pod)) await remove(inside, pod);
    if (pod === undefined) await createMember(inside, set, index, revision);
    if (!parallel && (pod === undefined || !isReady(pod))) return; // the next one waits for this one
  }
  const surplus = [...pods.entries()].filter(([index]) => index >= replicas).sort(([one], [other]) => other - one);
  for (const [, pod] of parallel ? surplus : surplus.slice(0, 1)) await remove(inside, pod);
  if (surplus.length === 0) await renew(inside, set, revision, pods);
}

/** Replaces the highest pod of an old revision, one at a time. */
async function renew(inside: Inside, set: KubeObject, revision: string, pods: Map<number, KubeObject>): Promise<void> {
  const strategy = objectAt(specOf(set), 'updateStrategy') ?? {};
  if (strategy['type'] === 'OnDelete') return;
  const partition = numberAt(objectAt(strategy, 'rollingUpdate') ?? {}, 'partition', 0);
  const stale = [...pods.entries()]
    .filter(([index, pod]) => index >= partition && pod.metadata.labels?.[revisionLabel] !== revision)
    .sort(([one], [other]) => other - one);
  const [last] = stale;
  if (last !== undefined) await remove(inside, last[1]);
}

async function createMember(inside: Inside, set: KubeObject, index: number, revision: string): Promise<void> {
  const name = `${nameOf(set)}-${index}`;
  const templates = specOf(set)['volumeClaimTemplates'];
  const claims = isArray(templates) ? templates.filter((item) => isObject(item)) : [];
  for (const claim of claims) await createClaim(inside, set, claim, name);
  const pod = objectAt(specOf(set), 'template', 'spec') ?? {};
  const own = claims.map((claim) => {
    const volume = stringAt(claim, 'metadata', 'name') ?? '';
    return { name: volume, persistentVolumeClaim: { claimName: `${volume}-${name}` } };
  });
  const others = isArray(pod['volumes'])
    ? pod['volumes'].filter((item) => !own.some(({ name: taken }) => stringAt(item, 'name') === taken))
    : [];
  const serviceName = stringAt(specOf(set), 'serviceName');
  await createPod(inside, set, {
    name,
    labels: {
      'apps.kubernetes.io/pod-index': String(index),
      [revisionLabel]: revision,
      'statefulset.kubernetes.io/pod-name': name,
    },
    spec: {
      hostname: name,
      ...(serviceName === undefined ? {} : { subdomain: serviceName }),
      ...(own.length + others.length === 0 ? {} : { volumes: [...others, ...own] }),
    },
  });
}

async function createClaim(inside: Inside, set: KubeObject, claim: JsonObject, pod: string): Promise<void> {
  const name = `${stringAt(claim, 'metadata', 'name')}-${pod}`;
  if (inside.get('', 'PersistentVolumeClaim', namespaceOf(set), name) !== undefined) return;
  const labels = { ...objectAt(claim, 'metadata', 'labels'), ...objectAt(specOf(set), 'selector', 'matchLabels') };
  await ensure(inside, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: namespaceOf(set), labels },
    spec: thaw(objectAt(claim, 'spec') ?? {}),
  });
}

async function report(inside: Inside, set: KubeObject, revision: string): Promise<number | undefined> {
  const pods = podsOf(inside, set);
  const minReady = numberAt(specOf(set), 'minReadySeconds', 0);
  const updated = pods.filter((pod) => pod.metadata.labels?.[revisionLabel] === revision).length;
  const ready = pods.filter(isReady).length;
  const available = pods.filter((pod) => isAvailable(pod, minReady, inside.now())).length;
  const replicas = numberAt(specOf(set), 'replicas', 1);
  const before = stringAt(objectAt(asRecord(set), 'status'), 'currentRevision') ?? revision;
  const done = updated === replicas && ready === replicas && pods.length === replicas;
  const currentRevision = done ? revision : before;
  const current = pods.filter((pod) => pod.metadata.labels?.[revisionLabel] === currentRevision).length;
  const shown = (count: number): number | undefined => (count === 0 ? undefined : count);
  await setStatus(inside, set, {
    observedGeneration: set.metadata.generation ?? 1,
    replicas: pods.length,
    readyReplicas: shown(ready),
    currentReplicas: shown(current),
    updatedReplicas: shown(updated),
    availableReplicas: available,
    currentRevision,
    updateRevision: revision,
    collisionCount: 0,
  });
  return available < ready ? 500 : undefined;
}
