import { type JsonObject, stringAt } from '../../json/index.ts';
import type { Health } from '../types.ts';
import { healthy, items, progressing } from './read.ts';

/** An Ingress is there once something routes to it. */
export function assessIngress(object: JsonObject): Health {
  return items(object, 'status', 'loadBalancer', 'ingress').length > 0 ? healthy() : progressing();
}

/** Only a load balancer has to be waited for. */
export function assessService(object: JsonObject): Health {
  if (stringAt(object, 'spec', 'type') !== 'LoadBalancer') return healthy();
  return assessIngress(object);
}
