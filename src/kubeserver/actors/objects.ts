import { createHash, randomInt } from 'node:crypto';
import {
  canonical,
  equal,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  objectAt,
  thaw,
} from '../../core/json/index.ts';
import { asJson, type KubeObject, nameOf, namespaceOf, parseApiVersion, uidOf } from '../../core/objects/index.ts';
import { type Inside, StatusError } from '../ports.ts';

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** The random end of a generated name. */
export function suffix(length = 5): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** A short, stable name for a value, as the hash of a pod template. */
export function shortHash(value: Json): string {
  const digest = createHash('sha256').update(canonical(value)).digest();
  return Array.from(digest.subarray(0, 10), (byte) => alphabet[byte % alphabet.length]).join('');
}

export function specOf(object: KubeObject): JsonObject {
  return objectAt(asJson(object), 'spec') ?? {};
}

export function statusOf(object: KubeObject): JsonObject {
  return objectAt(asJson(object), 'status') ?? {};
}

export function numberAt(object: JsonObject, key: string, otherwise: number): number {
  const value = object[key];
  return typeof value === 'number' ? value : otherwise;
}

/** A time as objects carry it. */
export function timeText(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** The reference by which a controller owns what it makes. */
export function controllerRef(owner: KubeObject): MutableJsonObject {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: nameOf(owner),
    uid: uidOf(owner),
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The owner that controls an object, if one does. */
export function controllerOf(object: KubeObject): { kind: string; name: string; uid: string } | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** Key of the controller of an object if it is of a kind; for watching dependents. */
export function controllerKey(kind: string): (object: KubeObject) => string[] {
  return (object) => {
    const owner = controllerOf(object);
    return owner?.kind === kind ? [`${namespaceOf(object)}/${owner.name}`] : [];
  };
}

/** Merges into the status and writes it only if that changed something. `undefined` takes a field away. */
export async function setStatus(
  inside: Inside,
  object: KubeObject,
  fields: { readonly [key: string]: Json | undefined },
): Promise<void> {
  const { group } = parseApiVersion(object.apiVersion);
  const change = (current: MutableJsonObject): MutableJsonObject | undefined => {
    if (objectAt(current, 'metadata')?.['uid'] !== uidOf(object)) return undefined;
    const before = objectAt(current, 'status') ?? {};
    const merged = { ...before, ...fields };
    const kept = Object.entries(merged).filter((pair): pair is [string, Json] => pair[1] !== undefined);
    const after = Object.fromEntries(kept);
    return equal(before, after) ? undefined : { ...current, status: thaw(after) };
  };
  await inside.update(group, object.kind, namespaceOf(object), nameOf(object), change, { subresource: 'status' });
}

/** Deletes and does not mind if it is gone already. */
export async function remove(
  inside: Inside,
  object: KubeObject,
  propagation: 'Foreground' | 'Background' | 'Orphan' = 'Background',
): Promise<void> {
  const { group } = parseApiVersion(object.apiVersion);
  try {
    const options = { propagation, uid: uidOf(object) };
    await inside.delete(group, object.kind, namespaceOf(object), nameOf(object), options);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Creates and does not mind if it is there already. */
export async function ensure(inside: Inside, object: JsonObject): Promise<KubeObject | undefined> {
  try {
    return await inside.create(object as unknown as KubeObject); // made by an actor, with kind and metadata
  } catch (error) {
    if (error instanceof StatusError && error.status.reason === 'AlreadyExists') return undefined;
    throw error;
  }
}

/** Tells whether something was refused because the object is not (or no longer) that one. */
export function isGone(error: unknown): boolean {
  return error instanceof StatusError && (error.status.code === 404 || error.status.code === 409);
}

/** The object with one condition set; the time of transition moves only when the status does. */
export function withCondition(conditions: Json | undefined, wanted: JsonObject, now: string): Json[] {
  const list = Array.isArray(conditions) ? (conditions as Json[]) : []; // a JSON list
  const same = list.find((item): item is JsonObject => isObject(item) && item['type'] === wanted['type']);
  const time = same !== undefined && same['status'] === wanted['status'] ? same['lastTransitionTime'] : now;
  const next = { ...wanted, lastTransitionTime: time ?? now };
  return same === undefined ? [...list, next] : list.map((item) => (item === same ? next : item));
}

/** Tells whether a condition of a type is `True`. */
export function isTrue(object: KubeObject, type: string): boolean {
  const { conditions } = statusOf(object);
  if (!Array.isArray(conditions)) return false;
  return (conditions as Json[]).some((item) => isObject(item) && item['type'] === type && item['status'] === 'True');
}
