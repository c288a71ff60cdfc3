import { equal, isArray, isObject, type Json, type JsonObject, objectAt, stringAt } from '../../core/json/index.ts';
import type { Cause } from '../status.ts';
import { type Check, each, forbiddenField, invalidValue, required, unsupported } from './cause.ts';
import { configKey, dnsSubdomain, pathSegment } from './names.ts';
import { quantityValue } from './quantity.ts';

const frozenText = 'field is immutable when `immutable` is set';

function frozen(object: JsonObject, old: JsonObject | undefined, fields: readonly string[]): Cause[] {
  if (old?.['immutable'] !== true) return [];
  if (object['immutable'] !== true) return [forbiddenField('immutable', frozenText)];
  const same = (field: string): boolean => equal(object[field] ?? null, old[field] ?? null);
  return fields.filter((field) => !same(field)).map((field) => forbiddenField(field, frozenText));
}

function keyCauses(object: JsonObject, field: string): Cause[] {
  const keys = Object.keys(objectAt(object, field) ?? {});
  return keys.flatMap((key) => configKey(key).map((why) => invalidValue(`${field}[${key}]`, key, why)));
}

const largest = 1024 * 1024;

/** What is stored for one object must stay small; what is base64 counts decoded. */
function sizeCauses(parts: readonly [JsonObject | undefined, BufferEncoding][], field: string): Cause[] {
  const sizes = parts.flatMap(([map, encoding]) =>
    Object.values(map ?? {}).map((value) => (typeof value === 'string' ? Buffer.byteLength(value, encoding) : 0)),
  );
  if (sizes.reduce((sum, size) => sum + size, 0) <= largest) return [];
  return [{ field, reason: 'FieldValueTooLong', message: `Too long: may not be more than ${largest} bytes` }];
}

export const checkConfigMap: Check = (object, old) => {
  const binary = objectAt(object, 'binaryData') ?? {};
  const twice = Object.keys(objectAt(object, 'data') ?? {}).filter((key) => Object.hasOwn(binary, key));
  return [
    ...keyCauses(object, 'data'),
    ...twice.map((key) => invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...keyCauses(object, 'binaryData'),
    ...sizeCauses(
      [
        [objectAt(object, 'data'), 'utf8'],
        [binary, 'base64'],
      ],
      '[]',
    ),
    ...frozen(object, old, ['data', 'binaryData']),
  ];
};

/** Types of Secret → the keys they must have. */
const secretKeys: { readonly [type: string]: readonly string[] } = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};

export const checkSecret: Check = (object, old) => {
  const type = stringAt(object, 'type') ?? 'Opaque';
  const data = objectAt(object, 'data') ?? {};
  const missing = (Object.hasOwn(secretKeys, type) ? (secretKeys[type] ?? []) : []).filter(
    (key) => !Object.hasOwn(data, key),
  );
  const sizes = sizeCauses([[data, 'base64']], 'data');
  const causes = [...keyCauses(object, 'data'), ...sizes, ...missing.map((key) => required(`data[${key}]`))];
  if (type === 'kubernetes.io/basic-auth' && !Object.hasOwn(data, 'username') && !Object.hasOwn(data, 'password'))
    causes.push(required('data[username]'), required('data[password]'));
  const account = 'kubernetes.io/service-account.name';
  if (type === 'kubernetes.io/service-account-token' && !stringAt(object, 'metadata', 'annotations', account))
    causes.push(required(`metadata.annotations[${account}]`));
  if (old === undefined) return causes;
  if (type !== (stringAt(old, 'type') ?? 'Opaque')) causes.push(invalidValue('type', type, 'field is immutable'));
  return [...causes, ...frozen(object, old, ['data'])];
};

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

export const checkClaim: Check = (object, old) => {
  const spec = objectAt(object, 'spec') ?? {};
  const modes = isArray(spec['accessModes']) ? spec['accessModes'] : [];
  const causes: Cause[] = [];
  if (modes.length === 0) causes.push(required('spec.accessModes', 'at least 1 access mode is required'));
  for (const mode of modes)
    if (typeof mode !== 'string' || !accessModes.includes(mode))
      causes.push(unsupported('spec.accessModes', mode, accessModes));
  const storage = objectAt(spec, 'resources', 'requests')?.['storage'];
  if (storage === undefined) causes.push(required('spec.resources[storage]'));
  else if ((quantityValue(storage) ?? 1) <= 0)
    causes.push(invalidValue('spec.resources[storage]', storage, 'must be greater than zero'));
  const before = objectAt(old, 'spec');
  if (before === undefined || equal(claimFixed(spec), claimFixed(before))) return causes;
  // An unbound claim may still be given a volume; everything else is settled at creation.
  const why =
    'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
  return [...causes, forbiddenField('spec', why)];
};

function claimFixed(spec: JsonObject): Json {
  const free = ['resources', 'volumeName', 'volumeAttributesClassName'];
  return Object.fromEntries(Object.entries(spec).filter(([key]) => !free.includes(key)));
}

export const checkIngress: Check = (object) => {
  const spec = objectAt(object, 'spec') ?? {};
  const rules = each(spec['rules'], 'spec.rules');
  if (rules.length === 0 && !isObject(spec['defaultBackend']))
    return [invalidValue('spec', null, 'either `defaultBackend` or `rules` must be specified')];
  return rules.flatMap(({ item, path }) => {
    const host = stringAt(item, 'host') ?? '';
    const bare = host.startsWith('*.') ? host.slice(2) : host;
    const hosts = host === '' ? [] : dnsSubdomain(bare).map((why) => invalidValue(`${path}.host`, host, why));
    const paths = each(objectAt(item, 'http')?.['paths'], `${path}.http.paths`);
    return [...hosts, ...paths.flatMap(({ item: rule, path: at }) => ingressPathCauses(rule, at))];
  });
};

function ingressPathCauses(rule: JsonObject, path: string): Cause[] {
  const type = stringAt(rule, 'pathType') ?? '';
  if (type === '') return [required(`${path}.pathType`, 'pathType must be specified')];
  const types = ['Exact', 'Prefix', 'ImplementationSpecific'];
  if (!types.includes(type)) return [unsupported(`${path}.pathType`, type, types)];
  const causes: Cause[] = [];
  const value = stringAt(rule, 'path') ?? '';
  if (type !== 'ImplementationSpecific' && !value.startsWith('/'))
    causes.push(invalidValue(`${path}.path`, value, 'must be an absolute path'));
  const port = objectAt(rule, 'backend', 'service', 'port');
  if (isObject(objectAt(rule, 'backend')?.['service']) && !port?.['number'] && !port?.['name'])
    causes.push(required(`${path}.backend`, 'port name or number is required'));
  return causes;
}

const rbac = 'rbac.authorization.k8s.io';

function checkRules(object: JsonObject, namespaced: boolean): Cause[] {
  return each(object['rules'], 'rules').flatMap(({ item, path }) => {
    const size = (key: string): number => (isArray(item[key]) ? item[key].length : 0);
    const causes: Cause[] = [];
    if (size('verbs') === 0) causes.push(required(`${path}.verbs`, 'verbs must contain at least one value'));
    if (size('nonResourceURLs') > 0) {
      const wrong = (why: string): number =>
        causes.push(invalidValue(`${path}.nonResourceURLs`, item['nonResourceURLs'], why));
      if (namespaced) wrong('namespaced rules cannot apply to non-resource URLs');
      if (size('apiGroups') + size('resources') + size('resourceNames') > 0)
        wrong('rules cannot apply to both regular resources and non-resource URLs');
      return causes;
    }
    if (size('apiGroups') === 0)
      causes.push(required(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
    if (size('resources') === 0)
      causes.push(required(`${path}.resources`, 'resource rules must supply at least one resource'));
    return causes;
  });
}

export const checkRole: Check = (object) => checkRules(object, true);
export const checkClusterRole: Check = (object) => checkRules(object, false);
export const checkRoleBinding: Check = (object, old) => bindingCauses(object, old, ['Role', 'ClusterRole']);
export const checkClusterRoleBinding: Check = (object, old) => bindingCauses(object, old, ['ClusterRole']);

function bindingCauses(object: JsonObject, old: JsonObject | undefined, kinds: readonly string[]): Cause[] {
  const causes: Cause[] = [];
  const read = (key: string): string => stringAt(object, 'roleRef', key) ?? '';
  const [group, kind, name] = [read('apiGroup'), read('kind'), read('name')];
  if (group !== rbac) causes.push(unsupported('roleRef.apiGroup', group, [rbac]));
  if (!kinds.includes(kind)) causes.push(unsupported('roleRef.kind', kind, kinds));
  if (name === '') causes.push(required('roleRef.name'));
  else causes.push(...pathSegment(name).map((why) => invalidValue('roleRef.name', name, why)));
  const local = kinds.includes('Role');
  for (const { item, path } of each(object['subjects'], 'subjects')) causes.push(...subjectCauses(item, path, local));
  if (old === undefined || equal(old['roleRef'] ?? null, object['roleRef'] ?? null)) return causes;
  return [...causes, invalidValue('roleRef', { APIGroup: group, Kind: kind, Name: name }, 'cannot change roleRef')];
}

function subjectCauses(subject: JsonObject, path: string, local: boolean): Cause[] {
  const read = (key: string): string => stringAt(subject, key) ?? '';
  const [kind, name] = [read('kind'), read('name')];
  const causes: Cause[] = name === '' ? [required(`${path}.name`)] : [];
  const wanted = kind === 'ServiceAccount' ? '' : rbac;
  if (!['ServiceAccount', 'User', 'Group'].includes(kind))
    return [...causes, unsupported(`${path}.kind`, kind, ['ServiceAccount', 'User', 'Group'])];
  if (kind === 'ServiceAccount') {
    if (name !== '') causes.push(...dnsSubdomain(name).map((why) => invalidValue(`${path}.name`, name, why)));
    if (!local && read('namespace') === '') causes.push(required(`${path}.namespace`));
  }
  const group = subject['apiGroup'] === undefined ? wanted : read('apiGroup');
  return group === wanted ? causes : [...causes, unsupported(`${path}.apiGroup`, group, [wanted])];
}

export const checkEvent: Check = (object) => {
  const other = stringAt(object, 'involvedObject', 'namespace') ?? '';
  const own = stringAt(object, 'metadata', 'namespace') ?? '';
  if (other === own || (other === '' && own === 'default')) return [];
  return [invalidValue('involvedObject.namespace', other, 'does not match event.namespace')];
};
