import type { Application } from '../../core/api/index.ts';
import type { Live } from '../../core/diff/index.ts';
import { type KubeObject, objectKey, printKey } from '../../core/objects/index.ts';
import { type Item, syncOptionsOf } from '../../core/sync/index.ts';
import type { Sources } from './gather.ts';

/**
 * The destination namespace as a part of the sync, where the options ask for it and no manifest declares it: made if it
 * is not there, or given the metadata the Application manages. It bears no mark and outlives the Application.
 */
export function namespaceItems(app: Application, { targets }: Sources, live: Live, words: readonly string[]): Item[] {
  const name = app.spec.destination.namespace ?? '';
  if (name === '' || !syncOptionsOf(words).createNamespace) return [];
  const managed = app.spec.syncPolicy?.managedNamespaceMetadata;
  const { labels, annotations } = managed ?? {};
  const metadata = {
    name,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  const object: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata };
  const key = objectKey(object);
  if (targets.some((target) => printKey(target.key) === printKey(key))) return [];
  const there = live.objects.get(printKey(key));
  if (there !== undefined && managed === undefined) return [];
  const target = { key, object, source: 0 };
  return [
    {
      key,
      version: 'v1',
      phase: 'PreSync',
      wave: 0,
      target,
      live: there,
      modified: true,
      hook: undefined,
      result: undefined,
    },
  ];
}
