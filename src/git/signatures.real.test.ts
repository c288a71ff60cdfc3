import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openGitHouse } from '../../test/support/git-house.ts';
import { createTestRepository, runGit, type TestRepository } from '../../test/support/git-repository.ts';
import { openSigningHouse, type SigningKey } from '../../test/support/signing.ts';
import { judgeSignatures } from '../core/policy/index.ts';
import type { Repository } from './index.ts';

const signing = openSigningHouse();
const house = openGitHouse();
const repositories: TestRepository[] = [];
after(async () => {
  signing.close();
  for (const each of repositories) each.remove();
  await house.close();
});

const ours = signing.makeKey('ours');
const theirs = signing.makeKey('theirs');

function open(): TestRepository {
  const repository = createTestRepository({ 'a.yaml': 'a: 1\n' });
  repositories.push(repository);
  return repository;
}

function commit(repository: TestRepository, key?: SigningKey): string {
  const sign = key === undefined ? ['--no-gpg-sign'] : ['-S'];
  repository.git(...(key?.git ?? []), 'commit', '--quiet', '--allow-empty', ...sign, '-m', 'x');
  return repository.git('rev-parse', 'HEAD');
}

async function verdict(
  repository: TestRepository,
  revision: string,
  mode: 'head' | 'strict' = 'head',
  keys = [ours],
): Promise<string | undefined> {
  const mirror: Repository = house.git.repository({ url: repository.url, scope: 'test' });
  await mirror.fetch();
  const resolved = await mirror.resolve(revision);
  const facts = await mirror.signatures(resolved, { mode, keys: keys.map(({ armour }) => armour) });
  return judgeSignatures({ mode, keys: keys.map(({ id }) => id.slice(-16)) }, facts);
}

test('a commit passes that a permitted key has signed, and no other', async () => {
  const repository = open();
  assert.match((await verdict(repository, 'HEAD')) ?? '', /^GIT\/GPG: commit [0-9a-f]{12} is not signed$/);
  commit(repository, theirs);
  assert.match((await verdict(repository, 'HEAD')) ?? '', /a key that is not permitted/);
  commit(repository, ours);
  assert.equal(await verdict(repository, 'HEAD'), undefined);
  assert.equal(await verdict(repository, 'main'), undefined);
  assert.match((await verdict(repository, 'HEAD', 'head', [theirs])) ?? '', /not permitted/);
  assert.match((await verdict(repository, 'HEAD', 'head', [])) ?? '', /not permitted/);
});

test('a commit whose content was changed after it was signed does not pass', async () => {
  const repository = open();
  const good = repository.git('cat-file', 'commit', commit(repository, ours));
  const forged = good.replace(/\nx$/, '\nanother message\n');
  const id = runGit(repository.directory, ['hash-object', '-t', 'commit', '-w', '--stdin'], forged);
  repository.git('update-ref', 'refs/heads/forged', id);
  assert.match((await verdict(repository, 'forged')) ?? '', /has a bad signature/);
});

test('KU-16: a signed commit with doubled headers does not pass', async () => {
  const repository = open();
  const good = repository.git('cat-file', 'commit', commit(repository, ours));
  const doubled = `${good.replace(/^(tree .*\n)/, '$1$1')}\n`;
  const id = runGit(repository.directory, ['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'], doubled);
  repository.git('update-ref', 'refs/heads/doubled', id);
  const told = await verdict(repository, 'doubled').catch((error: unknown) => String(error));
  assert.notEqual(told, undefined);
});

test('AC-84: the whole history counts where that is asked for, each commit by itself', async () => {
  const repository = open();
  const orphan = (...args: string[]): string => repository.git('checkout', '--quiet', '--orphan', ...args);
  orphan('clean');
  commit(repository, ours);
  commit(repository, ours);
  assert.equal(await verdict(repository, 'clean', 'strict'), undefined);
  commit(repository);
  commit(repository, ours);
  assert.equal(await verdict(repository, 'clean', 'head'), undefined);
  assert.match((await verdict(repository, 'clean', 'strict')) ?? '', /^GIT\/GPG: commit [0-9a-f]{12} is not signed$/);
  // A good merge does not wash what it merges.
  repository.git('checkout', '--quiet', '-b', 'side', 'clean~2');
  commit(repository);
  repository.git('checkout', '--quiet', '-b', 'merged', 'clean~2');
  repository.git(...ours.git, 'merge', '--quiet', '--no-ff', '-S', '-m', 'merge', 'side');
  assert.equal(await verdict(repository, 'merged', 'head'), undefined);
  assert.match((await verdict(repository, 'merged', 'strict')) ?? '', /is not signed/);
});

test('an annotated tag speaks for its commit, under its own name only', async () => {
  const repository = open();
  commit(repository);
  repository.git('tag', '-a', '-m', 'plain', 'plain');
  repository.git(...ours.git, 'tag', '-s', '-m', 'signed', 'v1.0.0');
  repository.git(...theirs.git, 'tag', '-s', '-m', 'signed', 'theirs');
  repository.git('tag', 'light');
  repository.git('update-ref', 'refs/tags/replayed', repository.git('rev-parse', 'v1.0.0'));
  assert.equal(await verdict(repository, 'v1.0.0'), undefined);
  assert.equal(await verdict(repository, '1.x'), undefined);
  assert.match((await verdict(repository, 'plain')) ?? '', /tag [0-9a-f]{12} is not signed/);
  assert.match((await verdict(repository, 'theirs')) ?? '', /not permitted/);
  assert.match((await verdict(repository, 'light')) ?? '', /commit [0-9a-f]{12} is not signed/);
  assert.match((await verdict(repository, 'replayed')) ?? '', /cannot be read/);
});
