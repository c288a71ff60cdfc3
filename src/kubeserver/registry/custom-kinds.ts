import { isArray, isObject, type Json, type JsonObject, objectAt, own, stringAt } from '../../core/json/index.ts';
import { type Schema, schemaFromOpenApi } from '../../core/merge/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import { compareVersions } from '../discovery/groups.ts';
import type { Column, Custom, Served, Subresource } from './served.ts';

const allVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const partVerbs = ['get', 'patch', 'update'];

/** Every served version of a CRD, the preferred first. */
export function servedBy(definition: KubeObject): Served[] {
  const spec = objectAt(asJson(definition), 'spec') ?? {};
  const versions = items(spec['versions']);
  const group = stringAt(spec, 'group') ?? '';
  const stored = versions.find((version) => version['storage'] === true);
  const storedAs = `${group}/${stringAt(stored, 'name') ?? ''}`;
  return versions
    .filter((version) => version['served'] === true)
    .sort((a, b) => compareVersions(stringAt(b, 'name') ?? '', stringAt(a, 'name') ?? ''))
    .map((version) => serve(definition, spec, version, storedAs));
}

function serve(definition: KubeObject, spec: JsonObject, version: JsonObject, storedAs: string): Served {
  const names = objectAt(spec, 'names') ?? {};
  const text = (key: string): string => stringAt(names, key) ?? '';
  const group = stringAt(spec, 'group') ?? '';
  const name = stringAt(version, 'name') ?? '';
  const subresources = subresourcesOf(version);
  const published = objectAt(version, 'schema', 'openAPIV3Schema') ?? {};
  return {
    info: {
      group,
      version: name,
      kind: text('kind'),
      listKind: text('listKind'),
      plural: text('plural'),
      singular: text('singular'),
      shortNames: texts(names['shortNames']),
      categories: texts(names['categories']),
      namespaced: stringAt(spec, 'scope') === 'Namespaced',
      verbs: allVerbs,
      subresources: subresources.map((sub) => sub.name),
      storage: `${text('plural')}.${group}`,
    },
    schema: schemaOf(published),
    resolve: () => undefined,
    subresources,
    storedAs,
    apiVersion: `${group}/${name}`,
    custom: customOf(definition, spec, version, published),
    type: '',
  };
}

function schemaOf(published: JsonObject): Schema {
  return schemaFromOpenApi(published);
}

function subresourcesOf(version: JsonObject): Subresource[] {
  const subs = objectAt(version, 'subresources') ?? {};
  const found: Subresource[] = [];
  if (isObject(subs['status'])) found.push({ name: 'status', verbs: partVerbs });
  if (isObject(subs['scale']))
    found.push({ name: 'scale', verbs: partVerbs, group: 'autoscaling', version: 'v1', kind: 'Scale' });
  return found;
}

function customOf(definition: KubeObject, spec: JsonObject, version: JsonObject, published: JsonObject): Custom {
  const scale = objectAt(version, 'subresources', 'scale');
  const kind = stringAt(spec, 'names', 'kind') ?? '';
  const warning =
    stringAt(version, 'deprecationWarning') ??
    `${stringAt(spec, 'group') ?? ''}/${stringAt(version, 'name') ?? ''} ${kind} is deprecated`;
  return {
    definition: definition.metadata.name ?? '',
    columns: items(version['additionalPrinterColumns']).map(columnOf),
    scale:
      scale === undefined
        ? undefined
        : {
            spec: stringAt(scale, 'specReplicasPath') ?? '',
            status: stringAt(scale, 'statusReplicasPath') ?? '',
            labelSelector: stringAt(scale, 'labelSelectorPath') ?? '',
          },
    hasStatus: objectAt(version, 'subresources', 'status') !== undefined,
    selectableFields: items(version['selectableFields']).map((field) => stringAt(field, 'jsonPath') ?? ''),
    published,
    deprecation: version['deprecated'] === true ? warning : undefined,
    accepting: definition.metadata.deletionTimestamp === undefined,
  };
}

function columnOf(column: JsonObject): Column {
  const priority = own(column, 'priority');
  return {
    name: stringAt(column, 'name') ?? '',
    type: stringAt(column, 'type') ?? 'string',
    format: stringAt(column, 'format') ?? '',
    description: stringAt(column, 'description') ?? '',
    priority: typeof priority === 'number' ? priority : 0,
    jsonPath: stringAt(column, 'jsonPath') ?? '',
  };
}

function items(value: Json | undefined): JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}

function texts(value: Json | undefined): string[] {
  return isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
