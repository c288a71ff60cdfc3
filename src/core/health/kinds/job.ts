import { type JsonObject, stringAt } from '../../json/index.ts';
import type { Health } from '../types.ts';
import { conditionOf, degraded, healthy, progressing, suspended } from './read.ts';

/** Failed beats suspended beats complete; without any of them the Job runs. */
export function assessJob(object: JsonObject): Health {
  const failed = conditionOf(object, 'Failed');
  if (failed !== undefined) return degraded(stringAt(failed, 'message'));
  const paused = conditionOf(object, 'Suspended');
  if (stringAt(paused, 'status') === 'True') return suspended(stringAt(paused, 'message'));
  const complete = conditionOf(object, 'Complete') ?? paused;
  return complete === undefined ? progressing('Waiting for job to complete') : healthy(stringAt(complete, 'message'));
}
