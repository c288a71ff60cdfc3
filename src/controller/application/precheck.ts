import type { ResourceResult } from '../../core/api/index.ts';
import type { Item } from '../../core/sync/index.ts';
import type { Ready } from './gather.ts';

/** An object the project does not let this Application manage. */
export interface RefusedItem {
  readonly result: ResourceResult;
  readonly message: string;
  /** It could not be told, such as for a kind the cluster does not serve yet: another attempt may fare better. */
  readonly unknown: boolean;
}

/** Asks the policy about every object of every phase before the first is touched. */
export function refusals(items: readonly Item[], { admitted, access }: Ready): RefusedItem[] {
  return items.flatMap(({ key, version, phase }) => {
    const verdict = admitted.permits(key, access.resource(key.group, key.kind)?.namespaced);
    if (verdict.answer === 'allowed') return [];
    const { group, kind, namespace, name } = key;
    const { message } = verdict;
    return [
      {
        message,
        unknown: verdict.answer === 'unknown',
        result: {
          group,
          version,
          kind,
          namespace,
          name,
          status: 'SyncFailed',
          message,
          hookPhase: 'Failed',
          syncPhase: phase,
        },
      },
    ];
  });
}
