import type { Application, OperationState } from '../../core/api/index.ts';
import { type Comparison, differs, type Live } from '../../core/diff/index.ts';
import { equal, type JsonObject } from '../../core/json/index.ts';
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
      modified: there === undefined || differs(object, there.object),
      hook: undefined,
      result: undefined,
    },
  ];
}

/**
 * Whether the metadata of the destination namespace was changed since the last sync gave it to the namespace: then the
 * Application is out of sync, though none of its objects is.
 */
export function withNamespaceStatus(
  comparison: Comparison,
  { spec }: Application,
  last: OperationState | undefined,
): Comparison {
  const wanted = spec.syncPolicy?.managedNamespaceMetadata;
  const creates = syncOptionsOf(spec.syncPolicy?.syncOptions ?? []).createNamespace;
  if (comparison.status !== 'Synced' || wanted === undefined || !creates || last?.phase !== 'Succeeded')
    return comparison;
  const given = last.syncResult?.managedNamespaceMetadata;
  const same = equal(wanted as JsonObject, given as JsonObject | undefined); // parsed from JSON
  return same ? comparison : { ...comparison, status: 'OutOfSync' };
}
