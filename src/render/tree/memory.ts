import { createHash } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ArgosyError } from '../../core/errors/index.ts';
import type { SourceTree, TreeFile, TreeItem } from '../types.ts';
import { isBelow, joinInside, parentOf } from './paths.ts';
import { viewOf } from './view.ts';

/** One file of a tree that is held in memory. */
export interface MemoryFile {
  readonly kind: 'file' | 'executable' | 'link';
  readonly content: Buffer;
}

/** A tree of files that are all at hand: an unpacked chart, a directory on the user's machine. */
export function memoryTree(revision: string, files: ReadonlyMap<string, MemoryFile>): SourceTree {
  const blobs = new Map<string, Buffer>();
  const byPath = new Map<string, TreeFile>();
  /** The files below each directory. */
  const inside = new Map<string, TreeFile[]>([['', []]]);
  for (const path of [...files.keys()].toSorted()) {
    const file = files.get(path);
    if (file === undefined) continue;
    const id = hash(file.kind, file.content);
    blobs.set(id, file.content);
    const listed = { path, id, kind: file.kind };
    byPath.set(path, listed);
    for (let at = path; at !== ''; ) {
      at = parentOf(at);
      const list = inside.get(at);
      if (list === undefined) inside.set(at, [listed]);
      else list.push(listed);
    }
  }
  const directoryIds = new Map<string, string>();
  const itemAt = (path: string): TreeItem | undefined => {
    const file = byPath.get(path);
    if (file !== undefined) return { kind: file.kind, id: file.id };
    const below = inside.get(path);
    if (below === undefined) return undefined;
    const id = directoryIds.get(path) ?? hash('directory', Buffer.from(JSON.stringify(below)));
    directoryIds.set(path, id);
    return { kind: 'directory', id };
  };
  const tree: SourceTree = {
    revision,
    at: async (paths) => paths.map((path) => itemAt(joinInside('', path))),
    files: async (path) =>
      (inside.get(path) ?? []).map((file) => ({
        ...file,
        path: path === '' ? file.path : file.path.slice(path.length + 1),
      })),
    read: async (ids) =>
      ids.map((id) => {
        const content = blobs.get(id);
        if (content === undefined) throw new ArgosyError('internal', 'a file of the tree is missing');
        return content;
      }),
    exportTo: async (directory, paths) => {
      const wanted = [...byPath.values()].filter(({ path }) => paths.some((each) => isBelow(path, each)));
      // Following a link is what refuses one that leads out.
      const view = viewOf(tree);
      for (const { kind, path } of wanted) if (kind === 'link') await view.find(path);
      // Links last, so that nothing is written through one.
      for (const file of wanted.toSorted((a, b) => Number(a.kind === 'link') - Number(b.kind === 'link')))
        await write(join(directory, file.path), file, blobs.get(file.id) ?? Buffer.alloc(0));
    },
  };
  return tree;
}

function hash(kind: string, content: Buffer): string {
  return createHash('sha256').update(`${kind}\0`).update(content).digest('hex');
}

async function write(path: string, { kind }: TreeFile, content: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if (kind === 'link') await symlink(content.toString('utf8'), path);
  else await writeFile(path, content, { flag: 'wx', mode: kind === 'executable' ? 0o700 : 0o600 });
}
