import type { ResolveRef, Schema } from '../../core/merge/index.ts';
import { printApiVersion } from '../../core/objects/index.ts';
import type { Served, Subresource } from './served.ts';
import table from './types.generated.json' with { type: 'json' };

/** One kind of the generated table, as the generator writes it. */
export interface KindRow {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** Where a subresource answers with a kind of its own (Scale, TokenRequest), that kind is named. */
  readonly subresources?: readonly Subresource[];
  /** The name of its type; kinds that are only posted (reviews) have one too. */
  readonly type: string;
}

const types = table.types as unknown as { readonly [name: string]: Schema }; // the generator writes this shape
const rows = table.kinds as unknown as readonly KindRow[]; // the generator writes this shape

/** Finds a type of the generated table. */
export const resolveBuiltin: ResolveRef = (name) => (Object.hasOwn(types, name) ? types[name] : undefined);

/** Kinds of two groups that are one in the store, keyed by `plural.group`. */
const storages: { readonly [resource: string]: string } = { 'events.events.k8s.io': 'events' };

/** Versions that are stored where a kind has several, keyed by storage. */
const storageVersions: { readonly [storage: string]: string } = {
  'horizontalpodautoscalers.autoscaling': 'autoscaling/v2',
  events: 'v1',
};

/** Every built-in kind of Kubernetes 1.36 that is served, in the order of the table. */
export function builtins(): Served[] {
  return rows.map(serve);
}

function serve(row: KindRow): Served {
  const { group, version, kind, plural } = row;
  const resource = group === '' ? plural : `${plural}.${group}`;
  const storage = storages[resource] ?? resource;
  const apiVersion = printApiVersion(group, version);
  const subresources = row.subresources ?? [];
  const info = {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    plural,
    singular: row.singular,
    shortNames: row.shortNames ?? [],
    categories: row.categories ?? [],
    namespaced: row.namespaced,
    verbs: row.verbs,
    subresources: subresources.map(({ name }) => name),
    storage,
  };
  return {
    info,
    schema: resolveBuiltin(row.type) ?? { type: 'object' },
    resolve: resolveBuiltin,
    subresources,
    storedAs: storageVersions[storage] ?? apiVersion,
    apiVersion,
    custom: undefined,
    type: row.type,
  };
}

/** Whether a kind of this name is built in. */
export function isBuiltIn(apiVersion: string, kind: string): boolean {
  return rows.some((row) => row.kind === kind && printApiVersion(row.group, row.version) === apiVersion);
}

/** All types of the table by name, for OpenAPI. */
export function builtinTypes(): { readonly [name: string]: Schema } {
  return types;
}
