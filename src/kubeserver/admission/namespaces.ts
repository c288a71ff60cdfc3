import { isObject, type MutableJsonObject, objectAt, stringAt, thaw } from '../../core/json/index.ts';
import { asJson } from '../../core/objects/index.ts';
import type { Admission, AdmissionRequest, Inside } from '../ports.ts';
import { StatusError } from '../ports.ts';
import { forbidden, notFound } from '../status.ts';

/** Who the cluster's own parts write as. */
const inside = 'system:apiserver';
const undeletable = ['default', 'kube-system', 'kube-public'];
const nameLabel = 'kubernetes.io/metadata.name';

/** A namespace is there before its content, takes no more once it goes, and the system's own stay. */
export function namespaceLifecycle(cluster: Inside): Admission {
  return {
    mutate: (request) => {
      const { resource, operation, info, object } = request;
      const isNamespace = resource.group === '' && resource.kind === 'Namespace';
      if (isNamespace && object !== undefined && info.subresource === '') {
        prepareNamespace(object, operation);
        keepFinalizers(object, request);
      }
      if (resource.namespaced && operation === 'CREATE' && info.namespace !== '') checkNamespace(cluster, request);
    },
    validate: ({ resource, operation, info }) => {
      if (operation !== 'DELETE' || resource.storage !== 'namespaces' || !undeletable.includes(info.name)) return;
      throw forbidden(resource, info.name, 'this namespace may not be deleted');
    },
  };
}

function prepareNamespace(object: MutableJsonObject, operation: AdmissionRequest['operation']): void {
  const metadata = child(object, 'metadata');
  const labels = child(metadata, 'labels');
  // A name that is no label value must not make a second complaint about a label nobody wrote.
  if (typeof metadata['name'] === 'string') labels[nameLabel] = metadata['name'];
  if (operation !== 'CREATE') return;
  child(object, 'spec')['finalizers'] = ['kubernetes'];
  object['status'] = { phase: 'Active' };
}

/** What holds a namespace is let go through `finalize` only, or its content would be left behind. */
function keepFinalizers(object: MutableJsonObject, { old, user }: AdmissionRequest): void {
  if (old === undefined || user.name === inside) return;
  const before = objectAt(asJson(old), 'spec')?.['finalizers'];
  if (before !== undefined) child(object, 'spec')['finalizers'] = thaw(before);
}

/** The object under a key, made if it is not there. */
export function child(object: MutableJsonObject, key: string): MutableJsonObject {
  const found = object[key];
  if (isObject(found)) return found as MutableJsonObject; // part of an object that is ours to change
  const made: MutableJsonObject = {};
  object[key] = made;
  return made;
}

function checkNamespace(cluster: Inside, { info, resource, object }: AdmissionRequest): void {
  const { namespace } = info;
  const found = cluster.get('', 'Namespace', '', namespace);
  if (found === undefined) throw notFound({ group: '', plural: 'namespaces' }, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const name = stringAt(object, 'metadata', 'name') ?? info.name;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = forbidden(resource, name, why);
  const message = `namespace ${namespace} is being terminated`;
  const causes = [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }];
  throw new StatusError({ ...status, details: { ...status.details, causes } });
}
