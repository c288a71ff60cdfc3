import type { EventWriter } from '../kube/index.ts';
import type { Logger } from '../telemetry/index.ts';

/** How many Applications there are in each namespace, from their keys. */
export function perNamespace(keys: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) {
    const namespace = key.slice(0, key.indexOf('/'));
    counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  }
  return counts;
}

/** Says to the admin whose Applications are left alone from now on, where the list of namespaces became shorter. */
export function tellForgotten(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  parts: { readonly events: EventWriter; readonly log: Logger; readonly controlPlane: string },
): void {
  const { events, log, controlPlane } = parts;
  const metadata = { name: 'argocd-cmd-params-cm', namespace: controlPlane };
  for (const [namespace, count] of before) {
    if (after.has(namespace)) continue;
    const message = `namespace '${namespace}' is no longer listed: its ${count} Applications are ignored, and what they have deployed stays as it is`;
    log.warn(message, { namespace });
    const about = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    events.write({ type: 'Warning', reason: 'NamespaceIgnored', message, about });
  }
}
