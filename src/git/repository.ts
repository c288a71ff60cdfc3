import { ArgosyError, isArgosyError } from '../core/errors/index.ts';
import type { SignatureFact } from '../core/policy/index.ts';
import type { BatchReader } from './batch-reader.ts';
import { type CommitInfo, parseCommit } from './commit.ts';
import { type ExportRequest, type ExportResult, exportTree } from './export.ts';
import type { Follower } from './follower.ts';
import { heldIds } from './held.ts';
import { keptFollower } from './kept.ts';
import type { GitLimits } from './limits.ts';
import { createOnce, type Once } from './once.ts';
import { commitOf, type Refs } from './refs.ts';
import { type Found, findRevision, type RevisionKind } from './revision.ts';
import type { ReadSignatures, SignatureQuestion } from './signatures.ts';
import type { TreeItem } from './tree.ts';
import type { ChangedPath, TreeEntry, TreeWalk } from './tree-walk.ts';

/** Where a revision leads. */
export interface Resolved {
  readonly commit: string;
  readonly kind: RevisionKind;
  /** The full name of the branch or tag it was found under. */
  readonly ref: string | undefined;
}

/** How far back signatures are looked at, and the public keys (in their armour) that are known while looking. */
export type SignatureWish = Pick<SignatureQuestion, 'mode' | 'keys'>;

/** One repository under one credential, as all Applications share it. */
export interface Repository {
  /** The address as the user knows it. */
  readonly url: string;
  /** Brings what is new; callers at the same time share one fetch. Says whether any ref moved. */
  fetch(): Promise<{ readonly changed: boolean }>;
  /** Finds the commit of a branch, tag, commit, short commit, `HEAD` or version constraint, as of the last fetch. */
  resolve(revision: string, tagPrefix?: string): Promise<Resolved>;
  /** The id of the tree (or file) at a path, `undefined` where there is nothing. */
  treeId(commit: string, path: string): Promise<string | undefined>;
  /** The same for many paths in a few round trips, however many they are. */
  treeIds(commit: string, paths: readonly string[]): Promise<(TreeItem | undefined)[]>;
  /** The ids alone, of a commit the mirror holds: nobody is asked for it, and `undefined` says that it is not there. */
  heldIds(commit: string, paths: readonly string[]): Promise<readonly (string | undefined)[] | undefined>;
  /** All files below a path. */
  files(commit: string, path: string): Promise<TreeEntry[]>;
  /** The contents of blobs, in the order of the ids. */
  read(ids: readonly string[]): Promise<Buffer[]>;
  /** The sizes of blobs, without reading them. */
  sizes(ids: readonly string[]): Promise<number[]>;
  /** What the signatures of a resolved revision are worth. */
  signatures(resolved: Resolved, question: SignatureWish): Promise<readonly SignatureFact[]>;
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
  /** The same, as its mirror holds it from before, asking nobody: only whole commit ids lead anywhere. */
  kept(): Repository;
}

/** The parts a repository is made of. */
export interface RepositoryParts {
  readonly url: string;
  readonly follower: Follower;
  readonly reader: BatchReader;
  readonly walk: TreeWalk;
  readonly large: Repository['large'];
  readonly signatures: ReadSignatures;
  readonly limits: Pick<GitLimits, 'maxBlobBytes' | 'maxReadBytes' | 'maxFiles'>;
}

/** Puts a repository together: each question waits for a first fetch, and mends a damaged mirror on its way. */
export function createRepository(parts: RepositoryParts): Repository {
  const { url, follower, walk } = parts;
  const ready = (): Promise<Refs> => follower.ready();
  const reading = <T>(work: () => Promise<T>): Promise<T> => follower.reading(work);
  const rootOf = createRoots(parts);
  const resolveOnce = createResolved(parts);
  let kept: Repository | undefined;
  const repository: Repository = {
    url,
    fetch: async () => ({ changed: await follower.fetch() }),
    refs: ready,
    resolve: (revision, tagPrefix = '') => reading(async () => resolveOnce(await ready(), revision, tagPrefix)),
    treeId: (commit, path) => reading(async () => (await walk.lookup(await rootOf(commit), [path]))[0]?.id),
    treeIds: (commit, paths) => reading(async () => walk.lookup(await rootOf(commit), paths)),
    heldIds: (commit, paths) => reading(() => heldIds(parts.reader, commit, paths)),
    files: (commit, path) =>
      reading(async () => {
        const [item] = await walk.lookup(await rootOf(commit), [path]);
        if (item?.kind !== 'directory')
          throw new ArgosyError('git-revision', 'the path is not a directory at this revision', { subject: path });
        return walk.list(item.id);
      }),
    sizes: (ids) => reading(() => sizesOf(parts, ids)),
    read: (ids) => reading(() => readBlobs(parts, ids)),
    signatures: (resolved, wish) =>
      reading(async () => parts.signatures({ ...wish, commit: resolved.commit, tag: tagOf(await ready(), resolved) })),
    commitInfo: (commit) => reading(async () => describeCommit(parts, await ready(), commit)),
    changed: (from, to) => reading(async () => walk.compare(await rootOf(from), await rootOf(to))),
    large: (contents) => parts.large(contents),
    exportTree: (request) => exportTree(repository, request, parts.limits),
    kept: () => (kept ??= keptRepository(parts)),
  };
  return repository;
}

function keptRepository(parts: RepositoryParts): Repository {
  const alone = { ...parts, follower: keptFollower(parts.url) };
  const resolveKept = async (revision: string): Promise<Resolved> => {
    const isWhole = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(revision);
    const commit = isWhole ? await present(alone, revision) : undefined;
    if (commit === undefined) throw unknownRevision(parts, revision);
    return { commit, kind: 'commit', ref: undefined };
  };
  return { ...createRepository(alone), resolve: resolveKept };
}

/** The annotated tag that a revision was found under. */
function tagOf(refs: Refs, { ref = '' }: Resolved): SignatureQuestion['tag'] {
  const found = ref.startsWith('refs/tags/') ? refs.byName.get(ref) : undefined;
  return found?.peeled === undefined ? undefined : { id: found.id, name: ref.slice('refs/tags/'.length) };
}

const maxResolved = 1000;

/** What names stand for among the same refs never changes, so each is looked up once: a thousand Applications name one branch. */
function createResolved(
  parts: RepositoryParts,
): (refs: Refs, revision: string, tagPrefix: string) => Promise<Resolved> {
  const known = new WeakMap<Refs, Once<Resolved>>();
  return (refs, revision, tagPrefix) => {
    const once = known.get(refs) ?? createOnce(maxResolved);
    known.set(refs, once);
    const find = (): Promise<Resolved> => resolve(parts, revision, findRevision(refs, revision, tagPrefix));
    return once(`${tagPrefix}\n${revision}`, find);
  };
}

async function resolve(parts: RepositoryParts, revision: string, found: Found): Promise<Resolved> {
  const commit = found === undefined ? undefined : await locate(parts, found);
  if (found === undefined || commit === undefined) throw unknownRevision(parts, revision);
  if (found.kind === 'abbreviated') return { commit, kind: 'commit', ref: undefined };
  return { commit, kind: found.kind, ref: found.ref };
}

async function locate(parts: RepositoryParts, found: NonNullable<Found>): Promise<string | undefined> {
  if (found.kind === 'abbreviated') return present(parts, found.prefix);
  return (await present(parts, found.commit)) ?? bring(parts, found.commit);
}

async function present({ reader }: RepositoryParts, commit: string): Promise<string | undefined> {
  return (await reader.info([`${commit}^{commit}`]))[0]?.id;
}

/** Not on a branch or tag: a pull request, a commit of a deleted branch, or beyond the depth. It is asked for by its id. */
async function bring(parts: RepositoryParts, commit: string): Promise<string | undefined> {
  await parts.follower.bringCommit(commit).catch((error: unknown) => {
    // A damaged mirror may miss what it once had, and cannot take it in again.
    const isAnswer = isArgosyError(error) && error.code === 'git-failed' && error.reason !== 'Corrupt';
    throw isAnswer ? unknownRevision(parts, commit) : error;
  });
  return present(parts, commit);
}

const maxRoots = 1000;

/** The root trees of commits; what a commit holds never changes, so each is asked for once. */
function createRoots(parts: RepositoryParts): (commit: string) => Promise<string> {
  const once = createOnce<string>(maxRoots);
  const find = async (commit: string): Promise<string> => {
    const ask = async (): Promise<string | undefined> => (await parts.reader.info([`${commit}^{tree}`]))[0]?.id;
    const tree = (await ask()) ?? ((await bring(parts, commit)) === undefined ? undefined : await ask());
    if (tree === undefined) throw unknownRevision(parts, commit);
    return tree;
  };
  return (commit) => once(commit, () => find(commit));
}

async function sizesOf({ reader, follower, url }: RepositoryParts, ids: readonly string[]): Promise<number[]> {
  let known = await reader.info(ids);
  const absent = ids.filter((_, index) => known[index] === undefined);
  // A partial mirror leaves files at the server until now; of any other mirror it is a damage.
  if (absent.length > 0 && (await follower.bringObjects(absent))) known = await reader.info(ids);
  return known.map((info, index) => {
    if (info?.type !== 'blob') throw missingBlob(url, ids[index]);
    return info.size;
  });
}

async function readBlobs(parts: RepositoryParts, ids: readonly string[]): Promise<Buffer[]> {
  const { reader, limits, url } = parts;
  const sizes = await sizesOf(parts, ids);
  if (sizes.some((size) => size > limits.maxBlobBytes))
    throw new ArgosyError('git-limit', 'a file of the repository is larger than permitted', { subject: url });
  if (sizes.reduce((sum, size) => sum + size, 0) > limits.maxReadBytes)
    throw new ArgosyError('git-limit', 'the files of the repository are larger than permitted', { subject: url });
  const objects = await reader.contents(ids);
  return objects.map((object, index) => {
    if (object?.content === undefined) throw missingBlob(url, ids[index]);
    return object.content;
  });
}

async function describeCommit({ reader, url }: RepositoryParts, refs: Refs, commit: string): Promise<CommitInfo> {
  const [object] = await reader.contents([`${commit}^{commit}`]);
  const tags = [...refs.byName.values()].filter(
    (ref) => ref.name.startsWith('refs/tags/') && commitOf(ref) === object?.id,
  );
  const info =
    object?.content &&
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

function unknownRevision({ url }: RepositoryParts, revision: string): ArgosyError {
  const quoted = JSON.stringify(revision.slice(0, 100));
  return new ArgosyError('git-revision', `the repository has no revision ${quoted}`, { subject: url });
}
