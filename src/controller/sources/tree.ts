import type { Repository } from '../../git/index.ts';
import type { SourceTree } from '../../render/index.ts';
import { type Modules, withSubmodules } from './submodules.ts';

const kept = new WeakMap<Repository, Map<string, SourceTree>>();
/** Each remembers what lies at the paths of all who read it. */
const maxKept = 8;

/** What belongs to a tree besides what lies in its repository. */
export interface TreeWish {
  /** The files that pointers of Git LFS stand for. */
  readonly lfs?: boolean | undefined;
  /** Submodules, where the platform has turned them on. */
  readonly modules?: Modules | undefined;
}

/** A repository at one commit, as a render sees it: the same tree for all who ask, since renders remember with it. */
export function treeAt(repository: Repository, commit: string, { lfs = false, modules }: TreeWish = {}): SourceTree {
  const trees = kept.get(repository) ?? new Map<string, SourceTree>();
  kept.set(repository, trees);
  const key = `${modules?.stamp} ${lfs ? large(commit) : commit}`;
  const tree = trees.get(key) ?? createTree(repository, commit, { lfs, modules });
  trees.delete(key);
  trees.set(key, tree);
  const [oldest] = trees.keys();
  if (trees.size > maxKept && oldest !== undefined) trees.delete(oldest);
  return tree;
}

function createTree(repository: Repository, commit: string, { lfs = false, modules }: TreeWish): SourceTree {
  const plain: SourceTree = {
    revision: commit,
    at: (paths) => repository.treeIds(commit, paths),
    files: (path) => repository.files(commit, path),
    read: (ids) => repository.read(ids),
    exportTo: async (directory, paths) => {
      await repository.exportTree({ commit, paths, target: directory, lfs });
    },
  };
  const whole = lfs ? withLargeFiles(plain, repository) : plain;
  return modules === undefined ? whole : withSubmodules(whole, repository.url, modules);
}

/** The same tree with the files that pointers of Git LFS stand for; they have ids of their own, since they read otherwise. */
function withLargeFiles(plain: SourceTree, repository: Pick<Repository, 'large'>): SourceTree {
  return {
    ...plain,
    at: async (paths) => (await plain.at(paths)).map((item) => item && { ...item, id: large(item.id) }),
    files: async (path) => (await plain.files(path)).map((file) => ({ ...file, id: large(file.id) })),
    read: async (ids) => {
      const contents = await plain.read(ids.map((id) => id.slice(mark.length)));
      const found = await repository.large(contents);
      return contents.map((content, i) => found[i] ?? content);
    },
  };
}

const mark = 'lfs-';

/** The id of something that is read with its large files. */
function large(id: string): string {
  return `${mark}${id}`;
}
