import { type ObjectKey, printKey } from '../objects/index.ts';
import type { TreeIndex, TreeNode } from './node.ts';

/** Indexes a list of objects. Where one object is served under two groups, the key that sorts first stands for it. */
export function indexNodes<N extends TreeNode>(nodes: Iterable<N>): TreeIndex<N> {
  const byUid = new Map<string, N>();
  for (const node of nodes) {
    const known = byUid.get(node.uid);
    if (known === undefined || printKey(node.key) < printKey(known.key)) byUid.set(node.uid, node);
  }
  const nodesOnce = [...byUid.values()];
  const uids = new Map(nodesOnce.map(({ key, uid }) => [printKey(key), uid]));
  const children = childrenByOwner(nodesOnce, uids);
  return {
    node: (uid) => byUid.get(uid),
    childrenOf: (uid) => children.get(uid) ?? [],
    ownersOf: (node) => ownersOf(node, uids).flatMap((uid) => byUid.get(uid) ?? []),
  };
}

function childrenByOwner<N extends TreeNode>(
  nodes: readonly N[],
  uids: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly N[]> {
  const children = new Map<string, N[]>();
  for (const node of nodes) {
    for (const owner of new Set(ownersOf(node, uids))) {
      const known = children.get(owner);
      if (known === undefined) children.set(owner, [node]);
      else known.push(node);
    }
  }
  return children;
}

function ownersOf(node: TreeNode, uids: ReadonlyMap<string, string>): readonly string[] {
  const named = (node.namedOwners ?? []).flatMap((owner) => {
    const key: ObjectKey = { ...owner, namespace: node.key.namespace };
    return uids.get(printKey(key)) ?? [];
  });
  return [...node.ownerUids, ...named];
}
