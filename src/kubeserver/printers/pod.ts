import { at, type Json, type JsonObject, stringAt } from '../../core/json/index.ts';
import { age, count, list } from './text.ts';

/** The cells of a pod: readiness, what it is doing, how often it restarted. */
export function podCells(pod: JsonObject, now: Date): Json[] {
  const statuses = list(at(pod, 'status', 'containerStatuses'));
  const total = list(at(pod, 'spec', 'containers')).length;
  const ready = statuses.filter((status) => status['ready'] === true).length;
  const restarts = statuses.reduce((sum, status) => sum + count(status, 'restartCount'), 0);
  const ip = stringAt(pod, 'status', 'podIP') ?? '';
  const node = stringAt(pod, 'spec', 'nodeName') ?? '';
  return [
    stringAt(pod, 'metadata', 'name') ?? '',
    `${ready}/${total}`,
    statusText(pod, statuses),
    String(restarts),
    age(stringAt(pod, 'metadata', 'creationTimestamp'), now),
    ip === '' ? '<none>' : ip,
    node === '' ? '<none>' : node,
    stringAt(pod, 'status', 'nominatedNodeName') ?? '<none>',
    '<none>',
  ];
}

/** The phase, unless a container has something more telling to say. */
function statusText(pod: JsonObject, statuses: readonly JsonObject[]): string {
  let text = stringAt(pod, 'status', 'reason') ?? stringAt(pod, 'status', 'phase') ?? '';
  for (const status of statuses) {
    const waiting = stringAt(status, 'state', 'waiting', 'reason');
    const ended = stringAt(status, 'state', 'terminated', 'reason');
    if (waiting !== undefined && waiting !== '') text = waiting;
    else if (ended !== undefined && ended !== '') text = ended;
  }
  if (stringAt(pod, 'metadata', 'deletionTimestamp') === undefined) return text;
  return stringAt(pod, 'status', 'reason') === 'NodeLost' ? 'Unknown' : 'Terminating';
}
