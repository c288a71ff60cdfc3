import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes what a killed git leaves in a repository that only we write to: locks nobody holds, and half-written packs. */
export async function removeLeftovers(gitDir: string): Promise<void> {
  const found: string[] = [];
  for (const name of await names(gitDir)) if (name.endsWith('.lock')) found.push(join(gitDir, name));
  await collect(join(gitDir, 'refs'), (name) => name.endsWith('.lock'), found);
  await collect(join(gitDir, 'objects'), (name) => /^tmp_/.test(name), found);
  await Promise.all(found.map((path) => rm(path, { force: true, recursive: true })));
}

async function collect(directory: string, unwanted: (name: string) => boolean, found: string[]): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
    const path = join(directory, entry.name);
    if (unwanted(entry.name)) found.push(path);
    else if (entry.isDirectory()) await collect(path, unwanted, found);
  }
}

async function names(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}
