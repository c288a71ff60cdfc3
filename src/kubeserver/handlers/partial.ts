import type { KubeObject } from '../../core/objects/index.ts';

const partials = new WeakMap<KubeObject, KubeObject>();

/** Only the metadata of an object, for clients that want no more; the same for the same object. */
export function partial(object: KubeObject): KubeObject {
  let found = partials.get(object);
  if (found === undefined) {
    found = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
    partials.set(object, found);
  }
  return found;
}
