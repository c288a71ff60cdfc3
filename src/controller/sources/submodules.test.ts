import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openGitHouse } from '../../../test/support/git-house.ts';
import { createTestRepository, type TestRepository } from '../../../test/support/git-repository.ts';
import { configMap, openRenderHouse } from '../../../test/support/render-house.ts';
import { readParams, readSettings, type Snapshot } from '../../core/api/index.ts';
import { followGit } from './followed.ts';
import { modulesOf } from './permitted-modules.ts';

const bottom = createTestRepository({ 'deep.yaml': configMap('deep') });
const inner = createTestRepository({
  'inner.yaml': configMap('inner'),
  'base/kustomization.yaml': 'resources: [x.yaml]\n',
  'base/x.yaml': configMap('based'),
});
const outer = createTestRepository({
  'app/own.yaml': configMap('own'),
  'overlay/kustomization.yaml': 'resources: [../app/lib/base]\nnamePrefix: my-\n',
});
put(inner, 'more', bottom);
put(outer, 'app/lib', inner);
const house = openGitHouse();
const rendering = openRenderHouse();
after(async () => {
  await rendering.close();
  await house.close();
  for (const each of [bottom, inner, outer]) each.remove();
});

/** Makes one repository a submodule of another. */
function put(into: TestRepository, path: string, module: TestRepository): void {
  // A command in it is never looked at.
  into.commit({ '.gitmodules': `[submodule "x"]\n\tpath = ${path}\n\turl = ${module.url}\n\tupdate = !false\n` });
  into.git('update-index', '--add', '--cacheinfo', `160000,${module.git('rev-parse', 'HEAD')},${path}`);
  into.git('commit', '--quiet', '-m', `submodule ${path}`);
}

/** As the platform is set up: which repositories the project permits, and whether submodules are on. */
function snapshotOf(sourceRepos: readonly string[], setting = 'true'): Snapshot {
  return {
    revision: 1,
    settings: readSettings(new Map()).value,
    params: readParams(new Map([['reposerver.enable.git.submodule', setting]])).value,
    repositories: [],
    clusters: [],
    appNamespaces: [],
    controlPlane: 'argocd',
    brokenProjects: new Map(),
    projects: new Map([['team', { metadata: { name: 'team' }, spec: { sourceRepos } }]]),
  } as unknown as Snapshot; // what sources do not read is left out
}

const follow = (snapshot: Snapshot) =>
  followGit(house.git.repository({ url: outer.url, scope: 'team' }), async () => undefined, {
    modules: modulesOf({ git: house.git, snapshot: () => snapshot }, 'team', false),
  });

async function namesIn(path: string, snapshot: Snapshot, recurse = true): Promise<unknown[]> {
  const followed = follow(snapshot);
  const tree = await followed.tree((await followed.resolve('HEAD', undefined)).commit);
  const directory = path === 'app' ? { directory: { recurse, exclude: '**/base/*' } } : {};
  const { objects } = await rendering.render({ tree, source: { path, ...directory } });
  return objects.map(({ object }) => String(object.metadata.name)).sort((a, b) => a.localeCompare(b));
}

const all = [outer.url, inner.url, bottom.url];

test('submodules stay empty unless the platform turns them on', async () => {
  assert.deepEqual(await namesIn('app', snapshotOf(all, 'false')), ['own']);
  assert.deepEqual(await namesIn('app', snapshotOf(all, '')), ['own']);
});

test('manifests in submodules are read where they are mounted, to the bottom', async () => {
  assert.deepEqual(await namesIn('app', snapshotOf(all)), ['deep', 'inner', 'own']);
});

test('a tool finds a submodule in its place', async () => {
  assert.deepEqual(await namesIn('overlay', snapshotOf(all)), ['my-based']);
});

test('a submodule whose repository the project does not permit is refused, naming its place', async () => {
  await assert.rejects(namesIn('app', snapshotOf([outer.url, bottom.url])), {
    code: 'render-refused',
    message: /^submodule "app\/lib": the project does not permit its repository/,
  });
  await assert.rejects(namesIn('app', snapshotOf([outer.url, inner.url])), { code: 'render-refused' });
  // It is no way around a refusal for somebody who read it before.
  assert.deepEqual(await namesIn('app', snapshotOf(all)), ['deep', 'inner', 'own']);
  await assert.rejects(namesIn('app', snapshotOf([outer.url, bottom.url])), { code: 'render-refused' });
});

test('what is in a submodule, and what is permitted, is part of what a rendering depends on', async () => {
  const ids = async (snapshot: Snapshot, paths: readonly string[]): Promise<unknown[]> => {
    const followed = follow(snapshot);
    return [...(await followed.treeIds((await followed.resolve('HEAD', undefined)).commit, paths))];
  };
  const [lib, x, nothing] = await ids(snapshotOf(all), ['app/lib', 'app/lib/base/x.yaml', 'app/lib/nothing']);
  assert.ok(lib !== undefined && x !== undefined && nothing === undefined);
  assert.deepEqual(await ids(snapshotOf(all), ['app/lib']), [lib]);
  assert.notDeepEqual(await ids(snapshotOf([...all, 'https://other.example.com/x']), ['app/lib']), [lib]);
});
