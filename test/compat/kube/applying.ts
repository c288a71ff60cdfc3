import { type Doc, items, text } from '../../support/raw-client.ts';
import { admin, configMaps, namespace } from './cluster.ts';

type Api = Awaited<ReturnType<typeof admin>>;

/** Who owns what, without times: `[manager, operation, subresource, fieldsV1]`, ordered by the first two. */
export function owners(object: Doc): unknown[] {
  // The server's order depends on the second in which each entry was last written.
  const name = (entry: Doc): string => `${text(entry.manager)} ${text(entry.operation)}`;
  return items(object.metadata?.managedFields)
    .toSorted((one, other) => (name(one) < name(other) ? -1 : 1))
    .map((entry) => [
      entry.manager,
      entry.operation,
      ...(entry.subresource === undefined ? [] : [entry.subresource]),
      entry.fieldsV1,
    ]);
}

/** A namespace of its own, and the path of the ConfigMap `m` in it. */
export async function here(): Promise<{ api: Api; ns: string; path: string }> {
  const [api, ns] = [await admin(), await namespace()];
  return { api, ns, path: configMaps(ns, 'm') };
}

/** A Deployment with these containers. */
export const deployment = (name: string, containers: object[], more: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers } },
    ...more,
  },
});
