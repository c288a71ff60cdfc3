import type { Json, JsonObject } from '../json/index.ts';

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** The part of an object's metadata that the house reads; whatever else is there survives as JSON. */
export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly Json[];
}

/** Any Kubernetes object. The fields beyond these are plain JSON, reached with `core/json`'s readers. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** The metadata of an object. */
export function metaOf(object: KubeObject): ObjectMeta {
  return object.metadata;
}

/** The name of an object; empty where only `generateName` is given. */
export function nameOf(object: KubeObject): string {
  return object.metadata.name ?? '';
}

/** The namespace of an object; empty for cluster-scoped ones. */
export function namespaceOf(object: KubeObject): string {
  return object.metadata.namespace ?? '';
}

export function uidOf(object: KubeObject): string {
  return object.metadata.uid ?? '';
}

export function versionOf(object: KubeObject): string {
  return object.metadata.resourceVersion ?? '';
}

/** An object as the JSON it is. */
export function asJson(object: KubeObject): JsonObject {
  return object as unknown as JsonObject; // a KubeObject is parsed JSON with named fields
}
