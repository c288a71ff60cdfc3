import type { KubeObject, OwnerReference } from '../../core/objects/index.ts';
import { uidOf } from '../../core/objects/index.ts';
import type { ResourceInfo, StoreEvent } from '../ports.ts';

/** An object as the collector knows it. */
export interface GraphNode {
  readonly uid: string;
  readonly resource: ResourceInfo;
  readonly namespace: string;
  readonly name: string;
  readonly owners: readonly OwnerReference[];
}

/** Who owns whom, by uid, kept up by the store's events. */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>();

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  dependentsOf(uid: string): GraphNode[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#nodes.get(dependent) ?? []);
  }

  /** Takes an event in; the uids of the objects that must be looked at because of it. */
  apply({ type, object }: StoreEvent, resource: ResourceInfo): string[] {
    const uid = uidOf(object);
    const before = this.#nodes.get(uid);
    for (const owner of before?.owners ?? []) this.#unlink(owner.uid, uid);
    if (type === 'DELETED') {
      this.#nodes.delete(uid);
      const owners = (before?.owners ?? object.metadata.ownerReferences ?? []).map((owner) => owner.uid);
      return [...(this.#dependents.get(uid) ?? []), ...owners];
    }
    const node = nodeOf(object, resource);
    const going = object.metadata.deletionTimestamp !== undefined;
    // Most objects have no owner and are not going: nothing about them need be known.
    if (going || node.owners.length > 0) this.#nodes.set(uid, node);
    else this.#nodes.delete(uid);
    for (const owner of node.owners) this.#link(owner.uid, uid);
    return going || node.owners.length > 0 ? [uid, ...(going ? node.owners.map((owner) => owner.uid) : [])] : [];
  }

  #link(owner: string, dependent: string): void {
    const set = this.#dependents.get(owner) ?? new Set<string>();
    this.#dependents.set(owner, set.add(dependent));
  }

  #unlink(owner: string, dependent: string): void {
    const set = this.#dependents.get(owner);
    set?.delete(dependent);
    if (set?.size === 0) this.#dependents.delete(owner);
  }
}

function nodeOf(object: KubeObject, resource: ResourceInfo): GraphNode {
  const { namespace = '', name = '', ownerReferences = [] } = object.metadata;
  return { uid: uidOf(object), resource, namespace, name, owners: ownerReferences };
}
