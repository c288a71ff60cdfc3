import { type Json, type JsonObject, type MutableJsonObject, own, thaw } from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import { fillDefaults, pruned } from './decode.ts';
import { eventFromCore, eventToCore } from './event-conversion.ts';
import type { Served } from './served.ts';

/** A stored object in the version it was asked for. */
export function fromStored(object: KubeObject, served: Served): KubeObject {
  if (served.custom !== undefined) return custom(object, served);
  if (object.apiVersion === served.apiVersion) return object;
  if (served.info.storage === 'events') return eventFromCore(object);
  const renamed = { ...object, apiVersion: served.apiVersion };
  return served.info.storage.startsWith('horizontal') ? autoscalerV1(renamed) : renamed;
}

const read = new WeakMap<KubeObject, { readonly served: Served; readonly object: KubeObject }>();

/** A custom object is read by the schema of today: what it defaults is there, what it does not know is gone. */
function custom(object: KubeObject, served: Served): KubeObject {
  const known = read.get(object);
  if (known?.served === served) return known.object;
  const renamed = object.apiVersion === served.apiVersion ? object : { ...object, apiVersion: served.apiVersion };
  const shown = fillDefaults(pruned(asJson(renamed), served).object, served) as unknown as KubeObject; // neither touches the head
  read.set(object, { served, object: shown });
  return shown;
}

/** An object as it is kept: in the kind's storage version. */
export function toStored(object: KubeObject, served: Served): KubeObject {
  if (served.storedAs === served.apiVersion) return object;
  if (served.info.storage === 'events') return eventToCore(object);
  const renamed = { ...object, apiVersion: served.storedAs };
  return served.info.storage.startsWith('horizontal') ? autoscalerV2(renamed) : renamed;
}

/** autoscaling/v1 knows one metric, as a number. */
function autoscalerV1(object: KubeObject): KubeObject {
  const copy = thaw(asJson(object));
  const spec = copy['spec'] as MutableJsonObject; // checked by its type
  const metrics = (own(spec, 'metrics') ?? []) as readonly JsonObject[]; // checked by its type
  const cpu = metrics.find((metric) => own(metric['resource'], 'name') === 'cpu');
  const target = own(own(cpu?.['resource'], 'target'), 'averageUtilization');
  delete spec['metrics'];
  if (target !== undefined) spec['targetCPUUtilizationPercentage'] = thaw(target);
  return copy as unknown as KubeObject; // still an object with its head
}

function autoscalerV2(object: KubeObject): KubeObject {
  const copy = thaw(asJson(object));
  const spec = copy['spec'] as MutableJsonObject; // checked by its type
  const target: Json | undefined = own(spec, 'targetCPUUtilizationPercentage');
  delete spec['targetCPUUtilizationPercentage'];
  if (target !== undefined)
    spec['metrics'] = [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: thaw(target) } },
      },
    ];
  return copy as unknown as KubeObject; // still an object with its head
}
