import type { Json } from '../../core/json/index.ts';
import { migrateManager } from '../../core/merge/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import type { Resource } from '../../kube/index.ts';
import type { Door } from './carry-out.ts';

/**
 * Makes the fields of a former client-side apply ours before the first server-side one; otherwise what is removed from
 * Git later would stay, owned by a manager that never applies again. The version is the precondition.
 */
export async function migrateFields(
  door: Door,
  resource: Resource,
  target: KubeObject,
  managers: { readonly from: string; readonly to: string },
): Promise<void> {
  const { namespace = '', name = '' } = target.metadata;
  const live = await door.get(resource, namespace, name);
  const moved = migrateManager(live.metadata.managedFields ?? [], {
    from: [managers.from],
    to: managers.to,
    apiVersion: target.apiVersion,
  });
  if (moved === undefined) return;
  const patch: Json = [
    { op: 'replace', path: '/metadata/managedFields', value: moved as Json },
    { op: 'replace', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion ?? '' },
  ];
  await door.patch(resource, namespace, name, 'json', patch);
}
