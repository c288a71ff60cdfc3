import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openGitHouse } from '../../test/support/git-house.ts';
import { createTestRepository } from '../../test/support/git-repository.ts';

const house = openGitHouse();
const source = createTestRepository({ 'apps/one/a.yaml': 'kind: A\n', 'with space/b: c.yaml': 'kind: B\n' });
const first = source.git('rev-parse', 'HEAD');
source.git('tag', '-a', 'v1', '-m', 'annotated');
source.commit({ 'apps/one/a.yaml': 'kind: A2\n' });
const repository = house.git.repository({ url: source.url, scope: 'test' });
await repository.fetch();
const later = source.commit({ 'apps/one/a.yaml': 'kind: A3\n' });
after(async () => {
  await house.close();
  source.remove();
});

test('ids at a commit from before are those of git, at files, folders and the root', async () => {
  const paths = ['apps/one', './apps//one/a.yaml', 'with space/b: c.yaml', '', 'nothing', 'apps/one/a.yaml/x'];
  const names = ['apps/one', 'apps/one/a.yaml', 'with space/b: c.yaml', ''];
  const expected = names.map((name) => source.git('rev-parse', `${first}:${name}`));
  assert.deepEqual(await repository.heldIds(first, paths), [...expected, undefined, undefined]);
  assert.deepEqual(await repository.heldIds(first, []), []);
});

const strangers: [what: string, name: string][] = [
  ['one that was never there', 'f'.repeat(40)],
  ['one that was not fetched yet', later],
  ['a tree', source.git('rev-parse', `${first}^{tree}`)],
  ['a tag', source.git('rev-parse', 'refs/tags/v1')],
  ['a branch', 'main'],
  ['a short one', first.slice(0, 12)],
  ['more than one', `${first}\n${first}`],
  ['nothing', ''],
  ['a long text', first.repeat(10_000)],
];
for (const [what, name] of strangers)
  test(`no commit, but ${what}, leads to nothing`, async () => {
    assert.equal(await repository.heldIds(name, ['apps/one']), undefined);
  });

test('a path that cannot be spoken in a line is not asked for', async () => {
  for (const path of ['apps/one\ninfo HEAD', 'apps/one\r', 'apps\u0000', 'apps\u0085'])
    assert.equal(await repository.heldIds(first, [path]), undefined);
  assert.equal((await repository.heldIds(first, ['apps/one']))?.length, 1);
});
