import { ArgosyError } from '../../core/errors/index.ts';
import { type Json, type JsonObject, stringAt } from '../../core/json/index.ts';
import { asJson, type KubeObject, nameOf, namespaceOf } from '../../core/objects/index.ts';
import type { Call } from '../call/client.ts';
import type { ApplyOptions, DeleteOptions, PatchType, Resource, WriteOptions } from '../types.ts';
import { collectionPath, objectPath, type Query } from './path.ts';
import { asObject, type Caller, type Place, placeText, throwIfFailed } from './read.ts';

const writeMs = 34_000; // a little more than the API server gives a request by default

const patchTypes: Record<PatchType, string> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

function writeQuery(options: WriteOptions): Query {
  return {
    dryRun: options.dryRun === true ? 'All' : undefined,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
  };
}

type WriteCall = Pick<Call, 'method' | 'path' | 'subject' | 'repeatable' | 'contentType'> & { readonly body: Json };

function send(caller: Caller, call: WriteCall, options: WriteOptions): Promise<JsonObject> {
  return caller.client.json({
    ...call,
    body: JSON.stringify(call.body),
    identity: caller.identity,
    deadlineMs: options.deadlineMs ?? writeMs,
    signal: options.signal,
  });
}

async function sendForObject(caller: Caller, call: WriteCall, options: WriteOptions): Promise<KubeObject> {
  return asObject(await send(caller, call, options), call.subject, caller.client.secrets());
}

function placeOf(object: KubeObject): Place {
  return { namespace: namespaceOf(object), name: nameOf(object) };
}

/** Creates an object, or posts to a subresource of it. */
export async function create(
  caller: Caller,
  resource: Resource,
  object: KubeObject,
  options: WriteOptions = {},
): Promise<KubeObject> {
  const place = placeOf(object);
  const subject = `create ${resource.plural} ${placeText(place)}`;
  if (resource.namespaced && place.namespace === '')
    throw new ArgosyError('kube-invalid', `${subject}: a namespace is needed`, { subject });
  const query = writeQuery(options);
  const path =
    options.subresource === undefined
      ? collectionPath(resource, place.namespace, query)
      : objectPath(resource, { ...place, subresource: options.subresource }, query);
  const call: WriteCall = { method: 'POST', path, subject, repeatable: 'unprocessed', body: asJson(object) };
  return sendForObject(caller, call, options);
}

/** Replaces an object; with its resourceVersion a second sending meets a conflict, without one it says the same again. */
export async function update(
  caller: Caller,
  resource: Resource,
  object: KubeObject,
  options: WriteOptions = {},
): Promise<KubeObject> {
  const place = placeOf(object);
  const subject = `update ${resource.plural} ${placeText(place)}`;
  const repeatable = object.metadata.resourceVersion === undefined ? 'always' : 'unprocessed';
  const path = objectPath(resource, { ...place, subresource: options.subresource }, writeQuery(options));
  const call: WriteCall = { method: 'PUT', path, subject, repeatable, body: asJson(object) };
  return sendForObject(caller, call, options);
}

/** Patches an object. */
export async function patch(
  caller: Caller,
  resource: Resource,
  change: Place & { readonly type: PatchType; readonly body: Json },
  options: WriteOptions = {},
): Promise<KubeObject> {
  const subject = `patch ${resource.plural} ${placeText(change)}`;
  const path = objectPath(resource, { ...change, subresource: options.subresource }, writeQuery(options));
  // A JSON patch may add to a list twice; the other forms say how it should be. Under a version a second sending would
  // meet a conflict with the first, and nobody could tell it from somebody else's.
  const isUnder = stringAt(change.body, 'metadata', 'resourceVersion') !== undefined;
  const repeatable = change.type === 'json' || isUnder ? 'unprocessed' : 'always';
  const call: WriteCall = {
    method: 'PATCH',
    path,
    subject,
    repeatable,
    contentType: patchTypes[change.type],
    body: change.body,
  };
  return sendForObject(caller, call, options);
}

/** Server-side apply. */
export async function apply(
  caller: Caller,
  resource: Resource,
  object: KubeObject,
  options: ApplyOptions,
): Promise<KubeObject> {
  const place = placeOf(object);
  const subject = `apply ${resource.plural} ${placeText(place)}`;
  const query = { ...writeQuery(options), force: options.force };
  const call: WriteCall = {
    method: 'PATCH',
    path: objectPath(resource, { ...place, subresource: options.subresource }, query),
    subject,
    repeatable: 'always',
    contentType: 'application/apply-patch+yaml', // JSON is YAML; servers before 1.32 know no other name
    body: asJson(object),
  };
  return sendForObject(caller, call, options);
}

/** Deletes an object: the object if it still shows (finalizers), else undefined. */
export async function remove(
  caller: Caller,
  resource: Resource,
  place: Place,
  options: DeleteOptions = {},
): Promise<KubeObject | undefined> {
  const subject = `delete ${resource.plural} ${placeText(place)}`;
  const body: { [key: string]: Json } = { apiVersion: 'v1', kind: 'DeleteOptions' };
  const preconditions: { [key: string]: Json } = {};
  if (options.uid !== undefined) preconditions['uid'] = options.uid;
  if (options.resourceVersion !== undefined) preconditions['resourceVersion'] = options.resourceVersion;
  if (Object.keys(preconditions).length > 0) body['preconditions'] = preconditions;
  if (options.propagation !== undefined) body['propagationPolicy'] = options.propagation;
  if (options.gracePeriodSeconds !== undefined) body['gracePeriodSeconds'] = options.gracePeriodSeconds;
  if (options.dryRun === true) body['dryRun'] = ['All'];
  // Sent again only with a UID: without one the second sending could meet a successor of the same name.
  const repeatable = options.uid === undefined ? 'unprocessed' : 'always';
  const path = objectPath(resource, place);
  const answer = await send(caller, { method: 'DELETE', path, subject, repeatable, body }, options);
  throwIfFailed(answer, subject, caller.client.secrets());
  return answer['kind'] === 'Status' ? undefined : asObject(answer, subject, []);
}
