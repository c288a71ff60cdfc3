import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestRepository } from '../../test/support/git-repository.ts';
import { createSpawner } from '../spawn/index.ts';
import { createGit } from './git.ts';

test('what a mirror held before a restart can be read though the server is gone, by whole commits only', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'argosy-kept-'));
  const spawner = createSpawner({ temporaryRoot: join(directory, 'scratch') });
  const origin = createTestRepository({ 'shop/one.yaml': 'one' });
  const open = () => createGit({ spawner, cacheDir: join(directory, 'mirrors'), allowedHosts: ['file:'] });
  const [first, second] = [open(), open()];
  t.after(async () => {
    for (const git of [first, second]) git.close();
    await spawner.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const request = { url: origin.url, scope: '' };
  const { commit } = await first.repository(request).resolve('main');
  origin.remove();
  const repository = second.repository(request);
  await assert.rejects(repository.resolve('main'));
  const kept = repository.kept();
  assert.deepEqual(await kept.resolve(commit), { commit, kind: 'commit', ref: undefined });
  const [file] = await kept.files(commit, 'shop');
  assert.deepEqual((await kept.read([file?.id ?? ''])).map(String), ['one']);
  for (const revision of ['main', commit.slice(0, 7), 'f'.repeat(40)]) {
    await assert.rejects(kept.resolve(revision), { code: 'git-revision' });
  }
  await assert.rejects(kept.fetch(), { code: 'git-unreachable' });
  await assert.rejects(
    second
      .repository({ ...request, scope: 'other' })
      .kept()
      .resolve(commit),
  );
});
