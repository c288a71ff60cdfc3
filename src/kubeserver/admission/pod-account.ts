import { randomInt } from 'node:crypto';
import { isArray, isObject, type MutableJson, type MutableJsonObject, stringAt } from '../../core/json/index.ts';
import { asJson } from '../../core/objects/index.ts';
import type { AdmissionRequest, Inside } from '../ports.ts';
import { forbidden } from '../status.ts';

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
const letters = 'bcdfghjklmnpqrstvwxz2456789';

/** Gives a pod its service account and, unless it or the account says no, the volume with the account's token. */
export function giveAccount(spec: MutableJsonObject, request: AdmissionRequest, inside: Inside): void {
  const { namespace } = request.info;
  const given = typeof spec['serviceAccountName'] === 'string' ? spec['serviceAccountName'] : '';
  const name = given === '' ? 'default' : given;
  const account = inside.get('', 'ServiceAccount', namespace, name);
  if (account === undefined) {
    const why = `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`;
    throw forbidden(request.resource, stringAt(request.object, 'metadata', 'name') ?? '', why);
  }
  spec['serviceAccountName'] = name;
  spec['serviceAccount'] = name;
  const wish = spec['automountServiceAccountToken'] ?? asJson(account)['automountServiceAccountToken'] ?? true;
  if (wish === true) mountToken(spec);
}

function mountToken(spec: MutableJsonObject): void {
  const bare = [...objectsIn(spec['initContainers']), ...objectsIn(spec['containers'])].filter(
    (container) => !objectsIn(container['volumeMounts']).some((mount) => mount['mountPath'] === mountPath),
  );
  if (bare.length === 0) return;
  const end = Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('');
  const volume = `kube-api-access-${end}`;
  for (const container of bare)
    container['volumeMounts'] = [...listIn(container['volumeMounts']), { name: volume, readOnly: true, mountPath }];
  spec['volumes'] = [...listIn(spec['volumes']), tokenVolume(volume)];
}

function tokenVolume(name: string): MutableJsonObject {
  const sources: MutableJson[] = [
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ];
  return { name, projected: { sources, defaultMode: 420 } };
}

function listIn(value: MutableJson | undefined): MutableJson[] {
  return Array.isArray(value) ? value : [];
}

function objectsIn(value: MutableJson | undefined): MutableJsonObject[] {
  return isArray(value) ? (value.filter((item) => isObject(item)) as MutableJsonObject[]) : []; // ours to change
}
