import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ArgosyError } from '../../core/errors/index.ts';
import type { SourceTree } from '../types.ts';
import { type MemoryFile, memoryTree } from './memory.ts';

const maxFiles = 20_000;
const maxBytes = 512 * 1024 * 1024;

/** A directory of this machine as a tree, read now; `.git` is no part of it, nor is anything but files and links. */
export async function localTree(directory: string, revision: string): Promise<SourceTree> {
  const files = new Map<string, MemoryFile>();
  let bytes = 0;
  const walk = async (below: string): Promise<void> => {
    for (const entry of await readdir(join(directory, below), { withFileTypes: true })) {
      if (entry.name === '.git') continue;
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) await walk(path);
      else if (entry.isFile() || entry.isSymbolicLink()) {
        const file = await readEntry(join(directory, path));
        bytes += file.content.length;
        files.set(path, file);
      }
      if (files.size > maxFiles || bytes > maxBytes)
        throw new ArgosyError('render-limit', 'the directory is too large to be rendered', { subject: directory });
    }
  };
  await walk('');
  return memoryTree(revision, files);
}

async function readEntry(path: string): Promise<MemoryFile> {
  const stat = await lstat(path);
  if (stat.isSymbolicLink()) return { kind: 'link', content: Buffer.from(await readlink(path)) };
  return { kind: (stat.mode & 0o100) !== 0 ? 'executable' : 'file', content: await readFile(path) };
}
