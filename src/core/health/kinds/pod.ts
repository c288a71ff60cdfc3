import { at, isObject, type JsonObject, stringAt } from '../../json/index.ts';
import type { Health } from '../types.ts';
import { conditionOf, count, degraded, healthy, items, progressing, unknown } from './read.ts';

/** A pod that should run for ever and whose container cannot start is degraded whatever its phase says. */
export function assessPod(object: JsonObject): Health {
  const always = (stringAt(object, 'spec', 'restartPolicy') ?? 'Always') === 'Always';
  const stuck = always ? stuckMessage(object) : undefined;
  if (stuck !== undefined) return degraded(stuck);
  const message = stringAt(object, 'status', 'message');
  switch (stringAt(object, 'status', 'phase')) {
    case 'Pending':
      return progressing(message);
    case 'Succeeded':
      return healthy(message);
    case 'Failed':
      return degraded(message === undefined || message === '' ? failureMessage(object) : message);
    case 'Running':
      return always ? assessRunning(object, message) : progressing(message);
    default:
      return unknown(message);
  }
}

function containers(object: JsonObject): JsonObject[] {
  return [...items(object, 'status', 'initContainerStatuses'), ...items(object, 'status', 'containerStatuses')].filter(
    isObject,
  );
}

function stuckMessage(object: JsonObject): string | undefined {
  const messages = containers(object).flatMap((container) => {
    const reason = stringAt(container, 'state', 'waiting', 'reason') ?? '';
    const bad = reason.startsWith('Err') || reason.endsWith('Error') || reason.endsWith('BackOff');
    return bad ? [stringAt(container, 'state', 'waiting', 'message') ?? reason] : [];
  });
  return messages.length === 0 ? undefined : messages.join(', ');
}

function failureMessage(object: JsonObject): string | undefined {
  for (const container of containers(object)) {
    const ended = at(container, 'state', 'terminated');
    if (!isObject(ended)) continue;
    const text = stringAt(ended, 'message');
    if (text !== undefined && text !== '') return text;
    if (stringAt(ended, 'reason') === 'OOMKilled') return 'OOMKilled';
    if (count(ended, 'exitCode') !== 0) {
      return `container "${stringAt(container, 'name') ?? ''}" failed with exit code ${count(ended, 'exitCode')}`;
    }
  }
  return undefined;
}

function assessRunning(object: JsonObject, message: string | undefined): Health {
  if (stringAt(conditionOf(object, 'Ready'), 'status') === 'True') return healthy(message);
  // A container that has ended before and is not ready now is crashing, not starting.
  const crashed = containers(object).some((container) => isObject(at(container, 'lastState', 'terminated')));
  return crashed ? degraded(message) : progressing(message);
}
