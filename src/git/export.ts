import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ArgosyError } from '../core/errors/index.ts';
import { checkLink, checkName } from './export-names.ts';
import type { GitLimits } from './limits.ts';
import { pathParts } from './tree.ts';
import type { TreeEntry } from './tree-walk.ts';

/** What is written, and where. */
export interface ExportRequest {
  readonly commit: string;
  /** Files and folders of the repository; they keep their places below the target. All of it: `['']`. */
  readonly paths: readonly string[];
  /** An empty directory of ours. */
  readonly target: string;
  /** Puts the files that pointers of Git LFS stand for in their place; without it pointers stay what they are. */
  readonly lfs?: boolean | undefined;
}

/** What was written. */
export interface ExportResult {
  readonly files: number;
  readonly bytes: number;
}

/** What an export reads from. */
export interface ExportSource {
  readonly url: string;
  treeIds(
    commit: string,
    paths: readonly string[],
  ): Promise<({ readonly kind: string; readonly id: string } | undefined)[]>;
  files(commit: string, path: string): Promise<TreeEntry[]>;
  read(ids: readonly string[]): Promise<Buffer[]>;
  /** The files behind pointers of Git LFS among these contents. */
  large(contents: readonly Buffer[]): Promise<(Buffer | undefined)[]>;
  exportTree(request: ExportRequest): Promise<ExportResult>;
}

/** Blobs are read and written in portions, so that a large tree does not sit in memory. */
const portion = 256;

/**
 * Writes a tree to disk as plain files: no filters, no hooks, no attributes. Every name and link is checked before
 * anything is written, and links are made last, so that nothing is ever written through one.
 */
export async function exportTree(
  source: ExportSource,
  request: ExportRequest,
  limits: Pick<GitLimits, 'maxFiles' | 'maxReadBytes'>,
): Promise<ExportResult> {
  const entries = await collect(source, request);
  if (entries.length > limits.maxFiles)
    throw new ArgosyError('git-limit', 'the repository has more files than permitted');
  for (const { path } of entries) for (const name of path.split('/')) checkName(name, path);
  const links = await readLinks(source, entries);
  for (const path of links.keys()) checkLink(path, links);
  const files = entries.filter(({ kind }) => kind === 'file' || kind === 'executable');
  await makeDirectories(request.target, entries);
  let bytes = 0;
  for (let at = 0; at < files.length; at += portion) {
    bytes += await writePortion(source, request, files.slice(at, at + portion));
    if (bytes > limits.maxReadBytes)
      throw new ArgosyError('git-limit', 'the files of the repository are larger than permitted');
  }
  for (const [path, target] of links) await symlink(target, join(request.target, path));
  return { files: entries.length, bytes };
}

async function collect(source: ExportSource, { commit, paths }: ExportRequest): Promise<TreeEntry[]> {
  const found = new Map<string, TreeEntry>();
  const items = await source.treeIds(commit, paths);
  for (const [index, item] of items.entries()) {
    const path = pathParts(paths[index] ?? '').join('/');
    if (item === undefined)
      throw new ArgosyError('git-revision', 'the path does not exist at this revision', { subject: path });
    const below = item.kind === 'directory' ? await source.files(commit, path) : [];
    // Not a directory, so one of the kinds that a listing has.
    if (item.kind !== 'directory') found.set(path, { path, kind: item.kind as TreeEntry['kind'], id: item.id });
    for (const entry of below) {
      const full = path === '' ? entry.path : `${path}/${entry.path}`;
      found.set(full, { ...entry, path: full });
    }
  }
  return [...found.values()];
}

async function readLinks(source: ExportSource, entries: readonly TreeEntry[]): Promise<Map<string, string>> {
  const links = entries.filter(({ kind }) => kind === 'link');
  const targets = await source.read(links.map(({ id }) => id));
  return new Map(links.map(({ path }, index) => [path, targets[index]?.toString('utf8') ?? '']));
}

async function makeDirectories(target: string, entries: readonly TreeEntry[]): Promise<void> {
  const directories = new Set(entries.map(({ path, kind }) => (kind === 'submodule' ? path : dirname(path))));
  for (const directory of directories) await mkdir(join(target, directory), { recursive: true, mode: 0o700 });
}

async function writePortion(
  source: ExportSource,
  request: ExportRequest,
  files: readonly TreeEntry[],
): Promise<number> {
  const contents = await source.read(files.map(({ id }) => id));
  const large = request.lfs === true ? await source.large(contents) : [];
  let bytes = 0;
  await Promise.all(
    files.map(async ({ path, kind }, index) => {
      const content = large[index] ?? contents[index] ?? Buffer.alloc(0);
      bytes += content.length;
      // `wx`: a file that is there already, or a link in its place, is an error and not followed.
      await writeFile(join(request.target, path), content, { flag: 'wx', mode: kind === 'executable' ? 0o700 : 0o600 });
    }),
  );
  return bytes;
}
