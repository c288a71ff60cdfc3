import {
  at,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  objectAt,
  own,
  stringAt,
} from '../../src/core/json/index.ts';
import { convertSchema, type Schema } from '../../src/core/merge/index.ts';
import type { KindRow } from '../../src/kubeserver/registry/builtins.ts';
import type { Subresource } from '../../src/kubeserver/registry/served.ts';

export interface TypeTable {
  readonly kubernetes: string;
  readonly kinds: readonly KindRow[];
  readonly types: { readonly [name: string]: Schema };
}

/** Types no kind refers to, but the protocol needs. */
const protocolTypes = ['Status', 'DeleteOptions', 'APIResourceList', 'APIGroupList'].map(
  (name) => `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`,
);

/** Builds the table from aggregated discovery and the OpenAPI documents, by `group/version`. */
export function compactTable(input: {
  kubernetes: string;
  discovery: Json;
  openapi: ReadonlyMap<string, Json>;
  groups: ReadonlySet<string>;
}): TypeTable {
  const schemas = new Map<string, Json>();
  const typeOf = new Map<string, string>();
  for (const document of input.openapi.values())
    for (const [name, schema] of Object.entries(objectAt(document, 'components', 'schemas') ?? {})) {
      schemas.set(name, schema);
      for (const key of kindsNamed(schema)) typeOf.set(key, name);
    }
  const kinds = listOf(own(input.discovery, 'items'))
    .flatMap((group) => kindsOf(group, typeOf))
    .filter(({ group }) => input.groups.has(group));
  const roots = [...kinds.flatMap((row) => rootsOf(row, typeOf)), ...protocolTypes];
  return { kubernetes: input.kubernetes, kinds, types: reachable(roots, schemas) };
}

function listOf(value: Json | undefined): readonly Json[] {
  return isArray(value) ? value : [];
}

function textsOf(value: Json | undefined): string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}

function keyOf(group: string, version: string, kind: string): string {
  return `${group}/${version}/${kind}`;
}

function kindsNamed(schema: Json): string[] {
  const rows = listOf(own(schema, 'x-kubernetes-group-version-kind'));
  return rows.map((row) =>
    keyOf(stringAt(row, 'group') ?? '', stringAt(row, 'version') ?? '', stringAt(row, 'kind') ?? ''),
  );
}

function kindsOf(group: Json, typeOf: ReadonlyMap<string, string>): KindRow[] {
  const name = stringAt(group, 'metadata', 'name') ?? '';
  return listOf(own(group, 'versions')).flatMap((version) =>
    listOf(own(version, 'resources')).map((resource) =>
      kindRow(resource, { group: name, version: stringAt(version, 'version') ?? '' }, typeOf),
    ),
  );
}

function kindRow(resource: Json, at: { group: string; version: string }, typeOf: ReadonlyMap<string, string>): KindRow {
  const kind = stringAt(resource, 'responseKind', 'kind') ?? '';
  const [shortNames, categories] = [textsOf(own(resource, 'shortNames')), textsOf(own(resource, 'categories'))];
  const subresources = listOf(own(resource, 'subresources')).map((row) => subresourceRow(row, { ...at, kind }));
  return {
    ...at,
    kind,
    plural: stringAt(resource, 'resource') ?? '',
    singular: stringAt(resource, 'singularResource') ?? '',
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    namespaced: own(resource, 'scope') === 'Namespaced',
    verbs: textsOf(own(resource, 'verbs')),
    ...(subresources.length > 0 ? { subresources } : {}),
    type: typeOf.get(keyOf(at.group, at.version, kind)) ?? '',
  };
}

function subresourceRow(row: Json, parent: { group: string; version: string; kind: string }): Subresource {
  const answer = {
    group: stringAt(row, 'responseKind', 'group') || parent.group,
    version: stringAt(row, 'responseKind', 'version') || parent.version,
    kind: stringAt(row, 'responseKind', 'kind') ?? parent.kind,
  };
  return {
    name: stringAt(row, 'subresource') ?? '',
    verbs: textsOf(own(row, 'verbs')),
    ...(answer.kind === parent.kind ? {} : answer),
  };
}

function rootsOf(row: KindRow, typeOf: ReadonlyMap<string, string>): string[] {
  const answers = (row.subresources ?? []).map(({ group, version, kind }) =>
    typeOf.get(keyOf(group ?? '', version ?? '', kind ?? '')),
  );
  return [row.type, ...answers].filter((name) => name !== undefined && name !== '') as string[]; // filtered on this line
}

function reachable(roots: readonly string[], schemas: ReadonlyMap<string, Json>): Record<string, Schema> {
  const types = new Map<string, Schema>();
  const waiting = [...roots];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const schema = schemas.get(name);
    if (schema === undefined || types.has(name)) continue;
    const type = compactType(name, schema);
    types.set(name, type);
    waiting.push(...refsIn(type));
  }
  return Object.fromEntries([...types].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function refsIn(schema: Schema): string[] {
  const below = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  const nested = below.flatMap((child) => (child === undefined || child === true ? [] : refsIn(child)));
  return schema.ref === undefined ? nested : [schema.ref, ...nested];
}

/** Types that hold whatever JSON they are given. */
const anything = /\.(RawExtension|FieldsV1|JSON|JSONSchemaPropsOr\w+)$/;

function compactType(name: string, schema: Json): Schema {
  if (name.endsWith('.IntOrString')) return { intOrString: true, format: 'int-or-string' };
  if (name.endsWith('.Quantity')) return { intOrString: true, format: 'quantity' };
  if (anything.test(name)) return { ...convertSchema(schema), preserveUnknownFields: true };
  return withAlways(convertSchema(tidy(schema)), schema);
}

/** A default of `{}` tells a struct that Go prints even when it is empty. */
function withAlways(type: Schema, schema: Json): Schema {
  if (type.properties === undefined) return type;
  const isAlways = (name: string): boolean => isObject(at(schema, 'properties', name, 'default'));
  const mark = ([name, property]: [string, Schema]): [string, Schema] =>
    isAlways(name) ? [name, { ...property, always: true }] : [name, property];
  return { ...type, properties: Object.fromEntries(Object.entries(type.properties).map(mark)) };
}

/** Field references stand in `allOf` of one; defaults of structs are no defaults, see `withAlways`. */
function tidy(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const result = new Map<string, Json>();
  for (const [key, value] of Object.entries(schema)) {
    const [only] = listOf(value);
    if (key === 'allOf' && isObject(only)) for (const [name, part] of Object.entries(only)) result.set(name, part);
    else if (key === 'properties' && isObject(value)) result.set(key, tidyEach(value));
    else if (key !== 'default' || !isObject(value)) result.set(key, isObject(value) ? tidy(value) : value);
  }
  return Object.fromEntries(result);
}

/** Names of fields are no keywords: a type may well have a field called `default`. */
function tidyEach(properties: JsonObject): Json {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, tidy(schema)]));
}
