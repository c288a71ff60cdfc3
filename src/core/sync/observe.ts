import type { ResourceResult } from '../api/index.ts';
import type { Health } from '../health/index.ts';
import type { KubeObject } from '../objects/index.ts';
import { type Item, isPrune, isRunning } from './item.ts';

/** Brings the result of a running item up to date with how its live object is doing. */
export function observe(item: Item, health: (object: KubeObject) => Health | undefined, multiStep: boolean): Item {
  if (item.result === undefined || !isRunning(item) || isPrune(item)) return item;
  if (item.hook === undefined && !multiStep) return settle(item, 'Succeeded');
  if (item.live === undefined) {
    const { kind, name } = item.key;
    return {
      ...item,
      result: {
        ...item.result,
        status: 'SyncFailed',
        hookPhase: 'Error',
        message: `${kind}/${name} is missing, it might have been deleted`,
      },
    };
  }
  const found = health(item.live.object);
  return item.hook === undefined ? observeManaged(item, found) : observeHook(item, found);
}

/** No health counts as done; Argo CD waits for anything but healthy or degraded. */
function observeManaged(item: Item, health: Health | undefined): Item {
  if (health === undefined || health.status === 'Healthy') return settle(item, 'Succeeded', health?.message);
  return health.status === 'Degraded' ? settle(item, 'Failed', health.message) : item;
}

function observeHook(item: Item, health: Health | undefined): Item {
  if (health === undefined) return settle(item, 'Succeeded');
  switch (health.status) {
    case '':
    case 'Healthy':
      return settle(item, 'Succeeded', health.message);
    case 'Degraded':
    case 'Unknown':
      return settle(item, 'Failed', health.message);
    default:
      return health.message === undefined ? item : { ...item, result: { ...item.result, message: health.message } };
  }
}

function settle(item: Item, hookPhase: string, message?: string): Item {
  const result: ResourceResult = {
    ...item.result,
    hookPhase,
    ...(message === undefined || message === '' ? {} : { message }),
  };
  return { ...item, result };
}
