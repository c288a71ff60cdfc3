import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { after, afterEach, test } from 'node:test';
import { repositorySecret } from '../../test/support/git-credential.ts';
import { openGitHouse } from '../../test/support/git-house.ts';
import { createTestRepository } from '../../test/support/git-repository.ts';
import { type ServerFault, startGitServer } from '../../test/support/git-server.ts';
import type { Repository } from './index.ts';

const impatient = openGitHouse({ limits: { requestMs: 1_500, fetchMs: 1_500 } });
const house = openGitHouse({
  limits: { maxRefsBytes: 2_000_000, maxMemoryBytes: 64_000_000 },
});
const source = createTestRepository({ 'a.yaml': 'kind: A\n', 'big.txt': 'x'.repeat(10_000) });
const server = await startGitServer(dirname(source.directory));
const url = server.url(basename(source.directory));
const first = source.git('rev-parse', 'HEAD');
// Without prlimit the deadline is what ends a git that takes too much memory.
const capped = (await house.spawner.confinement()).memory;
let scopes = 0;
afterEach(() => {
  server.fault = 'none';
});
after(async () => {
  await house.close();
  await impatient.close();
  await server.close();
  source.remove();
});

/** A repository nobody has touched yet. */
function fresh(): Repository {
  scopes += 1;
  return house.git.repository({ url, scope: `scope-${scopes}` });
}

const faults: [fault: ServerFault, code: string][] = [
  ['hang', 'git-unreachable'],
  ['hang-fetch', 'git-unreachable'],
  ['broken-refs', 'git-unreachable'],
  ['broken-pack', 'git-unreachable'],
  ['garbage', 'git-unreachable'],
  ['endless', capped ? 'git-limit' : 'git-unreachable'],
  ['error-500', 'git-unreachable'],
  ['error-401', 'git-auth'],
  ['error-404', 'git-auth'],
  ['redirect', 'git-unreachable'],
];
for (const [fault, code] of faults)
  test(`a server that answers with ${fault} is told apart, and what was good stays readable`, async () => {
    const known = fresh();
    assert.equal((await known.resolve('main')).commit, source.git('rev-parse', 'main'));
    source.commit({ 'a.yaml': `kind: ${fault}\n${'y'.repeat(5_000)}` });
    server.fault = fault;
    const refused = (error: Error & { code?: string }): boolean => {
      assert.equal(error.code, code, error.message);
      assert.doesNotMatch(error.message, /s3cret-words|s3cret|PACK|garbage/);
      return true;
    };
    // Only silence needs impatience: a busy machine must not fail the others.
    const asked = fault.startsWith('hang') ? [impatient.git.repository({ url, scope: fault })] : [known, fresh()];
    await Promise.all(asked.map((repository) => assert.rejects(repository.fetch(), refused)));
    const [file] = await known.files(first, '');
    assert.equal((await known.read([file?.id ?? '']))[0]?.toString(), 'kind: A\n');
    server.fault = 'none';
    assert.deepEqual(await known.fetch(), { changed: true });
    assert.equal((await known.resolve('main')).commit, source.git('rev-parse', 'main'));
  });

test('T-130: a list of refs longer than permitted is refused, and others are served', async () => {
  const many = createTestRepository();
  const head = many.git('rev-parse', 'HEAD');
  const lines = Array.from({ length: 30_000 }, (_, n) => `${head} refs/heads/branch-with-a-long-name-${n}\n`);
  writeFileSync(join(many.directory, '.git/packed-refs'), lines.join(''));
  await assert.rejects(house.git.repository({ url: many.url, scope: 'refs' }).fetch(), { code: 'git-limit' });
  assert.equal((await fresh().resolve('main')).kind, 'branch');
  many.remove();
});

test('KU-05: a pack that declares more than there is costs neither memory nor disk', async () => {
  const lies: [fault: ServerFault, code: string][] = [
    ['pack-of-400-megabytes', capped ? 'git-limit' : 'git-unreachable'],
    ['pack-of-4-gigabytes', 'git-unreachable'],
  ];
  const known = fresh();
  await known.fetch();
  source.commit({ 'a.yaml': 'kind: Lies\n' });
  for (const [fault, code] of lies) {
    server.fault = fault;
    await assert.rejects(fresh().fetch(), { code });
    await assert.rejects(known.fetch(), { code: 'git-unreachable' });
  }
  assert.deepEqual(globSync(join(house.directory, 'mirrors/**/tmp_*')), []);
  server.fault = 'none';
  await known.fetch();
});

test('a redirect is not followed, and the second host sees nothing', async () => {
  const other = await startGitServer(dirname(source.directory));
  server.fault = 'redirect';
  server.redirectTo = `http://127.0.0.1:${other.port}`;
  await assert.rejects(fresh().fetch(), { code: 'git-unreachable' });
  assert.deepEqual(other.requests, []);
  await other.close();
});

test('a hundred callers share one fetch, and those who come later the next', async () => {
  const repository = fresh();
  await repository.fetch();
  const commit = source.commit({ 'a.yaml': 'kind: Shared\n' });
  server.requests.length = 0;
  await Promise.all(Array.from({ length: 100 }, () => repository.fetch()));
  const asked = server.requests.filter(({ path }) => path.includes('info/refs')).length;
  // One run asks for the refs twice (to see, and to fetch), the run of the later callers only once.
  assert.ok(asked <= 3, `${asked} requests for refs`);
  assert.equal((await repository.resolve('main')).commit, commit);
});

test('a forced push moves the branch; the old commit stays readable by its id', async () => {
  const repository = fresh();
  const before = (await repository.resolve('main')).commit;
  source.git('reset', '--quiet', '--hard', first);
  const after = source.commit({ 'a.yaml': 'kind: Forced\n' });
  await repository.fetch();
  assert.equal((await repository.resolve('main')).commit, after);
  assert.equal((await repository.resolve(before)).commit, before);
});

test('a deleted branch is gone, and a folder of its name may follow', async () => {
  const repository = fresh();
  source.git('branch', 'feature');
  await repository.fetch();
  await repository.resolve('feature');
  source.git('branch', '-D', 'feature');
  source.git('branch', 'feature/x');
  await repository.fetch();
  await assert.rejects(repository.resolve('feature'), { code: 'git-revision' });
  assert.equal((await repository.resolve('feature/x')).kind, 'branch');
});

test('a moved tag is followed, and a deleted one is gone', async () => {
  const repository = fresh();
  source.git('tag', 'v9.0.0', first);
  await repository.fetch();
  assert.equal((await repository.resolve('v9.0.0')).commit, first);
  const commit = source.commit({ 'a.yaml': 'kind: Moved\n' });
  source.git('tag', '--force', 'v9.0.0', commit);
  await repository.fetch();
  assert.equal((await repository.resolve('v9.0.0')).commit, commit);
  source.git('tag', '-d', 'v9.0.0');
  await repository.fetch();
  await assert.rejects(repository.resolve('v9.0.0'), { code: 'git-revision' });
});

const damages: [what: string, harm: (gitDir: string) => void][] = [
  ['an emptied pack or object', (dir) => rewriteObjects(dir, (bytes) => bytes.subarray(0, 5))],
  [
    'bytes changed in every object',
    (dir) => rewriteObjects(dir, (bytes) => bytes.map((byte, at) => (at > 8 ? byte ^ 0x55 : byte))),
  ],
  ['all objects lost', (dir) => rmSync(join(dir, 'objects'), { recursive: true })],
  [
    'HEAD and config lost',
    (dir) => {
      for (const name of ['HEAD', 'config']) rmSync(join(dir, name));
    },
  ],
  ['the whole mirror lost', (dir) => rmSync(dir, { recursive: true })],
];
for (const [what, harm] of damages)
  test(`a mirror with ${what} is made anew`, async () => {
    const own = openGitHouse();
    try {
      const repository = own.git.repository({ url, scope: what });
      const { commit } = await repository.resolve('main');
      const [mirror = ''] = globSync(join(own.directory, 'mirrors/*/repository.git'));
      own.git.close();
      harm(mirror);
      const files = await repository.files(commit, '');
      const [content] = await repository.read([files.find(({ path }) => path === 'a.yaml')?.id ?? '']);
      assert.match(content?.toString() ?? '', /^kind: /);
      source.commit({ 'b.yaml': what });
      assert.deepEqual(await repository.fetch(), { changed: true });
    } finally {
      await own.close();
    }
  });

function objectFiles(gitDir: string): string[] {
  return globSync(join(gitDir, 'objects/**/*')).filter((file) => /\.(pack|idx)$|\/[0-9a-f]{38}$/.test(file));
}

function rewriteObjects(gitDir: string, change: (bytes: Buffer) => Uint8Array): void {
  for (const file of objectFiles(gitDir)) {
    const bytes = readFileSync(file);
    rmSync(file);
    writeFileSync(file, change(bytes));
  }
}

test('locks and half a pack left by a killed git do not stop the next one', async () => {
  const own = openGitHouse();
  const repository = own.git.repository({ url, scope: 'locks' });
  await repository.fetch();
  await own.close();
  const again = openGitHouse({ cacheDir: join(own.directory, 'mirrors') });
  try {
    const [mirror] = globSync(join(own.directory, 'mirrors/*/repository.git'));
    for (const name of mirror === undefined
      ? []
      : ['packed-refs.lock', 'refs/heads/main.lock', 'objects/pack/tmp_pack_x'])
      writeFileSync(join(mirror ?? '', name), '');
    const commit = source.commit({ 'c.yaml': 'kind: C\n' });
    assert.equal((await again.git.repository({ url, scope: 'locks' }).resolve('main')).commit, commit);
  } finally {
    await again.close();
  }
});

test('a full disk is told as such, others go on, and room made later is enough', async () => {
  const own = openGitHouse();
  const place = join(own.directory, 'small');
  mkdirSync(place);
  // A real file system of two megabytes where we may mount one; else the same error from a limit on file sizes.
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', place]).status === 0;
  const noise = createTestRepository({ 'noise.bin': randomBytes(mounted ? 2_500_000 : 1000) });
  try {
    const small = openGitHouse({ cacheDir: place, command: mounted ? 'git' : failingGit(own.directory) });
    await assert.rejects(
      small.git.repository({ url: noise.url, scope: 'full' }).fetch(),
      (error: Error & { code?: string }) => {
        assert.deepEqual([error.code, error.message], ['git-failed', 'the disk for repository mirrors is full']);
        return true;
      },
    );
    if (mounted) assert.equal((await small.git.repository({ url, scope: 'tiny' }).resolve('main')).kind, 'branch');
    await small.close();
    if (mounted) spawnSync('mount', ['-o', 'remount,size=64m', place]);
    const roomy = openGitHouse({ cacheDir: place });
    assert.equal((await roomy.git.repository({ url: noise.url, scope: 'full' }).resolve('main')).kind, 'branch');
    await roomy.close();
  } finally {
    if (mounted) spawnSync('umount', [place]);
    noise.remove();
    await own.close();
  }
});

/** Real git, except that fetching fails the way it does on a full disk. */
function failingGit(directory: string): string {
  const path = join(directory, 'failing-git');
  writeFileSync(
    path,
    '#!/bin/sh\ncase "$*" in *" fetch "*) echo "fatal: write error: No space left on device" >&2; exit 128;; esac\nexec git "$@"\n',
    { mode: 0o755 },
  );
  return path;
}

test('a repository larger than permitted is refused while it comes, and leaves its room', async () => {
  const big = createTestRepository(
    Object.fromEntries(Array.from({ length: 4 }, (_, n) => [`f${n}`, randomBytes(1_000_000)])),
  );
  const own = openGitHouse({ limits: { maxMirrorBytes: 2_000_000 } });
  await assert.rejects(own.git.repository({ url: big.url, scope: 'big' }).fetch(), { code: 'git-limit' });
  assert.equal((await own.git.repository({ url, scope: 'small' }).resolve('main')).kind, 'branch');
  big.remove();
  await own.close();
});

test('depth brings only the last commits, and an older one is brought when asked for', async () => {
  const repository = house.git.repository({
    url,
    scope: 'shallow',
    repository: repositorySecret('shallow', { url, depth: '1' }),
  });
  const { commit } = await repository.resolve('main');
  const { parents } = await repository.commitInfo(commit);
  assert.equal(parents.length, 1);
  const mirrors = globSync(join(house.directory, 'mirrors/*/repository.git/shallow'));
  assert.equal(mirrors.length, 1);
  assert.equal((await repository.resolve(parents[0] ?? '')).commit, parents[0]);
  const next = source.commit({ 'a.yaml': 'kind: Deeper\n' });
  await repository.fetch();
  assert.equal((await repository.resolve('main')).commit, next);
});

test('an empty repository has no revision, and its first commit is seen', async () => {
  const empty = createTestRepository();
  empty.git('update-ref', '-d', 'refs/heads/main');
  const repository = house.git.repository({ url: empty.url, scope: 'empty' });
  await assert.rejects(repository.resolve('HEAD'), { code: 'git-revision' });
  const commit = empty.commit({ a: '1' });
  await repository.fetch();
  assert.equal((await repository.resolve('HEAD')).commit, commit);
  empty.remove();
});

test('a missing git program is named', async () => {
  const own = openGitHouse({ command: 'no-git-here' });
  await assert.rejects(own.git.repository({ url, scope: 'x' }).fetch(), { code: 'tool-missing' });
  await own.close();
});

test('a partial mirror leaves files at the server until they are read, and reads them in one go', async () => {
  const own = openGitHouse({ partial: true });
  const big = createTestRepository(
    Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`d${n % 3}/f${n}`, `${n}`.repeat(2000)])),
  );
  const other = await startGitServer(dirname(big.directory));
  try {
    const repository = own.git.repository({ url: other.url(basename(big.directory)), scope: 'partial' });
    const { commit } = await repository.resolve('main');
    const files = await repository.files(commit, 'd1');
    const [mirror = ''] = globSync(join(own.directory, 'mirrors/*/repository.git'));
    const held = (): number =>
      big
        .git(`--git-dir=${mirror}`, 'cat-file', '--batch-check', '--batch-all-objects')
        .split('\n')
        .filter((line) => line.includes(' blob ')).length;
    assert.equal(held(), 0);
    other.requests.length = 0;
    const contents = await repository.read(files.map(({ id }) => id));
    assert.deepEqual(
      contents.map((content) => content.length),
      files.map(({ path }) => path.slice(1).length * 2000),
    );
    assert.equal(held(), 10);
    assert.ok(other.requests.length <= 4, `${other.requests.length} requests`);
    big.commit({ 'd1/f1': 'changed' });
    assert.deepEqual(await repository.fetch(), { changed: true });
    const [changed] = await repository.changed(commit, (await repository.resolve('main')).commit);
    assert.equal((await repository.read([changed?.after?.id ?? '']))[0]?.toString(), 'changed');
  } finally {
    await other.close();
    await own.close();
    big.remove();
  }
});

test('a server that cannot leave files out sends them all, and that is fine', async () => {
  const own = openGitHouse({ partial: true });
  const plain = createTestRepository({ a: 'one' });
  plain.git('config', 'uploadpack.allowFilter', 'false');
  const repository = own.git.repository({ url: plain.url, scope: 'plain' });
  const [file] = await repository.files((await repository.resolve('main')).commit, '');
  assert.equal((await repository.read([file?.id ?? '']))[0]?.toString(), 'one');
  plain.remove();
  await own.close();
});

test('fifty readers of a damaged mirror all get their answer, and it is made anew once', async () => {
  const own = openGitHouse();
  const repository = own.git.repository({ url, scope: 'many' });
  const { commit } = await repository.resolve('main');
  const files = await repository.files(commit, '');
  const [mirror = ''] = globSync(join(own.directory, 'mirrors/*/repository.git'));
  own.git.close();
  rmSync(join(mirror, 'objects'), { recursive: true });
  server.requests.length = 0;
  const answers = await Promise.all(Array.from({ length: 50 }, () => repository.read(files.map(({ id }) => id))));
  assert.ok(answers.every((contents) => contents.length === files.length));
  assert.ok(server.requests.length <= 8, `${server.requests.length} requests`);
  await own.close();
});

test('packing after many fetches disturbs nobody', async () => {
  const own = openGitHouse({ limits: { fetchesPerPack: 2 } });
  const repository = own.git.repository({ url, scope: 'pack' });
  for (let round = 0; round < 4; round += 1) {
    const commit = source.commit({ 'p.yaml': `round: ${round}\n` });
    const reads = repository.files(commit, '').then((files) => repository.read(files.map(({ id }) => id)));
    await Promise.all([repository.fetch(), reads]);
    assert.equal((await repository.resolve('main')).commit, commit);
  }
  await own.close();
});
