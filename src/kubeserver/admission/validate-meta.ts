import { isArray, isObject, type Json, type JsonObject, objectAt, stringAt } from '../../core/json/index.ts';
import type { Cause } from '../status.ts';
import { each, invalidValue, required } from './cause.ts';
import { dnsLabel, dnsSubdomain, labelValue, pathSegment, qualifiedName } from './names.ts';

const cronName = (name: string): string[] =>
  name.length > 52 ? ['must be no more than 52 characters'] : dnsSubdomain(name);

/** Kinds (`Kind.group`) whose names follow other rules than the usual DNS subdomain. */
const nameRules: { readonly [kind: string]: (name: string) => string[] } = {
  'Namespace.': dnsLabel,
  'Service.': dnsLabel,
  'StatefulSet.apps': dnsLabel,
  'CronJob.batch': cronName,
  'APIService.apiregistration.k8s.io': pathSegment,
  'Role.rbac.authorization.k8s.io': pathSegment,
  'ClusterRole.rbac.authorization.k8s.io': pathSegment,
  'RoleBinding.rbac.authorization.k8s.io': pathSegment,
  'ClusterRoleBinding.rbac.authorization.k8s.io': pathSegment,
};

/** What is wrong with an object's metadata: names, labels, annotations, owners, finalizers. */
export function metaCauses(kind: string, object: JsonObject): Cause[] {
  const meta = objectAt(object, 'metadata') ?? {};
  const rule = nameRules[kind] ?? dnsSubdomain;
  return [
    ...nameCauses(meta, rule),
    ...negativeGeneration(meta),
    ...labelCauses(meta['labels'], 'metadata.labels'),
    ...annotationCauses(meta['annotations']),
    ...ownerCauses(meta['ownerReferences']),
    ...finalizerCauses(meta['finalizers'], isCustom(kind)),
  ];
}

function nameCauses(meta: JsonObject, rule: (name: string) => string[]): Cause[] {
  const generate = stringAt(meta, 'generateName') ?? '';
  const name = stringAt(meta, 'name') ?? '';
  const causes: Cause[] = [];
  // A prefix may end in what a name may not end in, because something follows.
  if (generate !== '')
    for (const why of rule(generate.replace(/[-.]$/, 'a')))
      causes.push(invalidValue('metadata.generateName', generate, why));
  if (name === '') return [...causes, required('metadata.name', 'name or generateName is required')];
  return [...causes, ...rule(name).map((why) => invalidValue('metadata.name', name, why))];
}

function negativeGeneration(meta: JsonObject): Cause[] {
  const { generation } = meta;
  if (typeof generation !== 'number' || generation >= 0) return [];
  return [invalidValue('metadata.generation', generation, 'must be greater than or equal to 0')];
}

/** What is wrong with a map of labels (or a selector, which reads the same). */
export function labelCauses(labels: Json | undefined, field: string): Cause[] {
  if (!isObject(labels)) return [];
  return Object.keys(labels).flatMap((key) => {
    const value = labels[key];
    const text = typeof value === 'string' ? value : '';
    return [
      ...qualifiedName(key).map((why) => invalidValue(field, key, why)),
      ...labelValue(text).map((why) => invalidValue(field, text, why)),
    ];
  });
}

const annotationLimit = 256 * 1024;

function annotationCauses(annotations: Json | undefined): Cause[] {
  if (!isObject(annotations)) return [];
  const field = 'metadata.annotations';
  let size = 0;
  const causes = Object.keys(annotations).flatMap((key) => {
    const value = annotations[key];
    size += Buffer.byteLength(key) + (typeof value === 'string' ? Buffer.byteLength(value) : 0);
    return qualifiedName(key.toLowerCase()).map((why) => invalidValue(field, key, why));
  });
  if (size <= annotationLimit) return causes;
  const message = `Too long: may not be more than ${annotationLimit} bytes`;
  return [...causes, { field, reason: 'FieldValueTooLong', message }];
}

function ownerCauses(owners: Json | undefined): Cause[] {
  const field = 'metadata.ownerReferences';
  const found = each(owners, field);
  const causes = found.flatMap(({ item }) => {
    const empty = (key: string): boolean => (stringAt(item, key) ?? '') === '';
    const version = empty('apiVersion') ? [invalidValue(`${field}.apiVersion`, '', 'version must not be empty')] : [];
    const rest = ['kind', 'name', 'uid'].filter(empty);
    return [...version, ...rest.map((key) => invalidValue(`${field}.${key}`, '', 'must not be empty'))];
  });
  const controllers = found.filter(({ item }) => item['controller'] === true).map(({ item }) => item);
  const [first, second] = controllers.map((item) => `${stringAt(item, 'kind')}/${stringAt(item, 'name')}`);
  if (second === undefined) return causes;
  const why = `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`;
  return [...causes, invalidValue(field, owners, why)];
}

const standardFinalizers = ['kubernetes', 'orphan', 'foregroundDeletion'];

const builtInGroups = new Set(
  ` apps autoscaling batch policy ${['admissionregistration', 'apiextensions', 'apiregistration', 'authentication', 'authorization', 'certificates', 'coordination', 'discovery', 'events', 'flowcontrol.apiserver', 'networking', 'node', 'rbac.authorization', 'resource', 'scheduling', 'storage'].map((group) => `${group}.k8s.io`).join(' ')}`.split(
    ' ',
  ),
);

/** Kinds written `Kind.group`; custom ones may have finalizers without a domain. */
function isCustom(kind: string): boolean {
  return !builtInGroups.has(kind.includes('.') ? kind.slice(kind.indexOf('.') + 1) : '');
}

function finalizerCauses(finalizers: Json | undefined, custom: boolean): Cause[] {
  if (!isArray(finalizers)) return [];
  const field = 'metadata.finalizers';
  const causes = finalizers.flatMap((value, index) => {
    const name = typeof value === 'string' ? value : '';
    const path = `${field}[${index}]`;
    const syntax = qualifiedName(name).map((why) => invalidValue(path, name, why));
    if (syntax.length > 0 || custom || name.includes('/') || standardFinalizers.includes(name)) return syntax;
    return [invalidValue(path, name, 'name is neither a standard finalizer name nor is it fully qualified')];
  });
  if (!finalizers.includes('orphan') || !finalizers.includes('foregroundDeletion')) return causes;
  return [...causes, invalidValue(field, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set')];
}
