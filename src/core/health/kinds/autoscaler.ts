import { isObject, type JsonObject, stringAt } from '../../json/index.ts';
import type { Health } from '../types.ts';
import { degraded, healthy, items, progressing } from './read.ts';

const failures: { readonly [type: string]: readonly string[] } = {
  AbleToScale: ['FailedGetScale', 'FailedUpdateScale'],
  ScalingActive: [
    'FailedGetResourceMetric',
    'FailedGetObjectMetric',
    'FailedGetPodsMetric',
    'FailedGetExternalMetric',
    'FailedComputeMetricsReplicas',
    'InvalidSelector',
  ],
};

/** An autoscaler is degraded where it cannot read or change what it scales. */
export function assessAutoscaler(object: JsonObject): Health {
  const conditions = items(object, 'status', 'conditions').filter(isObject);
  const failed = conditions.find((condition) => {
    const type = stringAt(condition, 'type') ?? '';
    return Object.hasOwn(failures, type) && failures[type]?.includes(stringAt(condition, 'reason') ?? '');
  });
  if (failed !== undefined) return degraded(stringAt(failed, 'message'));
  const able = conditions.find(
    (condition) =>
      ['AbleToScale', 'ScalingLimited'].includes(stringAt(condition, 'type') ?? '') &&
      stringAt(condition, 'status') === 'True',
  );
  return able === undefined ? progressing('Waiting to Autoscale') : healthy(stringAt(able, 'message'));
}
