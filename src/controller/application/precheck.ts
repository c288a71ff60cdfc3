import type { ResourceResult } from '../../core/api/index.ts';
import { declaredKinds } from '../../core/diff/index.ts';
import { kindText } from '../../core/objects/index.ts';
import { type Item, objectOptionsOf, type SyncOptions } from '../../core/sync/index.ts';
import type { Ready } from './gather.ts';

/** An object the project does not let this Application manage. */
export interface RefusedItem {
  readonly result: ResourceResult;
  readonly message: string;
  /** It could not be told, such as for a kind the cluster does not serve yet: another attempt may fare better. */
  readonly unknown: boolean;
}

/**
 * Asks the policy about every object of every phase before the first is touched. A kind that is not served yet is known by
 * its CRD, if that is among the objects; where the options say so, one that is not known at all is left to the apply.
 */
export function refusals(items: readonly Item[], { admitted, access }: Ready, options: SyncOptions): RefusedItem[] {
  const declared = declaredKinds(items.flatMap(({ target }) => (target === undefined ? [] : [target.object])));
  return items.flatMap(({ key, version, phase, target }) => {
    const namespaced = access.resource(key.group, key.kind)?.namespaced ?? declared.get(kindText(key));
    const verdict = admitted.permits(key, namespaced);
    if (verdict.answer === 'allowed') return [];
    const skips = options.skipDryRunOnMissingResource || objectOptionsOf(target?.object).skipDryRunOnMissingResource;
    if (verdict.answer === 'unknown' && skips) return [];
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
