import type { SourceTree, TreeItem } from '../types.ts';

/** What lies at paths of a tree, asked for in one go by all who ask at the same time, and remembered with the tree. */
export interface Items {
  /** At once where all is known. */
  at(paths: readonly string[]): readonly (TreeItem | undefined)[] | Promise<readonly (TreeItem | undefined)[]>;
}

const known = new WeakMap<SourceTree, Items>();

/** The one of a tree: a tree is what it is, so nothing of it is asked for twice. */
export function itemsOf(tree: SourceTree): Items {
  const before = known.get(tree);
  if (before !== undefined) return before;
  const made = createItems(tree);
  known.set(tree, made);
  return made;
}

function createItems(tree: SourceTree): Items {
  const items = new Map<string, TreeItem | undefined>();
  let wanted = new Set<string>();
  let coming: Promise<void> | undefined;
  const bring = async (): Promise<void> => {
    // Whoever asks in this turn of the loop comes along.
    await Promise.resolve();
    const paths = [...wanted];
    wanted = new Set();
    coming = undefined;
    const found = await tree.at(paths);
    for (const [i, path] of paths.entries()) items.set(path, found[i]);
  };
  const take = (paths: readonly string[]): (TreeItem | undefined)[] => paths.map((path) => items.get(path));
  return {
    at(paths) {
      const missing = paths.filter((path) => !items.has(path));
      if (missing.length === 0) return take(paths);
      for (const path of missing) wanted.add(path);
      coming ??= bring();
      const mine = coming;
      // What one of many asks for may be broken, a submodule that cannot be had; the others ask again by themselves.
      return mine.then(
        () => take(paths),
        () => tree.at(paths),
      );
    },
  };
}
