import type { Settings } from '../core/api/index.ts';

/** Where nobody says how often: asking a repository costs little, and people wait for what they pushed. */
const defaultPollMs = 10_000;

/**
 * How often each repository is asked for news. `timeout.reconciliation` of `argocd-cm` holds where it is written and no
 * flag says otherwise; `0s` always means that only webhooks, annotations and changes of objects count.
 */
export function pollMsOf(
  { reconciliationTimeout, data }: Pick<Settings, 'reconciliationTimeout' | 'data'>,
  flag: number | undefined,
): number {
  if (reconciliationTimeout === 0) return 0;
  return flag ?? (data.has('timeout.reconciliation') ? reconciliationTimeout : defaultPollMs);
}
