import type { ObjectKey } from '../objects/index.ts';

/** An owner known by name only: Kubernetes writes no reference for these, people expect them all the same. */
export interface NamedOwner {
  readonly group: string;
  readonly kind: string;
  /** In the namespace of the object. */
  readonly name: string;
}

/** One live object, as much of it as a tree needs; whoever builds one may carry more along. */
export interface TreeNode {
  readonly key: ObjectKey;
  readonly uid: string;
  /** From `metadata.ownerReferences`. */
  readonly ownerUids: readonly string[];
  /** Inferred from what the object is; see `inferOwners`. */
  readonly namedOwners?: readonly NamedOwner[] | undefined;
}

/** What a tree is read from: a list once indexed, or a cache that keeps such an index up. */
export interface TreeIndex<N extends TreeNode> {
  node(uid: string): N | undefined;
  /** Everything that names this object as its owner, rightly or not. */
  childrenOf(uid: string): Iterable<N>;
  /** Those that an object names as its owners, rightly or not, as far as they are there. */
  ownersOf(node: N): Iterable<N>;
}

/**
 * Whether an object can be owned by another: within one namespace, or by something cluster-scoped. Anything else is no
 * ownership in Kubernetes, and would let one tenant hang objects into another's tree.
 */
export function canOwn(owner: ObjectKey, child: ObjectKey): boolean {
  return owner.namespace === '' || owner.namespace === child.namespace;
}
