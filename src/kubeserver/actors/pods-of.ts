import { type Json, type JsonObject, type MutableJsonObject, objectAt, thaw } from '../../core/json/index.ts';
import { type KubeObject, nameOf, namespaceOf } from '../../core/objects/index.ts';
import type { Inside } from '../ports.ts';
import { controlled } from './controlled.ts';
import { controllerRef, ensure, isTrue, specOf, statusOf, suffix } from './objects.ts';

/** The pods a controller keeps, those on their way out left aside. */
export function podsOf(inside: Inside, owner: KubeObject): KubeObject[] {
  return controlled(inside, '', 'Pod', owner).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

export function isReady(pod: KubeObject): boolean {
  return isTrue(pod, 'Ready');
}

/** Ready for as long as its owner asks for. */
export function isAvailable(pod: KubeObject, minReadySeconds: number, now: Date): boolean {
  if (!isReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const conditions = statusOf(pod)['conditions'] as readonly JsonObject[]; // isReady found a condition in it
  const since = conditions.find(({ type }) => type === 'Ready')?.['lastTransitionTime'];
  return typeof since === 'string' && now.getTime() - Date.parse(since) >= minReadySeconds * 1000;
}

/** Tells whether a pod has ended. */
export function isFinished(pod: KubeObject): boolean {
  const phase = statusOf(pod)['phase'];
  return phase === 'Succeeded' || phase === 'Failed';
}

export interface PodOrder {
  /** Instead of a generated one. */
  readonly name?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
  readonly spec?: JsonObject;
  readonly finalizers?: readonly string[];
}

/** Makes a pod from its owner's template. */
export function createPod(inside: Inside, owner: KubeObject, order: PodOrder = {}): Promise<KubeObject | undefined> {
  const template = objectAt(specOf(owner), 'template') ?? {};
  const generateName = `${nameOf(owner)}-`;
  const name = { generateName, name: order.name ?? `${generateName}${suffix()}` };
  const labels = { ...objectAt(template, 'metadata', 'labels'), ...order.labels };
  const annotations = { ...objectAt(template, 'metadata', 'annotations'), ...order.annotations };
  const metadata: { [key: string]: Json } = { ...name, namespace: namespaceOf(owner), labels };
  if (Object.keys(annotations).length > 0) metadata['annotations'] = annotations;
  if (order.finalizers !== undefined) metadata['finalizers'] = order.finalizers;
  metadata['ownerReferences'] = [controllerRef(owner)];
  const spec: MutableJsonObject = { ...thaw(objectAt(template, 'spec') ?? {}), ...thaw(order.spec ?? {}) };
  return ensure(inside, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
}

/** The pods that can best be spared first: not ready before ready, younger before older. */
export function bySpare(one: KubeObject, other: KubeObject): number {
  const ready = Number(isReady(one)) - Number(isReady(other));
  if (ready !== 0) return ready;
  return (other.metadata.creationTimestamp ?? '').localeCompare(one.metadata.creationTimestamp ?? '');
}
