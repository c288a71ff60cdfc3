import type { MutableJsonObject } from '../../../core/json/index.ts';
import { child, each, ensure, fill } from './fill.ts';
import { defaultSources } from './volume.ts';

const rbac = 'rbac.authorization.k8s.io';

/** The defaults of a Namespace: a label with its name. */
export function defaultNamespace(object: MutableJsonObject): void {
  const metadata = ensure(object, 'metadata');
  const name = metadata['name'];
  if (typeof name === 'string' && name !== '') ensure(metadata, 'labels')['kubernetes.io/metadata.name'] = name;
}

/** The defaults of a Secret; its plain texts become data. */
export function defaultSecret(object: MutableJsonObject): void {
  fill(object, { type: 'Opaque' });
  const plain = child(object, 'stringData');
  if (plain !== undefined && Object.keys(plain).length > 0) {
    const data = ensure(object, 'data');
    for (const [key, value] of Object.entries(plain))
      if (typeof value === 'string') data[key] = Buffer.from(value).toString('base64');
  }
  delete object['stringData'];
}

/** The defaults of a LimitRange for containers: a limit's maximum is its default, and that the default request. */
export function defaultLimitRange(object: MutableJsonObject): void {
  for (const limit of each(child(object, 'spec'), 'limits')) {
    if (limit['type'] !== 'Container') continue;
    fill(ensure(limit, 'default'), { ...child(limit, 'max') });
    fill(ensure(limit, 'defaultRequest'), { ...child(limit, 'default') });
    fill(ensure(limit, 'defaultRequest'), { ...child(limit, 'min') });
    for (const key of ['default', 'defaultRequest'])
      if (Object.keys(child(limit, key) ?? {}).length === 0) delete limit[key];
  }
}

/** The defaults of a PersistentVolumeClaim. */
export function defaultClaim(object: MutableJsonObject): void {
  fill(ensure(object, 'spec'), { volumeMode: 'Filesystem' });
  fill(ensure(object, 'status'), { phase: 'Pending' });
}

/** The defaults of a PersistentVolume. */
export function defaultPersistentVolume(object: MutableJsonObject): void {
  const spec = ensure(object, 'spec');
  fill(spec, { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' });
  defaultSources(spec);
  fill(ensure(object, 'status'), { phase: 'Pending' });
}

/** Go prints these of an Event also when they are empty. */
export function defaultEvent(object: MutableJsonObject): void {
  fill(object, { source: {}, reportingComponent: '', reportingInstance: '' });
  for (const key of ['firstTimestamp', 'lastTimestamp', 'eventTime']) if (object[key] === undefined) object[key] = null;
}

/** The defaults of a StorageClass. */
export function defaultStorageClass(object: MutableJsonObject): void {
  fill(object, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
}

/** The defaults of a CSIDriver. */
export function defaultCsiDriver(object: MutableJsonObject): void {
  fill(ensure(object, 'spec'), {
    attachRequired: true,
    podInfoOnMount: false,
    volumeLifecycleModes: ['Persistent'],
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    requiresRepublish: false,
    seLinuxMount: false,
  });
}

/** The defaults of a PriorityClass. */
export function defaultPriorityClass(object: MutableJsonObject): void {
  fill(object, { preemptionPolicy: 'PreemptLowerPriority' });
}

/** The rules of a role are printed also when there are none. */
export function defaultRole(object: MutableJsonObject): void {
  if (object['rules'] === undefined) object['rules'] = null;
}

/** The defaults of a binding: users and groups are RBAC's own, service accounts the core's. */
export function defaultBinding(object: MutableJsonObject): void {
  const role = child(object, 'roleRef');
  if (role !== undefined && (role['apiGroup'] === undefined || role['apiGroup'] === '')) role['apiGroup'] = rbac;
  for (const subject of each(object, 'subjects'))
    if (subject['kind'] === 'User' || subject['kind'] === 'Group') fill(subject, { apiGroup: rbac });
}

/** The defaults of validating and mutating webhooks. */
export function defaultWebhooks(object: MutableJsonObject): void {
  for (const webhook of each(object, 'webhooks')) {
    fill(webhook, {
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
      ...(object['kind'] === 'MutatingWebhookConfiguration' ? { reinvocationPolicy: 'Never' } : {}),
    });
    const service = child(webhook, 'clientConfig', 'service');
    if (service !== undefined) fill(service, { port: 443 });
    for (const rule of each(webhook, 'rules')) fill(rule, { scope: '*' });
  }
}

/** The defaults of a CRD: names that follow from its kind. */
export function defaultCustomResourceDefinition(object: MutableJsonObject): void {
  const spec = ensure(object, 'spec');
  const names = ensure(spec, 'names');
  const kind = typeof names['kind'] === 'string' ? names['kind'] : '';
  fill(names, { singular: kind.toLowerCase(), listKind: `${kind}List` });
  fill(ensure(spec, 'conversion'), { strategy: 'None' });
}
