import { equal, type Json, type JsonObject, type MutableJsonObject, own, thaw } from '../../core/json/index.ts';
import { setOf, updateManagedFields } from '../../core/merge/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import { type AdmissionRequest, type Entry, StatusError } from '../ports.ts';
import { badRequest, conflict } from '../status.ts';
import { type Cluster, timestamp, type Writing } from './cluster.ts';
import { fromStored, toStored } from './convert.ts';
import { prepareBuiltIn } from './defaults.ts';
import { findStored } from './find-stored.ts';
import { countsGenerations, splitsStatus } from './kinds.ts';
import { inOrder } from './metadata.ts';
import { keyOf, type Served } from './served.ts';
import { refuseTooLarge } from './stored-size.ts';
import { validateNew, validateUpdate } from './validate.ts';

/** Paths a write through the main resource, or through `status`, leaves out of its ownership. */
export function resetFields(served: Served, subresource: string): ReturnType<typeof setOf> | undefined {
  if (!splitsStatus(served)) return undefined;
  if (subresource === '') return setOf(['status']);
  if (subresource !== 'status') return undefined;
  return served.custom === undefined ? setOf(['spec']) : setOf(['spec'], ['metadata']);
}

/** Stores a new object: fills in, admits, validates. */
export async function createObject(
  cluster: Cluster,
  served: Served,
  given: MutableJsonObject,
  writing: Writing,
): Promise<KubeObject> {
  const fresh = withIdentity(cluster, served, given, writing);
  // Before admission, so that nobody owns what admission fills in.
  const tracked =
    writing.managed === true
      ? fresh
      : track(cluster, served, { live: undefined, object: fresh, writing, subresource: '' });
  const object = thaw(tracked);
  const request = { operation: 'CREATE' as const, object, old: undefined, resource: served.info, ...writing };
  await mutate(cluster, request);
  const final = inOrder(object, served, served.apiVersion);
  validateNew(final, served);
  await validateAdmitted(cluster, { ...request, object: asMutable(final) });
  if (writing.dryRun) return dryCreate(cluster, served, final);
  const key = keyOf(served, final.metadata.namespace ?? '', final.metadata.name ?? '');
  const stored = toStored(final, served);
  refuseTooLarge(key, stored, served);
  const entry = await cluster.store.put(key, stored, undefined);
  return fromStored(entry.object, served);
}

function dryCreate(cluster: Cluster, served: Served, object: KubeObject): KubeObject {
  const { namespace = '', name = '' } = object.metadata;
  const existing = cluster.store.get(keyOf(served, namespace, name));
  if (existing === undefined) return object;
  throw new StatusError({
    code: 409,
    reason: 'AlreadyExists',
    message: `${served.info.storage} "${name}" already exists`,
    details: {
      name,
      ...(served.info.group === '' ? {} : { group: served.info.group }),
      kind: served.info.plural,
    },
  });
}

const letters = 'bcdfghjklmnpqrstvwxz2456789';

function withIdentity(cluster: Cluster, served: Served, given: MutableJsonObject, writing: Writing): MutableJsonObject {
  const meta = { ...(given['metadata'] as MutableJsonObject) }; // decoded before
  if (!served.info.namespaced) delete meta['namespace'];
  else meta['namespace'] = namespaceFor(meta, writing.info.namespace);
  const { name, generateName } = meta;
  if ((name ?? '') === '' && typeof generateName === 'string' && generateName !== '') {
    const suffix = [...cluster.random(5)].map((byte) => letters[byte % letters.length]).join('');
    meta['name'] = `${generateName.slice(0, 58)}${suffix}`;
  }
  // An apply that creates may carry the version of what was there before.
  if ((meta['resourceVersion'] ?? '') !== '' && writing.managed !== true)
    throw new StatusError({
      code: 500,
      reason: '',
      message: 'resourceVersion should not be set on objects to be created',
    });
  for (const key of ['resourceVersion', 'selfLink', 'deletionTimestamp', 'deletionGracePeriodSeconds'])
    delete meta[key];
  meta['uid'] = uuid(cluster.random(16));
  meta['creationTimestamp'] = timestamp(cluster.now());
  if (countsGenerations(served)) meta['generation'] = 1;
  else delete meta['generation'];
  const object = { ...given, metadata: meta };
  const bare = splitsStatus(served) && served.info.storage !== 'nodes' ? withoutStatus(object) : object;
  if (served.custom !== undefined) return bare;
  const { group, version, kind } = served.info;
  return thaw(prepareBuiltIn(group, version, kind, bare));
}

/** A client does not write the status of what it creates. */
function withoutStatus(object: MutableJsonObject): MutableJsonObject {
  const { status: _status, ...rest } = object;
  return rest;
}

function namespaceFor(meta: MutableJsonObject, requested: string): string {
  const given = meta['namespace'];
  if (given === undefined || given === '' || given === requested) return requested;
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

function uuid(bytes: Buffer): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** What an update does: makes the new object of the stored one (both in the request's version). */
export interface Change {
  readonly subresource: string;
  /** True where the new object carries its managed fields already (apply). */
  readonly managed?: boolean;
  make(old: KubeObject): MutableJsonObject;
}

export interface Updated {
  readonly object: KubeObject;
  readonly changed: boolean;
}

/** Changes a stored object; tries again on a concurrent write unless the client named the version it changes. */
export async function updateObject(
  cluster: Cluster,
  served: Served,
  change: Change,
  writing: Writing,
): Promise<Updated> {
  for (let attempt = 0; ; attempt++) {
    const { entry, object: old } = findStored(cluster, served, writing.info);
    const made = change.make(old);
    const named = versionNamed(made, old, served);
    try {
      return await store(cluster, served, { entry, old, made, change }, writing);
    } catch (error) {
      if (named || attempt >= 10 || !isConflict(error)) throw error;
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof StatusError && error.status.code === 409 && error.status.reason === 'Conflict';
}

/** Checks the version and uid a client named; true if it insists on the version. */
function versionNamed(made: MutableJsonObject, old: KubeObject, served: Served): boolean {
  const meta = made['metadata'] as MutableJsonObject; // decoded before
  const version = meta['resourceVersion'];
  const name = old.metadata.name ?? '';
  if (typeof version !== 'string' || version === '' || version === '0') {
    return false;
  }
  if (!/^\d+$/.test(version))
    throw new StatusError({
      code: 500,
      reason: '',
      message: `strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`,
    });
  if (version !== old.metadata.resourceVersion) throw conflict(served.info, name);
  return true;
}

interface Step {
  readonly entry: Entry;
  readonly old: KubeObject;
  readonly made: MutableJsonObject;
  readonly change: Change;
}

async function store(cluster: Cluster, served: Served, step: Step, writing: Writing): Promise<Updated> {
  const { entry, old, change } = step;
  const carried = carriedOver(step, served);
  const { subresource } = change;
  const tracked =
    change.managed === true ? carried : track(cluster, served, { live: old, object: carried, writing, subresource });
  const object = thaw(tracked);
  const request = { operation: 'UPDATE' as const, object, old, resource: served.info, ...writing };
  if (subresource !== 'delete') await mutate(cluster, request);
  countGeneration(object, old, served, subresource);
  const final = inOrder(object, served, served.apiVersion);
  if (subresource !== 'delete') {
    validateUpdate(final, old, served);
    await validateAdmitted(cluster, { ...request, object: asMutable(final) });
  }
  if (sameButTimes(final, old)) return { object: old, changed: false };
  if (writing.dryRun) return { object: final, changed: true };
  if (isFinished(final)) {
    await cluster.store.delete(entry.key, entry.revision);
    return { object: final, changed: true };
  }
  const stored = toStored(final, served);
  refuseTooLarge(entry.key, stored, served);
  const written = await cluster.store.put(entry.key, stored, entry.revision);
  return { object: fromStored(written.object, served), changed: true };
}

/** A deleted object goes with its last finalizer; a pod also waits for its grace period, a namespace for its content. */
function isFinished(object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds > 0 || finalizers.length > 0) return false;
  if (object.kind !== 'Namespace' || object.apiVersion !== 'v1') return true;
  const spec = object['spec'] as { finalizers?: readonly string[] } | undefined; // checked by its type
  return (spec?.finalizers ?? []).length === 0;
}

/** The new object with what a client cannot change taken from the old one. */
function carriedOver({ old, made, change }: Step, served: Served): MutableJsonObject {
  const before = asJson(old);
  const meta = { ...(made['metadata'] as MutableJsonObject) }; // decoded before
  meta['resourceVersion'] = old.metadata.resourceVersion ?? '';
  if (old.metadata.creationTimestamp !== undefined) meta['creationTimestamp'] = old.metadata.creationTimestamp;
  for (const key of ['uid', 'namespace', 'name', 'generateName'] as const)
    if ((meta[key] ?? '') === '' && old.metadata[key] !== undefined) meta[key] = old.metadata[key];
  for (const key of ['generation', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'] as const) {
    if (change.subresource === 'delete' && key !== 'selfLink') continue;
    const value = key === 'selfLink' ? undefined : old.metadata[key];
    if (value === undefined) delete meta[key];
    else meta[key] = value;
  }
  const object: MutableJsonObject = { ...made, metadata: meta };
  if (change.subresource === 'status') return statusOnly(object, before, served);
  if (['', 'finalize'].includes(change.subresource) && splitsStatus(served)) keep(object, before, 'status');
  return object;
}

function statusOnly(object: MutableJsonObject, before: JsonObject, served: Served): MutableJsonObject {
  const result = thaw(before);
  keep(result, object, 'status');
  if (served.custom === undefined) {
    const meta = { ...(object['metadata'] as MutableJsonObject) }; // decoded before
    const labels = own(before['metadata'], 'labels');
    // Deployments alone keep their labels from writers of status.
    if (served.info.storage === 'deployments.apps') {
      delete meta['labels'];
      if (labels !== undefined) meta['labels'] = thaw(labels);
    }
    result['metadata'] = meta;
  } else {
    const managed = (object['metadata'] as MutableJsonObject)['managedFields'];
    if (managed !== undefined) (result['metadata'] as MutableJsonObject)['managedFields'] = managed;
  }
  return result;
}

function keep(target: MutableJsonObject, source: JsonObject, key: string): void {
  const value = source[key];
  if (value === undefined) delete target[key];
  else target[key] = thaw(value);
}

function countGeneration(object: MutableJsonObject, old: KubeObject, served: Served, subresource: string): void {
  if (!countsGenerations(served) || subresource === 'status' || subresource === 'delete') return;
  const content = (value: JsonObject): JsonObject => {
    const { metadata: _metadata, status, ...rest } = value;
    return splitsStatus(served) || status === undefined ? rest : { ...rest, status };
  };
  if (equal(content(object), content(asJson(old)))) return;
  (object['metadata'] as MutableJsonObject)['generation'] = (old.metadata.generation ?? 0) + 1; // made above
}

interface Tracking {
  readonly live: KubeObject | undefined;
  readonly object: MutableJsonObject;
  readonly writing: Writing;
  readonly subresource: string;
}

function track(cluster: Cluster, served: Served, { live, object, writing, subresource }: Tracking): JsonObject {
  if (writing.manager === '' || subresource === 'delete') return object;
  return updateManagedFields({
    live: live === undefined ? undefined : asJson(live),
    updated: object,
    manager: writing.manager,
    apiVersion: served.apiVersion,
    subresource,
    now: cluster.now(),
    schema: served.schema,
    resolve: served.resolve,
    ignored: resetFields(served, subresource),
  });
}

/** A write that would only renew the times of managed fields is no write. */
function sameButTimes(a: KubeObject, b: KubeObject): boolean {
  return equal(withoutTimes(asJson(a)), withoutTimes(asJson(b)));
}

function withoutTimes(object: JsonObject): JsonObject {
  const meta = object['metadata'] as JsonObject; // every stored object has it
  const managed = meta['managedFields'] as readonly JsonObject[] | undefined; // made by us
  if (managed === undefined) return object;
  const untimed: Json = managed.map(({ time: _time, ...rest }) => rest);
  return { ...object, metadata: { ...meta, managedFields: untimed } };
}

async function mutate(cluster: Cluster, request: AdmissionRequest): Promise<void> {
  for (const step of cluster.admission) await step.mutate?.(request);
}

/** Runs the validating part of admission. */
export async function validateAdmitted(cluster: Cluster, request: AdmissionRequest): Promise<void> {
  for (const step of cluster.admission) await step.validate?.(request);
}

function asMutable(object: KubeObject): MutableJsonObject {
  return asJson(object) as MutableJsonObject; // admission that validates does not change it
}
