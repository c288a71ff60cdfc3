import { isObject, type JsonObject, type MutableJsonObject, own } from '../../core/json/index.ts';
import type { KubeObject, ObjectMeta } from '../../core/objects/index.ts';
import type { Cause } from '../status.ts';
import { invalidValue } from './names.ts';
import type { Served } from './served.ts';

/** In this order Go prints the fields of an object's metadata. */
const order = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

/** The object with its fields in the order the real server prints them: kind and version, metadata, the rest. */
export function inOrder(object: JsonObject, served: Served, apiVersion: string): KubeObject {
  const metadata: MutableJsonObject = {};
  const given = isObject(object['metadata']) ? object['metadata'] : {};
  for (const key of order) {
    const value = own(given, key);
    if (value !== undefined && value !== null) metadata[key] = value as MutableJsonObject; // only moved
  }
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...rest } = object;
  const kind = served.info.kind;
  // Custom objects are maps in Go, whose keys are printed in alphabetical order.
  const head = served.custom === undefined ? { kind, apiVersion } : { apiVersion, kind };
  return { ...head, metadata: metadata as ObjectMeta, ...rest };
}

/** What an update may not change in the metadata. */
export function immutableMetadataProblems(object: KubeObject, old: KubeObject): Cause[] {
  const causes: Cause[] = [];
  for (const key of ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp'] as const) {
    const value = object.metadata[key];
    if ((value ?? '') !== (old.metadata[key] ?? ''))
      causes.push(invalidValue(`metadata.${key}`, value ?? null, 'field is immutable'));
  }
  if (old.metadata.deletionTimestamp === undefined) return causes;
  const before = new Set(old.metadata.finalizers ?? []);
  const added = (object.metadata.finalizers ?? []).filter((finalizer) => !before.has(finalizer));
  if (added.length > 0)
    causes.push({
      field: 'metadata.finalizers',
      reason: 'FieldValueForbidden',
      message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((text) => JSON.stringify(text)).join(', ')}}`,
    });
  return causes;
}
