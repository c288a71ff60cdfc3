import type { KubeObject } from '../../core/objects/index.ts';
import type { Entry } from '../ports.ts';
import { notFound } from '../status.ts';
import type { Cluster } from './cluster.ts';
import { fromStored } from './convert.ts';
import { keyOf, type Served } from './served.ts';

/** The object a request names, as it is stored and as it is served; answers 404 where there is none. */
export function findStored(
  cluster: Cluster,
  served: Served,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): { readonly entry: Entry; readonly object: KubeObject } {
  const entry = cluster.store.get(keyOf(served, namespace, name));
  if (entry === undefined) throw notFound(served.info, name);
  return { entry, object: fromStored(entry.object, served) };
}
