import { isArray, isObject, type Json, type JsonObject, objectAt, own, stringAt } from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import type { Cause } from '../status.ts';
import { schemaProblems } from './definition-schema-rules.ts';
import { invalidValue, nameProblems } from './names.ts';

const required = (field: string, why = ''): Cause => ({
  field,
  reason: 'FieldValueRequired',
  message: why === '' ? 'Required value' : `Required value: ${why}`,
});

/** What is wrong with a CRD, in the order and words of the real server. */
export function definitionProblems(object: KubeObject, old: KubeObject | undefined): Cause[] {
  const json = asJson(object);
  const spec = objectAt(json, 'spec') ?? {};
  const group = stringAt(spec, 'group') ?? '';
  const plural = stringAt(spec, 'names', 'plural') ?? '';
  const name = object.metadata.name ?? '';
  const causes: Cause[] = [];
  if (name !== `${plural}.${group}`)
    causes.push(invalidValue('metadata.name', name, 'must be spec.names.plural+"."+spec.group'));
  causes.push(...groupProblems(group), ...scopeProblems(stringAt(spec, 'scope') ?? ''));
  causes.push(...versionProblems(spec), ...nameCauses(spec), ...changeProblems(spec, old));
  return causes;
}

function groupProblems(group: string): Cause[] {
  if (group === '') return [required('spec.group')];
  const causes = nameProblems(group, 'subdomain').map((why) => invalidValue('spec.group', group, why));
  if (!group.includes('.')) causes.push(invalidValue('spec.group', group, 'should be a domain with at least one dot'));
  return causes;
}

function scopeProblems(scope: string): Cause[] {
  if (scope === '') return [required('spec.scope')];
  if (scope === 'Cluster' || scope === 'Namespaced') return [];
  const message = `Unsupported value: ${JSON.stringify(scope)}: supported values: "Cluster", "Namespaced"`;
  return [{ field: 'spec.scope', reason: 'FieldValueNotSupported', message }];
}

function versionProblems(spec: JsonObject): Cause[] {
  const versions = items(own(spec, 'versions'));
  const causes: Cause[] = [];
  const schemas: Cause[] = [];
  const seen = new Set<string>();
  versions.forEach((version, index) => {
    const at = `spec.versions[${index}]`;
    const name = stringAt(version, 'name') ?? '';
    causes.push(...nameProblems(name, 'label').map((why) => invalidValue(`${at}.name`, name, why)));
    if (seen.has(name)) causes.push(invalidValue('spec.versions', null, 'must contain unique version names'));
    seen.add(name);
    const schema = objectAt(version, 'schema', 'openAPIV3Schema');
    if (schema === undefined) causes.push(required(`${at}.schema.openAPIV3Schema`, ''));
    else schemas.push(...schemaProblems(schema, `${at}.schema.openAPIV3Schema`));
    causes.push(...scaleProblems(version, at));
  });
  causes.push(...schemas);
  if (versions.filter((version) => version['storage'] === true).length !== 1)
    causes.push(
      invalidValue(
        'spec.versions',
        versions.length === 0 ? null : versions,
        'must have exactly one version marked as storage version',
      ),
    );
  return causes;
}

function scaleProblems(version: JsonObject, at: string): Cause[] {
  const scale = objectAt(version, 'subresources', 'scale');
  if (scale === undefined) return [];
  return (['specReplicasPath', 'statusReplicasPath'] as const).flatMap((key) => {
    const path = stringAt(scale, key) ?? '';
    const field = `${at}.subresources.scale.${key}`;
    const root = key === 'specReplicasPath' ? '.spec' : '.status';
    if (path === '') return [required(field)];
    return path.startsWith(`${root}.`) ? [] : [invalidValue(field, path, `should be a json path under ${root}`)];
  });
}

function nameCauses(spec: JsonObject): Cause[] {
  const names = objectAt(spec, 'names') ?? {};
  const causes: Cause[] = [];
  for (const key of ['plural', 'singular', 'kind', 'listKind']) {
    const value = stringAt(names, key) ?? '';
    const field = `spec.names.${key}`;
    if (value === '') causes.push(required(field));
    else causes.push(...nameProblems(value.toLowerCase(), 'dns1035').map((why) => invalidValue(field, value, why)));
  }
  const [kind, listKind] = [stringAt(names, 'kind') ?? '', stringAt(names, 'listKind') ?? ''];
  if (kind !== '' && kind === listKind)
    causes.push(invalidValue('spec.names.listKind', listKind, 'kind and listKind may not be the same'));
  return causes;
}

/** Scope, group and names stay as they were once the CRD is served. */
function changeProblems(spec: JsonObject, old: KubeObject | undefined): Cause[] {
  if (old === undefined) return [];
  const before = objectAt(asJson(old), 'spec') ?? {};
  return [['group'], ['scope'], ['names', 'plural'], ['names', 'kind']].flatMap((path) => {
    const value = stringAt(spec, ...path) ?? '';
    if (value === stringAt(before, ...path)) return [];
    return [invalidValue(`spec.${path.join('.')}`, value, 'field is immutable')];
  });
}

function items(value: Json | undefined): JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}
