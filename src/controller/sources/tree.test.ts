import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { after, test } from 'node:test';
import { openGitHouse } from '../../../test/support/git-house.ts';
import { createTestRepository } from '../../../test/support/git-repository.ts';
import { startGitServer } from '../../../test/support/git-server.ts';
import { configMap, openRenderHouse } from '../../../test/support/render-house.ts';
import { followGit } from './followed.ts';

const content = Buffer.from(configMap('large'));
const id = createHash('sha256').update(content).digest('hex');
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${id}\nsize ${content.length}\n`;
const source = createTestRepository({
  'app/x.yaml': pointer,
  'app/y.yaml': configMap('small'),
  'base/kustomization.yaml': 'resources: [x.yaml]\n',
  'base/x.yaml': pointer,
});
const server = await startGitServer(dirname(source.directory));
const house = openGitHouse();
const rendering = openRenderHouse();
server.large.set(id, content);
after(async () => {
  await rendering.close();
  await house.close();
  await server.close();
  source.remove();
});

const names = async (path: string, lfs: boolean): Promise<(string | undefined)[]> => {
  const repository = house.git.repository({ url: server.url(basename(source.directory)), scope: 'lfs' });
  const followed = followGit(repository, async () => undefined, { lfs });
  const { commit } = await followed.resolve('HEAD', undefined);
  const tree = await followed.tree(commit);
  const { objects } = await rendering.render({ tree, source: { path } });
  return objects.map(({ object }) => object.metadata.name);
};

test('a repository whose Secret says so is rendered with its large files, before and after it is without', async () => {
  assert.deepEqual(await names('app', false), ['small']);
  assert.deepEqual(await names('app', true), ['large', 'small']);
  assert.deepEqual(await names('base', true), ['large']);
  assert.deepEqual(await names('app', false), ['small']);
});

test('whether large files are read is part of what a rendering depends on', async () => {
  const repository = house.git.repository({ url: server.url(basename(source.directory)), scope: 'lfs' });
  const ids = async (lfs: boolean): Promise<unknown> => {
    const followed = followGit(repository, async () => undefined, { lfs });
    return followed.treeIds((await followed.resolve('HEAD', undefined)).commit, ['app', 'nothing']);
  };
  assert.notDeepEqual(await ids(true), await ids(false));
});
