import { type JsonObject, stringAt } from '../../json/index.ts';
import type { Health } from '../types.ts';
import { degraded, healthy, progressing, unknown } from './read.ts';

/** A PersistentVolumeClaim by its phase. */
export function assessClaim(object: JsonObject): Health {
  switch (stringAt(object, 'status', 'phase')) {
    case 'Bound':
      return healthy();
    case 'Pending':
      return progressing();
    case 'Lost':
      return degraded();
    default:
      return unknown();
  }
}
