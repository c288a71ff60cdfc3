import { at, type JsonObject, stringAt } from '../../json/index.ts';
import type { Health } from '../types.ts';
import { degraded, healthy, items, progressing } from './read.ts';

/** A schedule is degraded only if its last run is over and did not succeed. */
export function assessCronJob(object: JsonObject): Health {
  if (at(object, 'spec', 'suspend') === true) return healthy('CronJob is suspended');
  if (at(object, 'status') === undefined) return progressing('CronJob has no status yet');
  const scheduled = stringAt(object, 'status', 'lastScheduleTime');
  if (scheduled === undefined) return healthy('CronJob has not been scheduled yet');
  const succeeded = stringAt(object, 'status', 'lastSuccessfulTime');
  if (succeeded === undefined) return healthy('CronJob has not completed its last execution successfully yet');
  if (items(object, 'status', 'active').length > 0) return healthy('CronJob has active jobs');
  // Both are RFC 3339 in UTC with seconds, so that their texts sort as their times.
  return succeeded < scheduled
    ? degraded('CronJob has not completed its last execution successfully')
    : healthy('CronJob has completed its last execution successfully');
}
