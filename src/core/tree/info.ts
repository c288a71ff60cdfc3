import { at, type Json, type JsonObject, objectAt, stringAt } from '../json/index.ts';
import { parseApiVersion } from '../objects/index.ts';
import { listAt } from './summary.ts';

/** One line of detail that the tree shows beside an object. */
export interface InfoItem {
  readonly name: string;
  readonly value: string;
}

/** The details of an object: how a Pod is, which revision a ReplicaSet is. */
export function infoOf(object: JsonObject): readonly InfoItem[] {
  const { group } = parseApiVersion(stringAt(object, 'apiVersion') ?? '');
  const kind = `${group}/${stringAt(object, 'kind') ?? ''}`;
  if (kind === '/Pod') return podInfo(object);
  const revision = stringAt(object, 'metadata', 'annotations', 'deployment.kubernetes.io/revision');
  return kind === 'apps/ReplicaSet' && revision !== undefined ? [{ name: 'Revision', value: `Rev:${revision}` }] : [];
}

function podInfo(pod: JsonObject): readonly InfoItem[] {
  const statuses = listAt(objectAt(pod, 'status'), 'containerStatuses');
  const ready = statuses.filter((status) => at(status, 'ready') === true).length;
  const restarts = statuses.reduce<number>((sum, status) => sum + Number(at(status, 'restartCount') ?? 0), 0);
  const node = stringAt(pod, 'spec', 'nodeName');
  return [
    { name: 'Status Reason', value: podReason(pod, statuses) },
    ...(node === undefined || node === '' ? [] : [{ name: 'Node', value: node }]),
    { name: 'Containers', value: `${ready}/${listAt(objectAt(pod, 'spec'), 'containers').length}` },
    ...(restarts > 0 ? [{ name: 'Restart Count', value: String(restarts) }] : []),
  ];
}

/** As `kubectl get pods` says it: what a container waits for or ended with comes before the phase. */
function podReason(pod: JsonObject, statuses: readonly Json[]): string {
  if (stringAt(pod, 'metadata', 'deletionTimestamp') !== undefined) return 'Terminating';
  for (const status of statuses) {
    const reason =
      stringAt(status, 'state', 'waiting', 'reason') ?? stringAt(status, 'state', 'terminated', 'reason') ?? '';
    if (reason !== '') return reason;
  }
  return stringAt(pod, 'status', 'reason') ?? stringAt(pod, 'status', 'phase') ?? 'Unknown';
}
