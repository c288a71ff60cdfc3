import type { Repository } from '../../git/index.ts';
import type { SourceTree } from '../../render/index.ts';

/** A repository at one commit, as a render sees it. */
export function treeAt(repository: Repository, commit: string): SourceTree {
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
