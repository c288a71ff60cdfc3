import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openGitHouse } from '../../test/support/git-house.ts';
import { createTestRepository } from '../../test/support/git-repository.ts';

const house = openGitHouse();
const source = createTestRepository({
  'apps/one/a.yaml': 'kind: A\n',
  'apps/two/b.yaml': 'kind: B\n',
  'apps/two/deep/c.yaml': 'kind: C\n',
  'link.yaml': { link: 'apps/one/a.yaml' },
  'run.sh': { script: '#!/bin/sh\n' },
});
const first = source.git('rev-parse', 'HEAD');
source.git('tag', 'v1.0.0');
source.git('tag', '-a', 'v1.1.0', '-m', 'annotated');
const second = source.commit(
  { 'apps/one/a.yaml': 'kind: A2\n', 'apps/two/b.yaml': null },
  'second commit\n\nwith a body',
);
source.git('branch', 'release/1.x', first);
const repository = house.git.repository({ url: source.url, scope: 'test' });
after(async () => {
  await house.close();
  source.remove();
});

const revisions: [revision: string, commit: string, kind: string][] = [
  ['main', second, 'branch'],
  ['refs/heads/main', second, 'branch'],
  ['HEAD', second, 'head'],
  ['', second, 'head'],
  ['release/1.x', first, 'branch'],
  ['v1.0.0', first, 'tag'],
  ['refs/tags/v1.1.0', first, 'tag'],
  ['v1.1.0', first, 'tag'],
  ['>=1.0.0 <2', first, 'version'],
  ['1.*', first, 'version'],
  [second, second, 'commit'],
  [second.slice(0, 8), second, 'commit'],
];
for (const [revision, commit, kind] of revisions)
  test(`resolves ${JSON.stringify(revision)} as a ${kind}`, async () => {
    const found = await repository.resolve(revision);
    assert.deepEqual([found.commit, found.kind], [commit, kind]);
  });

test('answers an unknown revision with a coded error', async () => {
  for (const revision of ['nope', 'feature/x', '0123456789', '9.9.9', '>=9', '0'.repeat(40)])
    await assert.rejects(repository.resolve(revision), { code: 'git-revision' });
});

test('knows the tree ids of paths as git does', async () => {
  const expected = source.git('rev-parse', `${second}:apps/two`);
  assert.equal(await repository.treeId(second, 'apps/two'), expected);
  assert.equal(await repository.treeId(second, './apps//two/'), expected);
  assert.equal(await repository.treeId(second, '.'), source.git('rev-parse', `${second}^{tree}`));
  assert.equal(await repository.treeId(second, 'apps/none'), undefined);
  assert.equal(await repository.treeId(second, 'apps/one/a.yaml/x'), undefined);
  const many = await repository.treeIds(second, ['apps/one', 'apps/two/deep', 'nothing']);
  assert.deepEqual(
    many.map((item) => item?.id),
    [source.git('rev-parse', `${second}:apps/one`), source.git('rev-parse', `${second}:apps/two/deep`), undefined],
  );
});

test('lists files and reads them', async () => {
  const files = await repository.files(second, '');
  assert.deepEqual(
    files.map(({ path, kind }) => [path, kind]),
    [
      ['apps/one/a.yaml', 'file'],
      ['apps/two/deep/c.yaml', 'file'],
      ['link.yaml', 'link'],
      ['run.sh', 'executable'],
    ],
  );
  const contents = await repository.read(files.map(({ id }) => id));
  assert.deepEqual(
    contents.map((content) => content.toString()),
    ['kind: A2\n', 'kind: C\n', 'apps/one/a.yaml', '#!/bin/sh\n'],
  );
  await assert.rejects(repository.files(second, 'link.yaml'), { code: 'git-revision' });
});

test('names what changed between two commits as git does', async () => {
  const changes = await repository.changed(first, second);
  assert.deepEqual(
    changes.map(({ path }) => path),
    source.git('diff', '--name-only', '--no-renames', first, second).split('\n'),
  );
  assert.deepEqual(await repository.changed(second, second), []);
});

test('describes a commit', async () => {
  const info = await repository.commitInfo(first);
  assert.deepEqual([info.author.name, info.author.email, info.message], ['Author', 'author@example.com', 'first']);
  assert.deepEqual([...info.tags].sort(), ['v1.0.0', 'v1.1.0']);
  assert.equal(info.tree, source.git('rev-parse', `${first}^{tree}`));
  assert.equal(Date.parse(info.author.date), Number(source.git('log', '-1', '--format=%at', first)) * 1000);
  assert.equal((await repository.commitInfo(second)).message, 'second commit\n\nwith a body');
});

test('sees a push after a fetch, and says whether anything moved', async () => {
  assert.deepEqual(await repository.fetch(), { changed: false });
  const third = source.commit({ 'apps/one/a.yaml': 'kind: A3\n' });
  assert.deepEqual(await repository.fetch(), { changed: true });
  assert.equal((await repository.resolve('main')).commit, third);
});
