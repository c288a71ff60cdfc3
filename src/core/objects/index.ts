/**
 * Kubernetes objects as values: their names, kinds and keys, and how an Application's mark on them reads.
 *
 * What an Application or a project means is in `core/api`; here every object is alike. Begin with `object.ts`.
 */

export { type ObjectKey, objectKey, printKey } from './key.ts';
export {
  type GroupKind,
  type GroupVersionKind,
  groupOf,
  gvkOf,
  kindText,
  parseApiVersion,
  printApiVersion,
} from './kind.ts';
export { type DeletePolicy, type HookType, type Role, roleOf, waveOf, words } from './marks.ts';
export {
  asJson,
  type KubeObject,
  metaOf,
  nameOf,
  namespaceOf,
  type ObjectMeta,
  type OwnerReference,
  uidOf,
  versionOf,
} from './object.ts';
export { parseTrackingId, printTrackingId, type TrackingId, trackingAnnotation } from './tracking.ts';
