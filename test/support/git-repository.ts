import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** What a test puts into a repository: text or bytes of a file, `null` to remove it, or a link. */
export type Content = string | Buffer | null | { readonly link: string } | { readonly script: string };

/** A real repository in a temporary directory. */
export interface TestRepository {
  readonly directory: string;
  /** Its `file://` address. */
  readonly url: string;
  /** Writes files and commits them; returns the commit. */
  commit(files: Readonly<Record<string, Content>>, message?: string): string;
  /** Runs git in it and returns what it prints. */
  git(...args: string[]): string;
  remove(): void;
}

const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Author',
  GIT_AUTHOR_EMAIL: 'author@example.com',
  GIT_COMMITTER_NAME: 'Committer',
  GIT_COMMITTER_EMAIL: 'committer@example.com',
};

/** Runs git in a directory with a clean environment. */
export function runGit(directory: string, args: readonly string[], input?: string | Buffer): string {
  return execFileSync('git', ['-C', directory, ...args], {
    env,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
    input: input ?? '',
    maxBuffer: 256 * 1024 * 1024,
  }).trim();
}

/** Makes a repository with branch `main` and the given files in its first commit. */
export function createTestRepository(
  files: Readonly<Record<string, Content>> = { 'README.md': 'hello\n' },
): TestRepository {
  const directory = mkdtempSync(join(tmpdir(), 'argosy-repository-'));
  const git = (...args: string[]): string => runGit(directory, args);
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'uploadpack.allowFilter', 'true');
  git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  const repository: TestRepository = {
    directory,
    url: `file://${directory}`,
    git,
    commit(changes, message = 'change') {
      for (const [path, content] of Object.entries(changes)) write(join(directory, path), content);
      git('add', '--all', '--force');
      git('commit', '--quiet', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD');
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
  repository.commit(files, 'first');
  return repository;
}

function write(path: string, content: Content): void {
  rmSync(path, { recursive: true, force: true });
  if (content === null) return;
  mkdirSync(dirname(path), { recursive: true });
  if (typeof content === 'string' || Buffer.isBuffer(content)) writeFileSync(path, content);
  else if ('link' in content) symlinkSync(content.link, path);
  else {
    writeFileSync(path, content.script);
    chmodSync(path, 0o755);
  }
}
