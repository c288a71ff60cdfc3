import type { MutableJsonObject } from '../../../core/json/index.ts';
import { child, each, ensure, fill } from './fill.ts';

/** Files from ConfigMaps, Secrets and the like are readable by all and writable by their owner. */
const fileMode = 0o644;

const sourceDefaults: Record<string, MutableJsonObject> = {
  configMap: { defaultMode: fileMode },
  secret: { defaultMode: fileMode },
  downwardAPI: { defaultMode: fileMode },
  projected: { defaultMode: fileMode },
  hostPath: { type: '' },
  iscsi: { iscsiInterface: 'default' },
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  azureDisk: { cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared' },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
};

/** The defaults of one volume of a pod; a volume that names no source is an empty directory. */
export function defaultVolume(volume: MutableJsonObject): void {
  if (Object.keys(volume).every((key) => key === 'name')) volume['emptyDir'] = {};
  defaultSources(volume);
  for (const item of each(child(volume, 'downwardAPI'), 'items')) defaultItem(item);
  for (const source of each(child(volume, 'projected'), 'sources')) defaultProjection(source);
  const template = child(volume, 'ephemeral', 'volumeClaimTemplate');
  if (template === undefined) return;
  ensure(template, 'metadata');
  fill(ensure(template, 'spec'), { volumeMode: 'Filesystem' });
}

/** The defaults of whatever source a volume or PersistentVolume names. */
export function defaultSources(volume: MutableJsonObject): void {
  for (const [name, values] of Object.entries(sourceDefaults)) {
    const source = child(volume, name);
    if (source !== undefined) fill(source, values);
  }
}

function defaultProjection(source: MutableJsonObject): void {
  const token = child(source, 'serviceAccountToken');
  if (token !== undefined) fill(token, { expirationSeconds: 3600 });
  for (const item of each(child(source, 'downwardAPI'), 'items')) defaultItem(item);
}

function defaultItem(item: MutableJsonObject): void {
  const reference = child(item, 'fieldRef');
  if (reference !== undefined) fill(reference, { apiVersion: 'v1' });
}
