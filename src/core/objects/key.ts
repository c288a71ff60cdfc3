import { groupOf, kindText } from './kind.ts';
import type { KubeObject } from './object.ts';

/** What tells two objects of one cluster apart, whatever their version. */
export interface ObjectKey {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The key of an object. */
export function objectKey(object: KubeObject): ObjectKey {
  return {
    group: groupOf(object.apiVersion),
    kind: object.kind,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name ?? '',
  };
}

/** A key as one text, fit for a Map: `apps/Deployment:team-a/web`. */
export function printKey(key: ObjectKey): string {
  return `${kindText(key)}:${key.namespace}/${key.name}`;
}
