import { type MutableJsonObject, stringAt, thaw } from '../../core/json/index.ts';
import { asJson, type KubeObject } from '../../core/objects/index.ts';
import { StatusError } from '../ports.ts';
import { conflict } from '../status.ts';
import { type Cluster, timestamp, type Writing } from './cluster.ts';
import { findStored } from './find-stored.ts';
import type { Served } from './served.ts';
import { updateObject, validateAdmitted } from './write.ts';

export interface Removal {
  readonly propagation?: 'Foreground' | 'Background' | 'Orphan' | undefined;
  readonly gracePeriod?: number | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** `gone`: it is no more; else it waits, marked as deleted, for its finalizers or its grace period. */
export interface Removed {
  readonly object: KubeObject;
  readonly gone: boolean;
}

/** Deletes an object, or marks it as deleted where something still has to happen first. */
export async function removeObject(
  cluster: Cluster,
  served: Served,
  removal: Removal,
  writing: Writing,
): Promise<Removed> {
  for (let attempt = 0; ; attempt++) {
    const { entry, object: old } = findStored(cluster, served, writing.info);
    checkPreconditions(old, served, removal);
    const { dryRun } = writing;
    const request = { operation: 'DELETE' as const, object: undefined, old, resource: served.info, ...writing };
    await validateAdmitted(cluster, request);
    const marked = mark(cluster, old, served, removal);
    try {
      if (marked === undefined) {
        if (!dryRun) return { object: (await cluster.store.delete(entry.key, entry.revision)).object, gone: true };
        return { object: old, gone: true };
      }
      if (marked === 'unchanged') return { object: old, gone: false };
      const change = { subresource: 'delete', managed: true, make: () => marked };
      return { object: (await updateObject(cluster, served, change, writing)).object, gone: false };
    } catch (error) {
      if (attempt >= 10 || !(error instanceof StatusError) || error.status.reason !== 'Conflict') throw error;
    }
  }
}

function checkPreconditions(old: KubeObject, served: Served, { uid, resourceVersion }: Removal): void {
  // In these sentences the real server names the kind, not the resource.
  const named = { group: served.info.group, plural: served.info.kind };
  const name = old.metadata.name ?? '';
  if (uid !== undefined && uid !== old.metadata.uid)
    throw conflict(
      named,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${old.metadata.uid ?? ''}). The object might have been deleted and then recreated`,
    );
  if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion)
    throw conflict(
      named,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${old.metadata.resourceVersion ?? ''}). The object might have been modified`,
    );
}

const collectors = ['orphan', 'foregroundDeletion'];

/** The object as it waits for its end; undefined if it can go at once. */
function mark(
  cluster: Cluster,
  old: KubeObject,
  served: Served,
  removal: Removal,
): MutableJsonObject | 'unchanged' | undefined {
  const finalizers = finalizersFor(old, removal);
  const grace = graceOf(old, served, removal);
  const isNamespace = served.info.storage === 'namespaces';
  if (finalizers.length === 0 && grace === 0 && !(isNamespace && hasContent(old)) && !needsCleanup(served))
    return undefined;
  const object = thaw(asJson(old));
  const meta = object['metadata'] as MutableJsonObject; // every object has it
  if (finalizers.length > 0) meta['finalizers'] = finalizers;
  else delete meta['finalizers'];
  const first = old.metadata.deletionTimestamp === undefined;
  const shorter = !first && grace < (old.metadata.deletionGracePeriodSeconds ?? 0);
  if (!first && !shorter && sameList(finalizers, old.metadata.finalizers ?? [])) return 'unchanged';
  if (first || shorter) {
    meta['deletionTimestamp'] = timestamp(new Date(cluster.now().getTime() + grace * 1000));
    meta['deletionGracePeriodSeconds'] = grace;
    if (old.metadata.generation !== undefined) meta['generation'] = old.metadata.generation + 1;
  }
  if (isNamespace)
    object['status'] = { ...((object['status'] as MutableJsonObject | undefined) ?? {}), phase: 'Terminating' };
  if (needsCleanup(served)) markDefinition(object, cluster);
  return object;
}

function finalizersFor(old: KubeObject, { propagation }: Removal): string[] {
  const finalizers = old.metadata.finalizers ?? [];
  if (propagation === undefined) return [...finalizers];
  const others = finalizers.filter((finalizer) => !collectors.includes(finalizer));
  if (propagation === 'Orphan') return [...others, 'orphan'];
  return propagation === 'Foreground' ? [...others, 'foregroundDeletion'] : others;
}

/** Only pods have a grace period, and only once a node has them. */
function graceOf(old: KubeObject, served: Served, { gracePeriod }: Removal): number {
  if (served.info.storage !== 'pods') return 0;
  const json = asJson(old);
  const pending = (stringAt(json, 'spec', 'nodeName') ?? '') === '';
  const over = ['Failed', 'Succeeded'].includes(stringAt(json, 'status', 'phase') ?? '');
  if (pending || over) return 0;
  const spec = old['spec'] as { terminationGracePeriodSeconds?: number } | undefined; // checked by its type
  return Math.max(
    0,
    gracePeriod ?? old.metadata.deletionGracePeriodSeconds ?? spec?.terminationGracePeriodSeconds ?? 30,
  );
}

/** A namespace is emptied before it goes. */
function hasContent(old: KubeObject): boolean {
  const spec = old['spec'] as { finalizers?: readonly string[] } | undefined; // checked by its type
  return (spec?.finalizers ?? []).length > 0;
}

export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

/** A CRD waits until its objects are gone. */
function needsCleanup(served: Served): boolean {
  return served.info.storage === 'customresourcedefinitions.apiextensions.k8s.io';
}

function markDefinition(object: MutableJsonObject, cluster: Cluster): void {
  const meta = object['metadata'] as MutableJsonObject; // every object has it
  const finalizers = (meta['finalizers'] ?? []) as string[]; // made above
  if (!finalizers.includes(cleanupFinalizer)) meta['finalizers'] = [...finalizers, cleanupFinalizer];
  const status = (object['status'] ?? {}) as MutableJsonObject; // checked by its type
  const conditions = ((status['conditions'] ?? []) as MutableJsonObject[]).filter(({ type }) => type !== 'Terminating'); // checked by its type
  conditions.push({
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: timestamp(cluster.now()),
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  });
  object['status'] = { ...status, conditions };
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
