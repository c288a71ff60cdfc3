import type { TrackingMethod } from '../api/index.ts';
import {
  groupOf,
  type KubeObject,
  type ObjectKey,
  objectKey,
  parseTrackingId,
  printTrackingId,
  trackingAnnotation,
} from '../objects/index.ts';
import type { LiveObject } from './types.ts';

/** How objects are marked as an Application's (`application.resourceTrackingMethod` and its neighbours). */
export interface Tracking {
  readonly trackingMethod: TrackingMethod;
  readonly instanceLabelKey: string;
  /** Tells installations that share clusters apart; empty where there is only one. */
  readonly installationID: string;
}

export const defaultTracking: Tracking = {
  trackingMethod: 'annotation',
  instanceLabelKey: 'app.kubernetes.io/instance',
  installationID: '',
};

const installationAnnotation = 'argocd.argoproj.io/installation-id';
const longestLabel = 63;

/** Whose mark an object bears. */
export interface Mark {
  readonly instance: string;
  /** The mark was made for this very object; one copied from elsewhere makes nothing ours. */
  readonly own: boolean;
}

/** Reads the mark of a live object; undefined where it has none, or none of this installation. */
export function markOf({ key, object }: LiveObject, tracking: Tracking = defaultTracking): Mark | undefined {
  const { labels = {}, annotations = {} } = object.metadata;
  if (tracking.trackingMethod === 'label') {
    const instance = Object.hasOwn(labels, tracking.instanceLabelKey) ? labels[tracking.instanceLabelKey] : undefined;
    return instance === undefined || instance === '' ? undefined : { instance, own: true };
  }
  const text = Object.hasOwn(annotations, trackingAnnotation) ? annotations[trackingAnnotation] : undefined;
  const id = text === undefined ? undefined : parseTrackingId(text);
  if (id === undefined || (annotations[installationAnnotation] ?? '') !== tracking.installationID) return undefined;
  return { instance: id.instance, own: describes(id.object, key, groupOf(object.apiVersion)) };
}

/** Cluster-scoped objects have the Application's destination namespace in their mark. */
function describes(marked: ObjectKey, key: ObjectKey, group: string): boolean {
  const samePlace = key.namespace === '' || marked.namespace === key.namespace;
  return marked.group === group && marked.kind === key.kind && marked.name === key.name && samePlace;
}

/** The mark names this Application and describes the object it stands on; a copied mark makes nothing ours. */
export function isOurs(object: LiveObject, instance: string, tracking: Tracking = defaultTracking): boolean {
  const mark = markOf(object, tracking);
  return mark !== undefined && mark.instance === instance && mark.own;
}

/** The target with the Application's mark on it; `place` stands for the namespace of cluster-scoped objects. */
export function withMark(
  object: KubeObject,
  { instance, place }: { readonly instance: string; readonly place: string },
  tracking: Tracking,
): KubeObject {
  // CRDs bear no mark: they outlive Applications, and their removal would take every custom object with it.
  if (object.kind === 'CustomResourceDefinition' && groupOf(object.apiVersion) === 'apiextensions.k8s.io') {
    return object;
  }
  const { trackingMethod, instanceLabelKey, installationID } = tracking;
  const labels = { ...object.metadata.labels, [instanceLabelKey]: shortened(instance, trackingMethod) };
  if (trackingMethod === 'label') return { ...object, metadata: { ...object.metadata, labels } };
  const key = objectKey(object);
  const id = printTrackingId({ instance, object: { ...key, namespace: key.namespace === '' ? place : key.namespace } });
  const annotations = {
    ...object.metadata.annotations,
    [trackingAnnotation]: id,
    ...(installationID === '' ? {} : { [installationAnnotation]: installationID }),
  };
  const more = trackingMethod === 'annotation+label' ? { annotations, labels } : { annotations };
  return { ...object, metadata: { ...object.metadata, ...more } };
}

/** The object under the name it gets; its mark is for that very name, without which nobody would find it again. */
export function withName(object: KubeObject, name: string): KubeObject {
  const { generateName: _begins, annotations, ...metadata } = object.metadata;
  if (annotations === undefined) return { ...object, metadata: { ...metadata, name } };
  const text = Object.hasOwn(annotations, trackingAnnotation) ? annotations[trackingAnnotation] : undefined;
  const id = text === undefined ? undefined : parseTrackingId(text);
  const mark =
    id === undefined ? {} : { [trackingAnnotation]: printTrackingId({ ...id, object: { ...id.object, name } }) };
  return { ...object, metadata: { ...metadata, name, annotations: { ...annotations, ...mark } } };
}

/** Beside an annotation the label only informs and is cut to fit; alone it must be the whole name. */
function shortened(instance: string, method: TrackingMethod): string {
  if (method === 'label') return instance;
  return instance.slice(0, longestLabel).replace(/[^A-Za-z0-9]+$/, '');
}

/**
 * Objects marked by label before the installation turned to annotations are ours already: the annotation they lack is no
 * difference until something else is.
 */
export function isOfFormerMethod(live: LiveObject, instance: string, tracking: Tracking): boolean {
  if (tracking.trackingMethod === 'label') return false;
  const { labels = {}, annotations = {} } = live.object.metadata;
  return !Object.hasOwn(annotations, trackingAnnotation) && labels[tracking.instanceLabelKey] === instance;
}

/** Where the mark stands in an object, as paths. */
export function markPaths(tracking: Tracking): readonly (readonly string[])[] {
  const label = ['metadata', 'labels', tracking.instanceLabelKey];
  const annotations = [trackingAnnotation, installationAnnotation].map((name) => ['metadata', 'annotations', name]);
  return tracking.trackingMethod === 'annotation' ? annotations : [...annotations, label];
}

/** The name people know an Application by: `team-a/shop` for the instance `team-a_shop`. */
export function qualified(instance: string): string {
  return instance.replace('_', '/');
}
