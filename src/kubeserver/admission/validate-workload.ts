import { equal, isArray, isObject, type Json, type JsonObject, objectAt, stringAt } from '../../core/json/index.ts';
import type { Cause } from '../status.ts';
import { type Check, each, forbiddenField, invalidValue, nonNegative, required, unsupported } from './cause.ts';
import { labelCauses } from './validate-meta.ts';
import { podSpecCauses } from './validate-pod.ts';

/** What is wrong with a label selector's expressions. */
function expressionCauses(selector: JsonObject, field: string): Cause[] {
  return each(selector['matchExpressions'], `${field}.matchExpressions`).flatMap(({ item, path }) => {
    const values = isArray(item['values']) ? item['values'].length : 0;
    const operator = item['operator'] ?? '';
    if (operator === 'In' || operator === 'NotIn')
      return values > 0 ? [] : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    if (operator === 'Exists' || operator === 'DoesNotExist')
      return values === 0
        ? []
        : [forbiddenField(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    return [invalidValue(`${path}.operator`, operator, 'not a valid selector operator')];
  });
}

/** Tells whether a label selector selects labels. */
export function selects(selector: JsonObject, labels: JsonObject): boolean {
  const pairs = Object.entries(objectAt(selector, 'matchLabels') ?? {});
  if (!pairs.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)) return false;
  return each(selector['matchExpressions'], '').every(({ item }) => {
    const key = stringAt(item, 'key') ?? '';
    const there = Object.hasOwn(labels, key);
    const listed = there && isArray(item['values']) && item['values'].includes(labels[key] ?? null);
    if (item['operator'] === 'In') return listed;
    if (item['operator'] === 'NotIn') return !listed;
    return item['operator'] === 'Exists' ? there : !there;
  });
}

function isEmptySelector(selector: JsonObject): boolean {
  const expressions = selector['matchExpressions'];
  const labels = Object.keys(objectAt(selector, 'matchLabels') ?? {}).length;
  return labels === 0 && !(isArray(expressions) && expressions.length > 0);
}

function selectorCauses(spec: JsonObject, what: string): Cause[] {
  const selector = objectAt(spec, 'selector');
  const field = 'spec.selector';
  const given = objectAt(spec, 'template', 'metadata', 'labels');
  const labels = given ?? {};
  const mismatch = invalidValue(
    'spec.template.metadata.labels',
    given ?? null,
    '`selector` does not match template `labels`',
  );
  if (selector === undefined) return [required(field), mismatch];
  const causes = [
    ...labelCauses(selector['matchLabels'], `${field}.matchLabels`),
    ...expressionCauses(selector, field),
  ];
  if (causes.length > 0) return [...causes, invalidValue(field, selector, 'invalid label selector')];
  if (isEmptySelector(selector)) return [invalidValue(field, selector, `empty selector is invalid for ${what}`)];
  return selects(selector, labels) ? [] : [mismatch];
}

function templateCauses(spec: JsonObject): Cause[] {
  const template = objectAt(spec, 'template') ?? {};
  const field = 'spec.template';
  const claimed = each(spec['volumeClaimTemplates'], '').map(({ item }) => stringAt(item, 'metadata', 'name') ?? '');
  return [
    ...labelCauses(objectAt(template, 'metadata')?.['labels'], `${field}.metadata.labels`),
    ...podSpecCauses(objectAt(template, 'spec') ?? {}, `${field}.spec`, claimed),
  ];
}

/** Pods that a controller keeps running restart always. */
function restartsAlways(spec: JsonObject): Cause[] {
  const policy = stringAt(spec, 'template', 'spec', 'restartPolicy') ?? 'Always';
  if (policy === 'Always' || !['OnFailure', 'Never'].includes(policy)) return [];
  return [unsupported('spec.template.spec.restartPolicy', policy, ['Always'])];
}

function counts(spec: JsonObject): Cause[] {
  return ['minReadySeconds', 'revisionHistoryLimit'].flatMap((key) => nonNegative(spec, key, 'spec'));
}

function strategyCauses(spec: JsonObject): Cause[] {
  const strategy = objectAt(spec, 'strategy');
  const type = stringAt(strategy, 'type') ?? 'RollingUpdate';
  const rolling = objectAt(strategy, 'rollingUpdate');
  const field = 'spec.strategy.rollingUpdate';
  if (type === 'Recreate')
    return rolling === undefined
      ? []
      : [forbiddenField(field, "may not be specified when strategy `type` is 'Recreate'")];
  if (type !== 'RollingUpdate')
    return [
      unsupported('spec.strategy', { Type: type, RollingUpdate: rolling ?? null }, ['Recreate', 'RollingUpdate']),
    ];
  const none = (value: Json | undefined): boolean => value === 0 || value === '0%';
  if (!none(rolling?.['maxSurge']) || !none(rolling?.['maxUnavailable'])) return [];
  return [invalidValue(`${field}.maxUnavailable`, rolling?.['maxUnavailable'], 'may not be 0 when `maxSurge` is 0')];
}

function immutableSelector(spec: JsonObject, old: JsonObject | undefined): Cause[] {
  const before = objectAt(old, 'spec')?.['selector'];
  if (old === undefined || equal(before ?? null, spec['selector'] ?? null)) return [];
  return [invalidValue('spec.selector', spec['selector'], 'field is immutable')];
}

const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};

export const checkDeployment: Check = (object, old) => {
  const spec = specOf(object);
  return [
    ...nonNegative(spec, 'replicas', 'spec'),
    ...selectorCauses(spec, 'deployment'),
    ...templateCauses(spec),
    ...restartsAlways(spec),
    ...strategyCauses(spec),
    ...counts(spec),
    ...immutableSelector(spec, old),
  ];
};

export const checkReplicaSet: Check = (object, old) => {
  const spec = specOf(object);
  const immutable = immutableSelector(spec, old);
  const rest = [...selectorCauses(spec, 'deployment'), ...templateCauses(spec), ...restartsAlways(spec)];
  return [...nonNegative(spec, 'replicas', 'spec'), ...rest, ...immutable];
};

export const checkDaemonSet: Check = (object, old) => {
  const spec = specOf(object);
  const rest = [...templateCauses(spec), ...restartsAlways(spec), ...counts(spec), ...immutableSelector(spec, old)];
  return [...selectorCauses(spec, 'daemonset'), ...rest];
};

const statefulSetFree = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

export const checkStatefulSet: Check = (object, old) => {
  const spec = specOf(object);
  const causes = [
    ...nonNegative(spec, 'replicas', 'spec'),
    ...selectorCauses(spec, 'statefulset'),
    ...templateCauses(spec),
    ...restartsAlways(spec),
    ...counts(spec),
  ];
  const fixed = (value: JsonObject): Json =>
    Object.fromEntries(Object.entries(value).filter(([key]) => !statefulSetFree.includes(key)));
  if (old === undefined || equal(fixed(spec), fixed(specOf(old)))) return causes;
  const names = statefulSetFree.map((name) => `'${name}'`);
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const why = `updates to statefulset spec for fields other than ${list} are forbidden`;
  return [...causes, forbiddenField('spec', why)];
};

export const checkJob: Check = (object, old) => {
  const spec = specOf(object);
  const counted = ['parallelism', 'completions', 'backoffLimit', 'activeDeadlineSeconds', 'ttlSecondsAfterFinished'];
  return [
    ...counted.flatMap((key) => nonNegative(spec, key, 'spec')),
    ...jobTemplateCauses(spec, 'spec'),
    ...(old === undefined ? [] : jobChanges(spec, specOf(old), old)),
  ];
};

function jobTemplateCauses(spec: JsonObject, path: string): Cause[] {
  const pod = objectAt(spec, 'template', 'spec') ?? {};
  const causes = podSpecCauses(pod, `${path}.template.spec`);
  const policy = stringAt(pod, 'restartPolicy') ?? '';
  if (policy === 'OnFailure' || policy === 'Never') return causes;
  return [...causes, required(`${path}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"')];
}

/** Once it was started a Job's pods are what they are; a suspended one may still be re-planned. */
function jobChanges(spec: JsonObject, before: JsonObject, old: JsonObject): Cause[] {
  const causes = ['completions', 'selector', 'completionMode'].flatMap((key) =>
    equal(spec[key] ?? null, before[key] ?? null)
      ? []
      : [invalidValue(`spec.${key}`, spec[key] ?? null, 'field is immutable')],
  );
  const replanned = before['suspend'] === true && stringAt(old, 'status', 'startTime') === undefined;
  if (replanned || equal(spec['template'] ?? null, before['template'] ?? null)) return causes;
  return [...causes, invalidValue('spec.template', spec['template'], 'field is immutable')];
}

export const checkCronJob: Check = (object) => {
  const spec = specOf(object);
  const schedule = stringAt(spec, 'schedule') ?? '';
  const fields = schedule.trim().split(/\s+/);
  const job = objectAt(spec, 'jobTemplate', 'spec') ?? {};
  const causes = jobTemplateCauses(job, 'spec.jobTemplate.spec');
  if (schedule === '') return [required('spec.schedule'), ...causes];
  if (fields.length === 5 || schedule.startsWith('@')) return causes;
  const why = `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  return [invalidValue('spec.schedule', schedule, why), ...causes];
};

export const checkPod: Check = (object, old) => {
  const spec = specOf(object);
  const causes = podSpecCauses(spec, 'spec');
  if (old === undefined || equal(fixedPart(spec), fixedPart(specOf(old)))) return causes;
  return [...causes, forbiddenField('spec', podText)];
};

const podText =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function fixedPart(spec: JsonObject): Json {
  const free = ['activeDeadlineSeconds', 'tolerations', 'terminationGracePeriodSeconds', 'nodeName'];
  const rest = Object.fromEntries(Object.entries(spec).filter(([key]) => !free.includes(key)));
  const strip = (list: Json | undefined): Json =>
    isArray(list) ? list.map((item) => (isObject(item) ? { ...item, image: '' } : item)) : null;
  return { ...rest, containers: strip(spec['containers']), initContainers: strip(spec['initContainers']) };
}
