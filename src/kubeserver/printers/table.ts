import type { Json, JsonObject } from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import type { Served } from '../registry/served.ts';

/** Objects as the table kubectl prints. */
export function tableOf(objects: readonly KubeObject[], served: Served, include: string, metadata: JsonObject): JsonObject {
  void served;
  const rows: Json[] = objects.map((object) => ({
    cells: [object.metadata.name ?? '', object.metadata.creationTimestamp ?? ''],
    object: include === 'Object' ? asJson(object) : { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: asJson(object)['metadata'] ?? {} },
  }));
  return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, columnDefinitions: [
    { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
    { name: 'Created At', type: 'date', format: '', description: '', priority: 0 },
  ], rows };
}
