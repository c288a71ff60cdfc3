import type { JsonObject } from '../../core/json/index.ts';
import type { ResolveRef, Schema } from '../../core/merge/index.ts';
import type { ResourceInfo } from '../ports.ts';

/** A subresource as discovery lists it; `kind` is set where its objects are of another kind. */
export interface Subresource {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
}

/** One column of a table of custom objects. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  readonly jsonPath: string;
}

/** What a CRD says about one of its versions beyond the schema. */
export interface Custom {
  readonly definition: string;
  readonly columns: readonly Column[];
  readonly scale: { readonly spec: string; readonly status: string; readonly labelSelector: string } | undefined;
  readonly hasStatus: boolean;
  readonly selectableFields: readonly string[];
  /** The schema as it was written, for OpenAPI. */
  readonly published: JsonObject;
  readonly deprecation: string | undefined;
  /** False while the CRD is being deleted: nothing new may be created. */
  readonly accepting: boolean;
}

/** One version of a kind, with everything the handlers need to serve it. */
export interface Served {
  readonly info: ResourceInfo;
  readonly schema: Schema;
  readonly resolve: ResolveRef;
  readonly subresources: readonly Subresource[];
  /** The `apiVersion` objects are stored with. */
  readonly storedAs: string;
  readonly apiVersion: string;
  /** Undefined for built-in kinds. */
  readonly custom: Custom | undefined;
  /** The name of the type in the table of types; empty for custom kinds. */
  readonly type: string;
}

/** The prefix of an object's or a namespace's keys in the store. */
export function keyPrefix(served: Served, namespace: string): string {
  if (!served.info.namespaced) return `${served.info.storage}//`;
  return namespace === '' ? `${served.info.storage}/` : `${served.info.storage}/${namespace}/`;
}

/** The key of one object in the store. */
export function keyOf(served: Served, namespace: string, name: string): string {
  return `${served.info.storage}/${served.info.namespaced ? namespace : ''}/${name}`;
}
