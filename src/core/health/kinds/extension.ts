import { isObject, type JsonObject, stringAt } from '../../json/index.ts';
import type { Health } from '../types.ts';
import { conditionOf, degraded, healthy, items, progressing, unknown } from './read.ts';

/** An APIService serves once it is available. */
export function assessApiService(object: JsonObject): Health {
  const available = conditionOf(object, 'Available');
  if (available === undefined) return progressing('Waiting to be processed');
  const text = `${stringAt(available, 'reason') ?? ''}: ${stringAt(available, 'message') ?? ''}`;
  return stringAt(available, 'status') === 'True' ? healthy(text) : progressing(text);
}

/** A CRD is healthy once the API server serves its kind. */
export function assessCrd(object: JsonObject): Health {
  const status = (type: string): string | undefined => stringAt(conditionOf(object, type), 'status');
  const message = (type: string): string | undefined => stringAt(conditionOf(object, type), 'message');
  if (items(object, 'status', 'conditions').length === 0) return progressing('Status conditions not found');
  if (status('Terminating') === 'True') return progressing('CRD is terminating');
  if (status('NamesAccepted') === 'False')
    return degraded(message('NamesAccepted') ?? 'CRD names have not been accepted');
  if (status('NonStructuralSchema') === 'True')
    return degraded(message('NonStructuralSchema') ?? 'Schema violations found');
  if (status('Established') === 'True') return healthy('CRD is healthy');
  return stringAt(conditionOf(object, 'Established'), 'reason') === 'Installing'
    ? progressing('CRD is being installed')
    : degraded('CRD is not healthy');
}

/** A disruption budget is degraded where a condition is false for another reason than too few pods. */
export function assessDisruptionBudget(object: JsonObject): Health {
  const conditions = items(object, 'status', 'conditions').filter(isObject);
  if (conditions.length === 0) return progressing('Waiting for status');
  const bad = conditions.find(
    (condition) => stringAt(condition, 'status') === 'False' && stringAt(condition, 'reason') !== 'InsufficientPods',
  );
  return bad === undefined
    ? healthy('PodDisruptionBudget is healthy')
    : degraded(`PodDisruptionBudget has ${stringAt(bad, 'reason') ?? ''}`);
}

/** An Argo Workflow by its phase. */
export function assessWorkflow(object: JsonObject): Health {
  const message = stringAt(object, 'status', 'message');
  switch (stringAt(object, 'status', 'phase') ?? '') {
    case '':
    case 'Pending':
    case 'Running':
      return progressing(message);
    case 'Succeeded':
      return healthy(message);
    case 'Failed':
    case 'Error':
      return degraded(message);
    default:
      return unknown(message);
  }
}

/** An ApplicationSet by its conditions. */
export function assessApplicationSet(object: JsonObject): Health {
  const status = (type: string): string | undefined => stringAt(conditionOf(object, type), 'status');
  if (status('ErrorOccurred') === 'True') return degraded(stringAt(conditionOf(object, 'ErrorOccurred'), 'message'));
  if (status('ResourcesUpToDate') === 'False')
    return degraded(stringAt(conditionOf(object, 'ResourcesUpToDate'), 'message'));
  if (status('RolloutProgressing') === 'True')
    return progressing(stringAt(conditionOf(object, 'RolloutProgressing'), 'message'));
  return status('ResourcesUpToDate') === 'True'
    ? healthy(stringAt(conditionOf(object, 'ResourcesUpToDate'), 'message'))
    : progressing('Waiting for health status to be determined');
}
