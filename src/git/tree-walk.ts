import { ArgosyError } from '../core/errors/index.ts';
import type { BatchReader } from './batch-reader.ts';
import type { GitLimits } from './limits.ts';
import { type EntryKind, parseTree, pathParts, type Tree, type TreeItem } from './tree.ts';

/** A file, link or submodule below a path. */
export interface TreeEntry {
  /** Relative to the path that was listed. */
  readonly path: string;
  readonly kind: Exclude<EntryKind, 'directory'>;
  readonly id: string;
}

/** A path whose content differs between two commits. */
export interface ChangedPath {
  readonly path: string;
  readonly before: TreeItem | undefined;
  readonly after: TreeItem | undefined;
}

type WalkLimits = Pick<GitLimits, 'maxFiles' | 'maxDepth' | 'maxTreeBytes'>;

/** Walks trees of one repository; trees are kept by id, so an unchanged folder is never read twice. */
export interface TreeWalk {
  /** What lies at each path of the tree, `undefined` where nothing does. One round trip per level, whatever the number. */
  lookup(root: string, paths: readonly string[]): Promise<(TreeItem | undefined)[]>;
  /** Everything below a directory, in git's order. */
  list(tree: string): Promise<TreeEntry[]>;
  /** The names in one directory. */
  read(tree: string): Promise<Tree>;
  /** Files that differ between two trees; equal folders are not opened. */
  compare(before: string, after: string): Promise<ChangedPath[]>;
}

/** How many names of trees are kept; a thousand folders of four files are about six thousand. */
const maxKeptNames = 100_000;

/** Opens a walk over a repository's trees. */
export function createTreeWalk(reader: BatchReader, limits: WalkLimits): TreeWalk {
  const kept = createTreeCache();
  // Thousands of Applications ask for the same folders at once, right after a commit: each is read for all of them.
  const coming = new Map<string, Promise<Tree>>();
  const load = async (ids: readonly string[]): Promise<Map<string, Tree>> => {
    const loading = loadTrees(reader, ids, limits).then((trees) => new Map(trees));
    for (const id of ids) {
      const one = loading.then((trees) => trees.get(id) ?? empty);
      one.catch(() => undefined);
      coming.set(id, one);
    }
    try {
      const trees = await loading;
      for (const [id, tree] of trees) kept.set(id, tree);
      return trees;
    } finally {
      for (const id of ids) coming.delete(id);
    }
  };
  const readAll = async (ids: readonly string[]): Promise<Map<string, Tree>> => {
    const found = new Map<string, Tree>();
    const missing: string[] = [];
    const awaited: (readonly [string, Promise<Tree>])[] = [];
    for (const id of new Set(ids)) {
      const tree = kept.get(id);
      const soon = coming.get(id);
      if (tree !== undefined) found.set(id, tree);
      else if (soon !== undefined) awaited.push([id, soon]);
      else missing.push(id);
    }
    if (missing.length > 0) for (const [id, tree] of await load(missing)) found.set(id, tree);
    for (const [id, soon] of awaited) found.set(id, await soon);
    return found;
  };
  const read = async (id: string): Promise<Tree> => (await readAll([id])).get(id) ?? new Map<string, TreeItem>();
  return {
    read,
    lookup: (root, paths) => lookup(readAll, root, paths),
    list: (tree) => list(readAll, tree, limits),
    compare: (before, after) => compare(readAll, before, after, limits),
  };
}

type ReadAll = (ids: readonly string[]) => Promise<Map<string, Tree>>;

async function loadTrees(reader: BatchReader, ids: readonly string[], limits: WalkLimits): Promise<[string, Tree][]> {
  if (ids.length === 0) return [];
  const known = await reader.info(ids);
  for (const [index, info] of known.entries()) {
    if (info?.type !== 'tree') throw missing(ids[index] ?? '');
    if (info.size > limits.maxTreeBytes)
      throw new ArgosyError('git-limit', 'a folder of the repository has too many entries');
  }
  const objects = await reader.contents(ids);
  return objects.map((object, index) => {
    const id = ids[index] ?? '';
    if (object?.content === undefined) throw missing(id);
    return [id, parseTree(object.content, id.length / 2)];
  });
}

async function lookup(readAll: ReadAll, root: string, paths: readonly string[]): Promise<(TreeItem | undefined)[]> {
  const walks = paths.map((path) => ({
    parts: pathParts(path),
    at: { kind: 'directory', id: root } as TreeItem | undefined,
  }));
  const deepest = walks.reduce((most, { parts }) => Math.max(most, parts.length), 0);
  for (let depth = 0; depth < deepest; depth += 1) {
    const going = walks.filter(({ parts, at }) => parts.length > depth && at !== undefined);
    const trees = await readAll(going.flatMap(({ at }) => (at?.kind === 'directory' ? [at.id] : [])));
    for (const walk of going) {
      const tree = walk.at?.kind === 'directory' ? trees.get(walk.at.id) : undefined;
      walk.at = tree?.get(walk.parts[depth] ?? '');
    }
  }
  return walks.map(({ at }) => at);
}

async function list(readAll: ReadAll, tree: string, limits: WalkLimits): Promise<TreeEntry[]> {
  // Breadth first: all folders of one level are read in one go.
  let level: { prefix: string; id: string }[] = [{ prefix: '', id: tree }];
  const entries: TreeEntry[] = [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limits.maxDepth)
      throw new ArgosyError('git-limit', 'the folders of the repository are nested too deeply');
    const trees = await readAll(level.map(({ id }) => id));
    const below: typeof level = [];
    for (const { prefix, id } of level)
      for (const [name, item] of trees.get(id) ?? []) {
        if (entries.length + below.length >= limits.maxFiles) throw tooMany();
        if (item.kind === 'directory') below.push({ prefix: `${prefix}${name}/`, id: item.id });
        else entries.push({ path: `${prefix}${name}`, kind: item.kind, id: item.id });
      }
    level = below;
  }
  return entries.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

async function compare(readAll: ReadAll, before: string, after: string, limits: WalkLimits): Promise<ChangedPath[]> {
  const changes: ChangedPath[] = [];
  let level = [{ prefix: '', before: before as string | undefined, after: after as string | undefined }];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limits.maxDepth)
      throw new ArgosyError('git-limit', 'the folders of the repository are nested too deeply');
    const trees = await readAll(level.flatMap((pair) => [pair.before, pair.after].filter((id) => id !== undefined)));
    const below: typeof level = [];
    for (const pair of level) {
      if (pair.before === pair.after) continue;
      const old = trees.get(pair.before ?? '') ?? empty;
      const now = trees.get(pair.after ?? '') ?? empty;
      for (const name of new Set([...old.keys(), ...now.keys()])) {
        const [was, is] = [old.get(name), now.get(name)];
        if (was?.id === is?.id && was?.kind === is?.kind) continue;
        if (changes.length + below.length >= limits.maxFiles) throw tooMany();
        const path = pair.prefix + name;
        const [wasTree, isTree] = [directoryId(was), directoryId(is)];
        if (wasTree !== undefined || isTree !== undefined)
          below.push({ prefix: `${path}/`, before: wasTree, after: isTree });
        const [file, now2] = [wasTree === undefined ? was : undefined, isTree === undefined ? is : undefined];
        if (file !== undefined || now2 !== undefined) changes.push({ path, before: file, after: now2 });
      }
    }
    level = below;
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

const empty: Tree = new Map();

function directoryId(item: TreeItem | undefined): string | undefined {
  return item?.kind === 'directory' ? item.id : undefined;
}

/** Keeps trees up to a number of names in all; what was not used for longest goes first. */
function createTreeCache(): { get(id: string): Tree | undefined; set(id: string, tree: Tree): void } {
  const kept = new Map<string, Tree>();
  let names = 0;
  return {
    get(id) {
      const tree = kept.get(id);
      if (tree === undefined) return undefined;
      kept.delete(id);
      kept.set(id, tree);
      return tree;
    },
    set(id, tree) {
      kept.set(id, tree);
      names += tree.size + 1;
      for (const [oldest, old] of kept) {
        if (names <= maxKeptNames) break;
        kept.delete(oldest);
        names -= old.size + 1;
      }
    },
  };
}

function missing(id: string): ArgosyError {
  return new ArgosyError('git-failed', 'a tree of the repository is missing in the mirror', {
    subject: id,
    reason: 'Corrupt',
  });
}

function tooMany(): ArgosyError {
  return new ArgosyError('git-limit', 'the repository has more files than permitted');
}
