import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGit, type Git, type GitOptions } from '../../src/git/index.ts';
import { createSpawner, type Spawner } from '../../src/spawn/index.ts';

/** Our git with a cache of its own, for one test file. */
export interface GitHouse {
  readonly git: Git;
  readonly spawner: Spawner;
  /** Where mirrors and private directories lie. */
  readonly directory: string;
  close(): Promise<void>;
}

/** Opens it; `file:` and loopback hosts are listed, as a test needs them. */
export function openGitHouse(
  options: Partial<GitOptions> = {},
  spawning: { readonly path?: string | undefined } = {},
): GitHouse {
  const directory = mkdtempSync(join(tmpdir(), 'argosy-git-'));
  const spawner = createSpawner({ temporaryRoot: join(directory, 'scratch'), graceMs: 300, ...spawning });
  const git = createGit({
    spawner,
    cacheDir: join(directory, 'mirrors'),
    allowedHosts: ['file:', '127.0.0.1:*', 'localhost:*'],
    ...options,
    // A busy machine is slow to answer itself; tests of deadlines bring their own.
    limits: { requestMs: 60_000, ...options.limits },
  });
  return {
    git,
    spawner,
    directory,
    async close() {
      git.close();
      await spawner.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
