import type { MutableJsonObject } from '../../core/json/index.ts';
import type { RequestInfo } from '../ports.ts';
import { printed } from '../printed.ts';
import { demandsVersion, putCreates } from '../registry/kinds.ts';
import { keyOf, type Served } from '../registry/served.ts';
import { createObject, updateObject } from '../registry/write.ts';
import { badRequest, conflict, invalid } from '../status.ts';
import { answerObject } from './answer.ts';
import { readObject } from './create.ts';
import type { Handler } from './handler.ts';
import { writeOptions } from './write-options.ts';

/** PUT of an object, or of its status or finalizers. */
export const update: Handler = async (exchange, served, cluster) => {
  const { info, user } = exchange;
  const options = writeOptions(info.query, 'UpdateOptions', exchange.header('user-agent') ?? '');
  const object = await readObject(exchange, served, options.validation);
  checkName(object, info);
  const meta = object['metadata'] as MutableJsonObject; // decoded
  const { dryRun, manager } = options;
  if (
    putCreates(served) &&
    info.subresource === '' &&
    cluster.store.get(keyOf(served, info.namespace, info.name)) === undefined
  ) {
    const created = await createObject(cluster, served, object, { info, user, dryRun, manager });
    answerObject(exchange, served, 201, created);
    return;
  }
  const result = await updateObject(
    cluster,
    served,
    {
      subresource: info.subresource,
      make: (old) => {
        refuseMissingVersion(meta, served, info);
        const uid = meta['uid'];
        if (typeof uid === 'string' && uid !== '' && uid !== old.metadata.uid)
          throw conflict(served.info, info.name, storageError(served, info, uid, old.metadata.uid ?? ''));
        return object;
      },
    },
    { info, user, dryRun, manager },
  );
  answerObject(exchange, served, 200, result.object);
};

/** The name and namespace in the body must be those of the address. */
export function checkName(object: MutableJsonObject, info: RequestInfo): void {
  const meta = object['metadata'] as MutableJsonObject; // decoded
  const { name, namespace } = meta;
  if (name === undefined || name === '') throw badRequest('name must be provided');
  if (name !== info.name)
    throw badRequest(`the name of the object (${printed(name)}) does not match the name on the URL (${info.name})`);
  if (namespace !== undefined && namespace !== '' && info.resource !== 'namespaces' && namespace !== info.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

function refuseMissingVersion(meta: MutableJsonObject, served: Served, info: RequestInfo): void {
  if (!demandsVersion(served) || (meta['resourceVersion'] ?? '') !== '') return;
  // Here the real server names the resource where other refusals name the kind.
  throw invalid({ group: served.info.group, kind: served.info.plural }, info.name, [
    {
      field: 'metadata.resourceVersion',
      reason: 'FieldValueInvalid',
      message: 'Invalid value: 0: must be specified for an update',
    },
  ]);
}

function storageError(served: Served, info: RequestInfo, wanted: string, found: string): string {
  const parts = [served.info.plural, ...(served.info.namespaced ? [info.namespace] : []), info.name];
  return `StorageError: invalid object, Code: 4, Key: /registry/${parts.join('/')}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`;
}
