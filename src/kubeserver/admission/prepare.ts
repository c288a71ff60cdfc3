import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject, type MutableJsonObject, objectAt, stringAt } from '../../core/json/index.ts';
import type { Admission, AdmissionRequest, Inside } from '../ports.ts';
import { each } from './cause.ts';
import { child } from './namespaces.ts';
import { giveAccount } from './pod-account.ts';

type Prepare = (object: MutableJsonObject, request: AdmissionRequest, inside: Inside) => void;

/** What the real server fills in at creation beyond a schema's defaults, by `Kind.group`. */
const preparations: { readonly [kind: string]: Prepare } = {
  'Pod.': preparePod,
  'Job.batch': prepareJob,
  'PersistentVolumeClaim.': prepareClaim,
};

/** Completes new objects as the storage layer of the real server does. */
export function prepareNew(inside: Inside): Admission {
  return {
    mutate: (request) => {
      const { resource, operation, object, info } = request;
      if (operation !== 'CREATE' || object === undefined || info.subresource !== '') return;
      const key = `${resource.kind}.${resource.group}`;
      if (Object.hasOwn(preparations, key)) preparations[key]?.(object, request, inside);
    },
  };
}

function preparePod(object: MutableJsonObject, request: AdmissionRequest, inside: Inside): void {
  const spec = child(object, 'spec');
  giveAccount(spec, request, inside);
  spec['tolerations'] ??= [];
  if (Array.isArray(spec['tolerations']))
    for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'])
      if (!spec['tolerations'].some((item) => isObject(item) && item['key'] === key))
        spec['tolerations'].push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  spec['priority'] ??= 0;
  spec['preemptionPolicy'] ??= 'PreemptLowerPriority';
  object['status'] = { phase: 'Pending', qosClass: qosClass(spec) };
}

/** How a pod is treated when its node runs short, from its requests and limits. */
export function qosClass(spec: JsonObject): string {
  const all = [...each(spec['containers'], ''), ...each(spec['initContainers'], '')].map(({ item }) => {
    return { limits: objectAt(item, 'resources', 'limits'), requests: objectAt(item, 'resources', 'requests') };
  });
  const given = all.some(({ limits, requests }) => Object.keys({ ...limits, ...requests }).length > 0);
  if (!given) return 'BestEffort';
  const guaranteed = all.every(({ limits, requests }) =>
    ['cpu', 'memory'].every((name) => {
      const limit = limits?.[name];
      return limit !== undefined && (requests?.[name] ?? limit) === limit;
    }),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

/** A Job selects its pods by its own uid, unless its author took that over. */
function prepareJob(object: MutableJsonObject): void {
  const spec = child(object, 'spec');
  if (spec['manualSelector'] === true) return;
  const metadata = child(object, 'metadata');
  const uid = typeof metadata['uid'] === 'string' ? metadata['uid'] : randomUUID();
  metadata['uid'] = uid;
  const labels = child(child(child(spec, 'template'), 'metadata'), 'labels');
  const name = stringAt(metadata, 'name') ?? '';
  const own = { 'controller-uid': uid, 'job-name': name };
  Object.assign(labels, own);
  for (const [key, value] of Object.entries(own)) labels[`batch.kubernetes.io/${key}`] = value;
  if (stringAt(metadata, 'labels', 'job-name') === undefined) Object.assign(child(metadata, 'labels'), labels);
  child(child(spec, 'selector'), 'matchLabels')['batch.kubernetes.io/controller-uid'] = uid;
}

function prepareClaim(object: MutableJsonObject): void {
  child(object, 'spec')['volumeMode'] ??= 'Filesystem';
  const metadata = child(object, 'metadata');
  metadata['finalizers'] ??= ['kubernetes.io/pvc-protection'];
  object['status'] = { phase: 'Pending' };
}
