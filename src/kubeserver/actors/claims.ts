import { type Json, objectAt, stringAt } from '../../core/json/index.ts';
import { type KubeObject, nameOf, namespaceOf, uidOf } from '../../core/objects/index.ts';
import type { Actor, Inside } from '../ports.ts';
import { ensure, setStatus, specOf, statusOf } from './objects.ts';
import { isFinished } from './pods-of.ts';
import { ownKey, reconciler, splitKey } from './reconciler.ts';

const protection = 'kubernetes.io/pvc-protection';

/** Binds every claim to a volume made for it, and lets a deleted one go when no pod uses it. */
export function claimActor(): Actor {
  const watched = [
    { group: '', kind: 'PersistentVolumeClaim', keys: ownKey },
    { group: '', kind: 'Pod', keys: claimsOf },
  ];
  return reconciler('claim', watched, async (inside, key) => {
    const claim = inside.get('', 'PersistentVolumeClaim', ...splitKey(key));
    if (claim === undefined) return undefined;
    if (claim.metadata.deletionTimestamp !== undefined) return release(inside, claim);
    return statusOf(claim)['phase'] === 'Bound' ? undefined : bind(inside, claim);
  });
}

function claimsOf(pod: KubeObject): string[] {
  const volumes = specOf(pod)['volumes'];
  if (!Array.isArray(volumes)) return [];
  return (volumes as Json[]).flatMap((volume) => {
    const name = stringAt(volume, 'persistentVolumeClaim', 'claimName');
    return name === undefined ? [] : [`${namespaceOf(pod)}/${name}`];
  });
}

async function bind(inside: Inside, claim: KubeObject): Promise<undefined> {
  const name = `pvc-${uidOf(claim)}`;
  const namespace = namespaceOf(claim);
  const spec = specOf(claim);
  const capacity = objectAt(spec, 'resources', 'requests') ?? {};
  const accessModes = spec['accessModes'] ?? [];
  const reference = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    namespace,
    name: nameOf(claim),
    uid: uidOf(claim),
  };
  const volume = {
    capacity,
    accessModes,
    persistentVolumeReclaimPolicy: 'Delete',
    claimRef: reference,
    hostPath: { path: `/volumes/${name}` },
    ...(spec['storageClassName'] === undefined ? {} : { storageClassName: spec['storageClassName'] }),
  };
  const made = await ensure(inside, { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec: volume });
  if (made !== undefined) await setStatus(inside, made, { phase: 'Bound' });
  await inside.update('', 'PersistentVolumeClaim', namespace, nameOf(claim), (current) => {
    if (stringAt(current, 'spec', 'volumeName') === name) return undefined;
    const next: { [key: string]: Json } = { ...current, spec: { ...objectAt(current, 'spec'), volumeName: name } };
    return next as typeof current; // a fresh copy, changed here only
  });
  await setStatus(inside, claim, { phase: 'Bound', accessModes, capacity });
  return undefined;
}

async function release(inside: Inside, claim: KubeObject): Promise<undefined> {
  const key = `${namespaceOf(claim)}/${nameOf(claim)}`;
  const used = inside
    .list('', 'Pod', namespaceOf(claim))
    .some((pod) => !isFinished(pod) && claimsOf(pod).includes(key));
  if (used) return undefined;
  await inside.update('', 'PersistentVolumeClaim', namespaceOf(claim), nameOf(claim), (current) => {
    const metadata = objectAt(current, 'metadata') ?? {};
    const finalizers = Array.isArray(metadata['finalizers']) ? (metadata['finalizers'] as Json[]) : [];
    if (!finalizers.includes(protection)) return undefined;
    const next: { [key: string]: Json } = {
      ...current,
      metadata: { ...metadata, finalizers: finalizers.filter((item) => item !== protection) },
    };
    return next as typeof current; // a fresh copy, changed here only
  });
  const volume = inside.get('', 'PersistentVolume', '', `pvc-${uidOf(claim)}`);
  if (volume !== undefined) await inside.delete('', 'PersistentVolume', '', nameOf(volume));
  return undefined;
}
