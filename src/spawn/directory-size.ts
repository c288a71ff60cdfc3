import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What lies in a directory. */
export interface DirectorySize {
  readonly bytes: number;
  readonly files: number;
  readonly exceeded: boolean;
}

/** Adds up a directory without following links; stops at the first limit it meets, so that its own cost is bounded. */
export async function measureDirectory(
  root: string,
  limit: { readonly maxBytes: number; readonly maxFiles: number },
): Promise<DirectorySize> {
  let bytes = 0;
  let files = 0;
  const open = [root];
  for (let directory = open.pop(); directory !== undefined; directory = open.pop()) {
    for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
      files += 1;
      const path = join(directory, entry.name);
      if (entry.isDirectory()) open.push(path);
      // What vanishes while we look weighs nothing. Blocks, not length: a sparse file costs what it occupies.
      else
        bytes += await lstat(path)
          .then((stat) => stat.blocks * 512)
          .catch(() => 0);
      if (bytes > limit.maxBytes || files > limit.maxFiles) return { bytes, files, exceeded: true };
    }
  }
  return { bytes, files, exceeded: false };
}
