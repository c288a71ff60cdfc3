import { type Json, type JsonObject, type MutableJsonObject, objectAt } from '../../core/json/index.ts';
import { type KubeObject, nameOf } from '../../core/objects/index.ts';
import type { Actor, Inside, ResourceInfo } from '../ports.ts';
import { deletableKinds } from './all-kinds.ts';
import { isGone, remove, setStatus, specOf, statusOf, timeText, withCondition } from './objects.ts';
import { ownKey, reconciler, splitKey } from './reconciler.ts';

/** Empties a deleted namespace, tells what still holds it, and lets it go when nothing does. */
export function namespaceActor(): Actor {
  return reconciler('namespace', [{ group: '', kind: 'Namespace', keys: ownKey }], async (inside, key) => {
    const namespace = inside.get('', 'Namespace', ...splitKey(key));
    if (namespace?.metadata.deletionTimestamp === undefined) return undefined;
    const finalizers = specOf(namespace)['finalizers'];
    if (!Array.isArray(finalizers) || !(finalizers as Json[]).includes('kubernetes')) return undefined;
    await empty(inside, nameOf(namespace));
    const left = remaining(inside, nameOf(namespace));
    if (left.length === 0) return finalize(inside, namespace);
    await report(inside, namespace, left);
    return 100;
  });
}

interface Remaining {
  readonly resource: ResourceInfo;
  readonly objects: readonly KubeObject[];
}

function remaining(inside: Inside, namespace: string): Remaining[] {
  return deletableKinds(inside)
    .filter(({ namespaced }) => namespaced)
    .map((resource) => ({ resource, objects: inside.list(resource.group, resource.kind, namespace) }))
    .filter(({ objects }) => objects.length > 0);
}

async function empty(inside: Inside, namespace: string): Promise<void> {
  for (const { objects } of remaining(inside, namespace))
    for (const object of objects)
      if (object.metadata.deletionTimestamp === undefined || object.kind === 'Pod') await remove(inside, object);
}

async function finalize(inside: Inside, namespace: KubeObject): Promise<undefined> {
  const name = nameOf(namespace);
  const change = (current: MutableJsonObject): MutableJsonObject => {
    const spec = objectAt(current, 'spec') ?? {};
    const finalizers = Array.isArray(spec['finalizers']) ? (spec['finalizers'] as Json[]) : [];
    const next: Json = { ...spec, finalizers: finalizers.filter((item) => item !== 'kubernetes') };
    return { ...current, spec: next as MutableJsonObject }; // parts of a fresh copy
  };
  try {
    await inside.update('', 'Namespace', '', name, change);
    const now = inside.get('', 'Namespace', '', name);
    if (now !== undefined && (now.metadata.finalizers ?? []).length === 0) await remove(inside, now);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
  return undefined;
}

function plural({ resource }: Remaining): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

async function report(inside: Inside, namespace: KubeObject, left: readonly Remaining[]): Promise<void> {
  const now = timeText(inside.now());
  let conditions: Json | undefined = statusOf(namespace)['conditions'];
  for (const condition of conditionsFor(left)) conditions = withCondition(conditions, condition, now);
  await setStatus(inside, namespace, { phase: 'Terminating', conditions: conditions ?? [] });
}

/** The five conditions by which a namespace says what it waits for. */
function conditionsFor(left: readonly Remaining[]): JsonObject[] {
  const kinds = [...left].sort((one, other) => plural(one).localeCompare(plural(other)));
  const counts = kinds.map((item) => `${plural(item)} has ${item.objects.length} resource instances`);
  const holders = new Map<string, number>();
  for (const { objects } of left)
    for (const { metadata } of objects)
      for (const finalizer of metadata.finalizers ?? []) holders.set(finalizer, (holders.get(finalizer) ?? 0) + 1);
  const held = [...holders]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  const no = (type: string, reason: string, message: string): JsonObject => ({
    type,
    status: 'False',
    reason,
    message,
  });
  return [
    no('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
    no(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    no(
      'NamespaceDeletionContentFailure',
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ),
    {
      type: 'NamespaceContentRemaining',
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: `Some resources are remaining: ${counts.map((text) => text.replace(' has ', '. has ')).join(', ')}`,
    },
    held.length === 0
      ? no('NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished')
      : {
          type: 'NamespaceFinalizersRemaining',
          status: 'True',
          reason: 'SomeFinalizersRemain',
          message: `Some content in the namespace has finalizers remaining: ${held.join(', ')}`,
        },
  ];
}
