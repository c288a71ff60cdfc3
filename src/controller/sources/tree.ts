import type { Repository } from '../../git/index.ts';
import type { SourceTree } from '../../render/index.ts';

const kept = new WeakMap<Repository, Map<string, SourceTree>>();
const maxKept = 20;

/** A repository at one commit, as a render sees it: the same tree for all who ask, since renders remember with it. */
export function treeAt(repository: Repository, commit: string): SourceTree {
  const trees = kept.get(repository) ?? new Map<string, SourceTree>();
  kept.set(repository, trees);
  const tree = trees.get(commit) ?? createTree(repository, commit);
  trees.delete(commit);
  trees.set(commit, tree);
  const [oldest] = trees.keys();
  if (trees.size > maxKept && oldest !== undefined) trees.delete(oldest);
  return tree;
}

function createTree(repository: Repository, commit: string): SourceTree {
  return {
    revision: commit,
    at: (paths) => repository.treeIds(commit, paths),
    files: (path) => repository.files(commit, path),
    read: (ids) => repository.read(ids),
    exportTo: async (directory, paths) => {
      await repository.exportTree({ commit, paths, target: directory });
    },
  };
}
