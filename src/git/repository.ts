import { ArgosyError, isArgosyError } from '../core/errors/index.ts';
import type { BatchReader } from './batch-reader.ts';
import { type CommitInfo, parseCommit } from './commit.ts';
import { type ExportRequest, type ExportResult, exportTree } from './export.ts';
import { coalesce } from './flight.ts';
import type { GitLimits } from './limits.ts';
import type { Mirror } from './mirror.ts';
import { commitOf, type Refs } from './refs.ts';
import { type Found, findRevision, type RevisionKind } from './revision.ts';
import type { Connect } from './transport.ts';
import type { TreeItem } from './tree.ts';
import type { ChangedPath, TreeEntry, TreeWalk } from './tree-walk.ts';

/** Where a revision leads. */
export interface Resolved {
  readonly commit: string;
  readonly kind: RevisionKind;
  /** The full name of the branch or tag it was found under. */
  readonly ref: string | undefined;
}

/** One repository under one credential, as all Applications share it. */
export interface Repository {
  /** The address as the user knows it. */
  readonly url: string;
  /** Brings what is new; callers at the same time share one fetch. Says whether any ref moved. */
  fetch(): Promise<{ readonly changed: boolean }>;
  /** Finds the commit of a branch, tag, commit, short commit, `HEAD` or version constraint, as of the last fetch. */
  resolve(revision: string): Promise<Resolved>;
  /** The id of the tree (or file) at a path, `undefined` where there is nothing. */
  treeId(commit: string, path: string): Promise<string | undefined>;
  /** The same for many paths in a few round trips, however many they are. */
  treeIds(commit: string, paths: readonly string[]): Promise<(TreeItem | undefined)[]>;
  /** All files below a path. */
  files(commit: string, path: string): Promise<TreeEntry[]>;
  /** The contents of blobs, in the order of the ids. */
  read(ids: readonly string[]): Promise<Buffer[]>;
  /** The sizes of blobs, without reading them. */
  sizes(ids: readonly string[]): Promise<number[]>;
  /** What a commit says about itself. */
  commitInfo(commit: string): Promise<CommitInfo>;
  /** The files that differ between two commits. */
  changed(from: string, to: string): Promise<ChangedPath[]>;
  /** Writes files and folders of a commit to disk, for tools that need files. */
  exportTree(request: ExportRequest): Promise<ExportResult>;
  /** The files that pointers of Git LFS stand for, `undefined` for contents that are no pointers. */
  large(contents: readonly Buffer[]): Promise<(Buffer | undefined)[]>;
  /** All refs as of the last fetch. */
  refs(): Promise<Refs>;
}

/** The parts a repository is made of. */
export interface RepositoryParts {
  readonly url: string;
  readonly mirror: Mirror;
  readonly connect: Connect;
  readonly reader: BatchReader;
  readonly walk: TreeWalk;
  readonly large: Repository['large'];
  readonly limits: Pick<GitLimits, 'maxBlobBytes' | 'maxReadBytes' | 'maxFiles' | 'fetchesPerPack'>;
}

/** Puts a repository together. */
export function createRepository(parts: RepositoryParts): Repository {
  const { url, mirror, reader, walk } = parts;
  let known: Refs | undefined;
  let fetches = 0;
  const update = async (): Promise<boolean> => {
    const connection = await parts.connect();
    try {
      const before = known;
      known = await mirror.update(connection, known);
      if (before === known) return false;
      fetches += 1;
      if (fetches % parts.limits.fetchesPerPack === 0) await repack();
      return true;
    } finally {
      await connection.close();
    }
  };
  const repack = async (): Promise<void> => {
    reader.close();
    // Untidy is not wrong: the next hundred fetches will try again.
    await mirror.pack().catch(() => undefined);
    reader.close();
  };
  const remake = async (): Promise<void> => {
    known = undefined;
    reader.close();
    await mirror.discard();
  };
  const fetchOnce = coalesce(async () => {
    try {
      return await update();
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      await remake();
      return update();
    }
  });
  const ready = async (): Promise<Refs> => {
    if (known === undefined) await fetchOnce();
    if (known === undefined) throw new ArgosyError('internal', 'a fetch succeeded without refs', { subject: url });
    return known;
  };
  /** Reads from the mirror; a damaged one is made anew, once. */
  const reading = async <T>(work: () => Promise<T>): Promise<T> => {
    await ready();
    try {
      return await work();
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      await remake();
      await fetchOnce();
      return work();
    }
  };
  const bring = async (commit: string): Promise<void> => {
    const connection = await parts.connect();
    try {
      await mirror.bring(connection, commit);
    } finally {
      await connection.close();
    }
  };
  const present = async (commit: string): Promise<string | undefined> =>
    (await reader.info([`${commit}^{commit}`]))[0]?.id;
  const locate = async (found: NonNullable<Found>): Promise<string | undefined> => {
    if (found.kind === 'abbreviated') return present(found.prefix);
    const here = await present(found.commit);
    if (here !== undefined) return here;
    // Not on a branch or tag: a pull request, a commit of a deleted branch, or beyond the depth. Ask for it by id.
    await bring(found.commit).catch((error: unknown) => {
      throw isArgosyError(error) && error.code === 'git-failed' ? unknownRevision(found.commit) : error;
    });
    return present(found.commit);
  };
  const unknownRevision = (revision: string): ArgosyError =>
    new ArgosyError('git-revision', `the repository has no revision ${JSON.stringify(revision.slice(0, 100))}`, {
      subject: url,
    });
  const rootOf = async (commit: string): Promise<string> => {
    const [tree] = await reader.info([`${commit}^{tree}`]);
    if (tree === undefined) throw unknownRevision(commit);
    return tree.id;
  };
  const infoOf = async (ids: readonly string[]): Promise<number[]> =>
    (await reader.info(ids)).map((info, index) => {
      if (info?.type !== 'blob') throw missingBlob(url, ids[index]);
      return info.size;
    });
  const repository: Repository = {
    url,
    fetch: async () => ({ changed: await fetchOnce() }),
    refs: ready,
    resolve: (revision) =>
      reading(async () => {
        const found = findRevision(await ready(), revision);
        const commit = found === undefined ? undefined : await locate(found);
        if (found === undefined || commit === undefined) throw unknownRevision(revision);
        return found.kind === 'abbreviated'
          ? { commit, kind: 'commit', ref: undefined }
          : { commit, kind: found.kind, ref: found.ref };
      }),
    treeId: (commit, path) => reading(async () => (await walk.lookup(await rootOf(commit), [path]))[0]?.id),
    treeIds: (commit, paths) => reading(async () => walk.lookup(await rootOf(commit), paths)),
    files: (commit, path) =>
      reading(async () => {
        const [item] = await walk.lookup(await rootOf(commit), [path]);
        if (item?.kind !== 'directory')
          throw new ArgosyError('git-revision', 'the path is not a directory at this revision', { subject: path });
        return walk.list(item.id);
      }),
    sizes: (ids) => reading(() => infoOf(ids)),
    read: (ids) => reading(() => readBlobs(parts, ids, infoOf)),
    commitInfo: (commit) => reading(async () => describeCommit(parts, await ready(), commit)),
    changed: (from, to) => reading(async () => walk.compare(await rootOf(from), await rootOf(to))),
    large: (contents) => parts.large(contents),
    exportTree: (request) => exportTree(repository, request, parts.limits),
  };
  return repository;
}

async function readBlobs(
  { reader, limits, url }: RepositoryParts,
  ids: readonly string[],
  sizesOf: (ids: readonly string[]) => Promise<number[]>,
): Promise<Buffer[]> {
  const sizes = await sizesOf(ids);
  if (sizes.some((size) => size > limits.maxBlobBytes))
    throw new ArgosyError('git-limit', 'a file of the repository is larger than permitted', { subject: url });
  if (sizes.reduce((sum, size) => sum + size, 0) > limits.maxReadBytes)
    throw new ArgosyError('git-limit', 'the files of the repository are larger than permitted', { subject: url });
  const objects = await reader.contents(ids);
  return objects.map((object, index) => {
    if (object === undefined) throw missingBlob(url, ids[index]);
    return object.content;
  });
}

async function describeCommit({ reader, url }: RepositoryParts, refs: Refs, commit: string): Promise<CommitInfo> {
  const [object] = await reader.contents([`${commit}^{commit}`]);
  const tags = [...refs.byName.values()].filter(
    (ref) => ref.name.startsWith('refs/tags/') && commitOf(ref) === object?.id,
  );
  const info =
    object &&
    parseCommit(
      object.id,
      object.content,
      tags.map(({ name }) => name.slice('refs/tags/'.length)),
    );
  if (info === undefined)
    throw new ArgosyError('git-revision', 'there is no such commit, or it is malformed', { subject: url });
  return info;
}

function missingBlob(url: string, id: string | undefined): ArgosyError {
  return new ArgosyError('git-failed', `a file of the repository is missing in the mirror (${id})`, {
    subject: url,
    reason: 'Corrupt',
  });
}

function isCorrupt(error: unknown): boolean {
  return isArgosyError(error) && error.reason === 'Corrupt';
}
