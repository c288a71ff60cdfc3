import { isArray, type Json, type MutableJsonObject, objectAt, stringAt } from '../../core/json/index.ts';
import { type KubeObject, type OwnerReference, parseApiVersion, uidOf } from '../../core/objects/index.ts';
import type { Actor, Inside } from '../ports.ts';
import { watchAllKinds } from './all-kinds.ts';
import { isGone, remove } from './objects.ts';
import { type GraphNode, OwnerGraph } from './owner-graph.ts';
import { KeyQueue } from './reconciler.ts';

const foreground = 'foregroundDeletion';
const orphan = 'orphan';

/** Deletes what has no owner left, in the background, the foreground, or not at all (orphans), as was asked. */
export function garbageCollector(): Actor {
  return {
    name: 'garbage-collector',
    start: (inside) => {
      const graph = new OwnerGraph();
      const queue = new KeyQueue(async (uid) => {
        const node = graph.get(uid);
        if (node !== undefined) await collect(inside, graph, node, (other) => queue.add(other));
        return undefined;
      });
      const watch = watchAllKinds(inside, (event, resource) => {
        for (const uid of graph.apply(event, resource)) queue.add(uid);
      });
      return {
        stop: () => {
          watch.stop();
          return queue.stop();
        },
      };
    },
  };
}

type Look = (uid: string) => void;

async function collect(inside: Inside, graph: OwnerGraph, node: GraphNode, look: Look): Promise<void> {
  const { resource, namespace, name, uid } = node;
  const object = inside.get(resource.group, resource.kind, namespace, name);
  if (object === undefined || uidOf(object) !== uid) return;
  const finalizers = object.metadata.finalizers ?? [];
  if (object.metadata.deletionTimestamp !== undefined) {
    if (finalizers.includes(orphan)) return letGo(inside, graph, node);
    if (finalizers.includes(foreground)) return finishForeground(inside, graph, node, look);
    return;
  }
  if ((object.metadata.ownerReferences ?? []).length > 0) await judge(inside, graph, node, object);
}

/** The dependents lose this owner and live on. */
async function letGo(inside: Inside, graph: OwnerGraph, node: GraphNode): Promise<void> {
  for (const dependent of graph.dependentsOf(node.uid)) await dropOwners(inside, dependent, [node.uid]);
  await dropFinalizer(inside, node, orphan);
}

/** An owner that waits for its dependents goes once none of them blocks it. */
async function finishForeground(inside: Inside, graph: OwnerGraph, node: GraphNode, look: Look): Promise<void> {
  const dependents = graph.dependentsOf(node.uid);
  for (const { uid } of dependents) look(uid);
  const blocking = dependents.some(({ owners }) =>
    owners.some((owner) => owner.uid === node.uid && owner.blockOwnerDeletion === true),
  );
  if (!blocking) await dropFinalizer(inside, node, foreground);
}

type Standing = 'solid' | 'gone' | 'waiting';

/** Whether an owner is there, is not, or is going and waits for its dependents. What cannot be told counts as there. */
function standing(inside: Inside, node: GraphNode, owner: OwnerReference): Standing {
  const { group } = parseApiVersion(owner.apiVersion);
  const resource = inside.resourceFor(group, owner.kind);
  if (resource === undefined) return 'solid';
  if (resource.namespaced && node.namespace === '') return 'solid'; // a reference that can mean nothing
  const found = inside.get(group, owner.kind, resource.namespaced ? node.namespace : '', owner.name);
  if (found === undefined || uidOf(found) !== owner.uid) return 'gone';
  const { deletionTimestamp, finalizers = [] } = found.metadata;
  return deletionTimestamp !== undefined && finalizers.includes(foreground) ? 'waiting' : 'solid';
}

async function judge(inside: Inside, graph: OwnerGraph, node: GraphNode, object: KubeObject): Promise<void> {
  const owners = (object.metadata.ownerReferences ?? []).map((owner) => ({
    uid: owner.uid,
    standing: standing(inside, node, owner),
  }));
  const lost = owners.filter((owner) => owner.standing !== 'solid').map(({ uid }) => uid);
  if (lost.length === 0) return;
  if (lost.length < owners.length) return dropOwners(inside, node, lost);
  const waiting = owners.some((owner) => owner.standing === 'waiting');
  const blocks = waiting && graph.dependentsOf(node.uid).length > 0;
  await remove(inside, object, policyOf(object, blocks));
}

/** The object's own finalizers say how its dependents are to fare; else its owner's wish does. */
function policyOf(object: KubeObject, blocks: boolean): 'Foreground' | 'Background' | 'Orphan' {
  const finalizers = object.metadata.finalizers ?? [];
  if (finalizers.includes(orphan)) return 'Orphan';
  return blocks || finalizers.includes(foreground) ? 'Foreground' : 'Background';
}

async function dropOwners(inside: Inside, node: GraphNode, uids: readonly string[]): Promise<void> {
  await change(inside, node, 'ownerReferences', (owner) => !uids.includes(stringAt(owner, 'uid') ?? ''));
}

async function dropFinalizer(inside: Inside, node: GraphNode, finalizer: string): Promise<void> {
  await change(inside, node, 'finalizers', (item) => item !== finalizer);
}

/** Filters a list in an object's metadata, if the object is still the one that was meant. */
async function change(inside: Inside, node: GraphNode, field: string, keep: (item: Json) => boolean): Promise<void> {
  const { resource, namespace, name, uid } = node;
  const edit = (current: MutableJsonObject): MutableJsonObject | undefined => {
    const metadata = objectAt(current, 'metadata');
    const list = metadata?.[field];
    if (metadata?.['uid'] !== uid || !isArray(list)) return undefined;
    const kept = list.filter(keep);
    if (kept.length === list.length) return undefined;
    const { [field]: _old, ...rest } = metadata;
    const next: Json = { ...rest, ...(kept.length === 0 ? {} : { [field]: kept }) };
    return { ...current, metadata: next as MutableJsonObject }; // parts of a fresh copy
  };
  try {
    await inside.update(resource.group, resource.kind, namespace, name, edit);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
