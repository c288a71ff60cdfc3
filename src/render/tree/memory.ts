import { createHash } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ArgosyError } from '../../core/errors/index.ts';
import type { SourceTree, TreeFile, TreeItem } from '../types.ts';
import { isBelow, joinInside, parentOf } from './paths.ts';

/** One file of a tree that is held in memory. */
export interface MemoryFile {
  readonly kind: 'file' | 'executable' | 'link';
  readonly content: Buffer;
}

/** A tree of files that are all at hand: an unpacked chart, a directory on the user's machine. */
export function memoryTree(revision: string, files: ReadonlyMap<string, MemoryFile>): SourceTree {
  const blobs = new Map<string, Buffer>();
  const listed: TreeFile[] = [];
  for (const path of [...files.keys()].toSorted()) {
    const file = files.get(path);
    if (file === undefined) continue;
    const id = hash(file.kind, file.content);
    blobs.set(id, file.content);
    listed.push({ path, id, kind: file.kind });
  }
  const below = (path: string): TreeFile[] => listed.filter((file) => file.path !== path && isBelow(file.path, path));
  const itemAt = (path: string): TreeItem | undefined => {
    const file = listed.find((each) => each.path === path);
    if (file !== undefined) return { kind: file.kind, id: file.id };
    const inside = below(path);
    if (inside.length === 0 && path !== '') return undefined;
    return { kind: 'directory', id: hash('directory', Buffer.from(JSON.stringify(inside))) };
  };
  return {
    revision,
    at: async (paths) => paths.map((path) => itemAt(joinInside('', path))),
    files: async (path) =>
      below(path).map((file) => ({ ...file, path: path === '' ? file.path : file.path.slice(path.length + 1) })),
    read: async (ids) =>
      ids.map((id) => {
        const content = blobs.get(id);
        if (content === undefined) throw new ArgosyError('internal', 'a file of the tree is missing');
        return content;
      }),
    exportTo: async (directory, paths) => {
      const wanted = listed.filter(({ path }) => paths.some((each) => isBelow(path, each)));
      for (const file of wanted) if (file.kind === 'link') checkLink(file, blobs);
      // Links last, so that nothing is written through one.
      for (const file of wanted.toSorted((a, b) => Number(a.kind === 'link') - Number(b.kind === 'link')))
        await write(join(directory, file.path), file, blobs.get(file.id) ?? Buffer.alloc(0));
    },
  };
}

function hash(kind: string, content: Buffer): string {
  return createHash('sha256').update(`${kind}\0`).update(content).digest('hex');
}

function checkLink({ path, id }: TreeFile, blobs: ReadonlyMap<string, Buffer>): void {
  const target = blobs.get(id)?.toString('utf8') ?? '';
  if (target.startsWith('/'))
    throw new ArgosyError('render-refused', 'a link leads out of the repository', { subject: path });
  joinInside(parentOf(path), target, path);
}

async function write(path: string, { kind }: TreeFile, content: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if (kind === 'link') await symlink(content.toString('utf8'), path);
  else await writeFile(path, content, { flag: 'wx', mode: kind === 'executable' ? 0o700 : 0o600 });
}
