import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTestRepository } from '../../../test/support/git-repository.ts';
import { createGit } from '../../git/index.ts';
import { createSpawner } from '../../spawn/index.ts';
import type { SourceInput } from './inputs.ts';
import { startSweep } from './sweep.ts';

const inputOf = (url: string, chart?: string): SourceInput => ({
  source: { repoURL: url, ...(chart === undefined ? {} : { chart }) },
  url,
  scope: '',
  revision: 'HEAD',
  path: '',
});

test('a mirror that nobody reads goes after a while, and never because nothing is known', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'argosy-sweep-'));
  const spawner = createSpawner({ temporaryRoot: join(directory, 'scratch') });
  const cacheDir = join(directory, 'mirrors');
  const git = createGit({ spawner, cacheDir, allowedHosts: ['file:'] });
  const [one, other] = [createTestRepository(), createTestRepository()];
  let now = 0;
  let inUse = [inputOf(one.url), inputOf(other.url)];
  const sweep = startSweep({
    git,
    inUse: () => inUse,
    now: () => now,
    keepMs: 1000,
    onError: (error) => assert.fail(String(error)),
  });
  t.after(async () => {
    sweep.stop();
    git.close();
    await spawner.close();
    for (const each of [one, other]) each.remove();
    rmSync(directory, { recursive: true, force: true });
  });
  const mirrors = (): number => readdirSync(cacheDir).length;
  for (const { url, scope } of inUse) await git.repository({ url, scope }).fetch();
  await sweep.run();
  assert.equal(mirrors(), 2);
  inUse = [inputOf(one.url), inputOf('https://example.com/charts', 'shop'), inputOf('not an address')];
  now = 1000;
  await sweep.run();
  assert.equal(mirrors(), 2, 'it stays for a while');
  now = 1001;
  await sweep.run();
  assert.equal(mirrors(), 1);
  inUse = [];
  now = 1_000_000;
  await sweep.run();
  assert.equal(mirrors(), 1, 'nobody knows yet who reads what');
  const { commit } = await git.repository({ url: one.url, scope: '' }).resolve('main');
  assert.equal(commit, one.git('rev-parse', 'main'));
});
