import { chmod, lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ArgosyError } from '../core/errors/index.ts';

/** A private directory. */
export interface Scratch {
  readonly path: string;
  /** Removes it with all it holds, whatever modes a child has set; may be called twice. */
  remove(): Promise<void>;
}

/** Makes a directory with a random name that only we may enter, under a root that is really ours. */
export async function createScratch(root: string): Promise<Scratch> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  await refuseForeign(root);
  const path = await mkdtemp(join(root, 'scratch-'));
  return { path, remove: () => removeTree(path) };
}

/** A root prepared by someone else (a link, another owner, writable by all) could be swapped under us. */
async function refuseForeign(root: string): Promise<void> {
  const stat = await lstat(root);
  const mine = process.getuid?.() ?? stat.uid;
  const open = (stat.mode & 0o022) !== 0 && (stat.mode & 0o1000) === 0;
  if (!stat.isDirectory() || stat.uid !== mine || open)
    throw new ArgosyError('config-invalid', 'the directory for temporary files is not ours alone', {
      subject: root,
      hint: 'give Argosy a directory that it owns and others cannot write to',
    });
}

/** Removes a directory tree even if parts of it have been made unreadable. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });
  } catch {
    await unlock(path);
    await rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });
  }
}

async function unlock(directory: string): Promise<void> {
  await chmod(directory, 0o700).catch(() => undefined);
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => []))
    if (entry.isDirectory()) await unlock(join(directory, entry.name));
}
