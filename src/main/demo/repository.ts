import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A Git repository on disk that a person may edit while the demo runs. */
export interface DemoRepository {
  readonly directory: string;
  readonly url: string;
  /** Writes files and commits them. */
  commit(files: { readonly [path: string]: string }, message: string): Promise<void>;
}

/** Makes a repository with one commit; the machine's own git settings play no part. */
export async function createRepository(
  directory: string,
  files: (url: string) => { readonly [path: string]: string },
): Promise<DemoRepository> {
  mkdirSync(directory, { recursive: true });
  const url = `file://${directory}`;
  const git = async (...args: string[]): Promise<void> => {
    await run('git', ['-C', directory, '-c', 'user.name=Argosy demo', '-c', 'user.email=demo@example.com', ...args], {
      timeout: 30_000,
    });
  };
  await git('init', '--quiet', '--initial-branch=main');
  const commit: DemoRepository['commit'] = async (changes, message) => {
    for (const [path, text] of Object.entries(changes)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    await git('add', '--all');
    await git('commit', '--quiet', '-m', message);
  };
  await commit(files(url), 'two tenants');
  return { directory, url, commit };
}
