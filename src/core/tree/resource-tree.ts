import { type ObjectKey, printKey } from '../objects/index.ts';
import { canOwn, type TreeIndex, type TreeNode } from './node.ts';

/** An object in its tree, with those of its owners that are in the tree, too; one that nobody in it owns has none. */
export interface TreeItem<N extends TreeNode> {
  readonly node: N;
  readonly parents: readonly N[];
}

export interface TreeInput<N extends TreeNode> {
  /** Uids of the managed live objects. */
  readonly roots: Iterable<string>;
  readonly index: TreeIndex<N>;
  /** Whether the project lets its members see an object; without it, nobody sees what is below it either. */
  readonly permits: (key: ObjectKey) => boolean;
}

/**
 * The managed objects and all they own, each object once, nearest to the roots first. Objects that own each other in a
 * ring are all there, each with its owners; whoever draws them must not follow a ring forever.
 */
export function resourceTree<N extends TreeNode>({ roots, index, permits }: TreeInput<N>): TreeItem<N>[] {
  const found = new Map<string, { readonly node: N; readonly parents: N[] }>();
  const reach = (node: N): void => {
    if (!found.has(node.uid) && permits(node.key)) found.set(node.uid, { node, parents: [] });
  };
  for (const uid of roots) {
    const node = index.node(uid);
    if (node !== undefined) reach(node);
  }
  // A Map hands out what is added while it is walked over: this goes on until nothing new is found.
  for (const { node } of found.values()) {
    for (const child of inOrder(index.childrenOf(node.uid))) {
      if (child.uid === node.uid || !canOwn(node.key, child.key)) continue;
      reach(child);
      found.get(child.uid)?.parents.push(node);
    }
  }
  return [...found.values()];
}

/** The same objects give the same tree, in whatever order they were seen. */
function inOrder<N extends TreeNode>(nodes: Iterable<N>): readonly N[] {
  return [...nodes]
    .map((node) => ({ node, text: printKey(node.key) }))
    .toSorted((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ node }) => node);
}
