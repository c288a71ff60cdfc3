import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { configMap, type Files, openRenderHouse, treeOf, type Wanted } from '../../../test/support/render-house.ts';

const house = openRenderHouse();
after(() => house.close());

const chart: Files = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n',
  'chart/templates/x.yaml': configMap('x', 'a: {{ .Values.a | quote }}'),
  'shared/v.yaml': 'a: 1\n',
};
const kustomization: Files = {
  'app/kustomization.yaml': 'resources: [../base]\n',
  'base/kustomization.yaml': 'resources: [x.yaml]\n',
  'base/x.yaml': configMap('x'),
};

async function renders(...wanted: readonly Wanted[]): Promise<number> {
  const before = house.renderer.stats().renders;
  for (const each of wanted) await house.render(each);
  return house.renderer.stats().renders - before;
}

test('a commit elsewhere renders nothing, whatever the tool, and is told by its own revision', async () => {
  for (const [files, source] of [
    [{ 'plain/x.yaml': configMap('x') }, { path: 'plain' }],
    [kustomization, { path: 'app' }],
    [chart, { path: 'chart', helm: { valueFiles: ['/shared/v.yaml'] } }],
  ] as const) {
    assert.equal(await renders({ files, source }), 1);
    const elsewhere = { ...files, 'other/file.yaml': configMap('z') };
    assert.equal(await renders({ files: elsewhere, source }), 0);
    const made = await house.render({ tree: treeOf(elsewhere, 'newer'), source });
    assert.equal(made.revision, 'newer');
    assert.ok(made.reads !== undefined && !made.reads.includes(''));
  }
});

test('a change of anything that was read renders anew', async () => {
  const linked: Files = { 'app/x.yaml': { link: '../one' }, one: { link: 'two/x.yaml' }, 'two/x.yaml': configMap('x') };
  const values = { path: 'chart', helm: { valueFiles: ['/shared/v.yaml'] } };
  const missing = { path: 'chart', helm: { valueFiles: ['/shared/none.yaml'], ignoreMissingValueFiles: true } };
  for (const [files, source, change] of [
    [kustomization, { path: 'app' }, { 'base/x.yaml': configMap('y2') }],
    [kustomization, { path: 'app' }, { 'app/.argocd-source.yaml': 'kustomize: {namePrefix: a-}\n' }],
    [chart, values, { 'shared/v.yaml': 'a: 2\n' }],
    [chart, missing, { 'shared/none.yaml': 'a: 3\n' }],
    [linked, { path: 'app' }, { 'two/x.yaml': configMap('y2') }],
    [linked, { path: 'app' }, { one: { link: 'three' }, three: configMap('z') }],
  ] as const) {
    await house.render({ files, source });
    assert.equal(await renders({ files: { ...files, ...change } as Files, source }), 1, JSON.stringify(change));
  }
});

test('AC-54: every input of a render is part of its key', async () => {
  const capable = { ...chart, 'chart/templates/y.yaml': configMap('v', 'v: "{{ .Capabilities.KubeVersion }}"') };
  const plain: Wanted = { files: capable, source: { path: 'chart' }, refs: { r: { 'v.yaml': 'a: 1\n' } } };
  await house.render(plain);
  assert.equal(await renders(plain), 0);
  const changes: readonly Partial<Wanted>[] = [
    { scope: 'team-b' },
    { context: { appName: 'team-b_shop' } },
    { context: { namespace: 'blue' } },
    { context: { project: 'team-b' } },
    { context: { kubeVersion: 'v1.30.0' } },
    { context: { apiVersions: ['x/v1'] } },
    { source: { path: 'chart', helm: { parameters: [{ name: 'a', value: '9' }] } } },
    { source: { path: 'chart', helm: { valueFiles: ['$r/v.yaml'] } } },
    { source: { path: 'chart', helm: { valueFiles: ['$r/v.yaml'] } }, refs: { r: { 'v.yaml': 'a: 2\n' } } },
    { fresh: true },
  ];
  for (const change of changes) assert.equal(await renders({ ...plain, ...change }), 1, JSON.stringify(change));
  house.set({ helm: { enabled: true, valuesFileSchemes: ['https'] } });
  assert.equal(await renders(plain), 1);
  house.set({});
});

test('the kinds of the cluster count only where the chart asks for them', async () => {
  const source = { path: 'chart' };
  await house.render({ files: chart, source });
  assert.equal(
    await renders({ files: chart, source, context: { apiVersions: ['new/v1'], kubeVersion: 'v1.99.0' } }),
    0,
  );
});

test('the revision counts only where somebody asks for it', async () => {
  const tree = (revision: string) => treeOf(chart, revision);
  const source = { path: 'chart', helm: { parameters: [{ name: 'a', value: '$ARGOCD_APP_REVISION' }] } };
  await house.render({ tree: tree('one'), source });
  assert.equal(await renders({ tree: tree('two'), source }), 1);
  const plain = { path: 'chart', helm: { parameters: [{ name: 'a', value: '$ARGOCD_APP_NAME' }] } };
  await house.render({ tree: tree('one'), source: plain });
  assert.equal(await renders({ tree: tree('two'), source: plain }), 0);
});

test('renders of the same thing at once are one', async () => {
  const wanted = { files: chart, source: { path: 'chart', helm: { releaseName: 'once' } } };
  const before = house.renderer.stats().renders;
  const made = await Promise.all(Array.from({ length: 10 }, () => house.render(wanted)));
  assert.equal(house.renderer.stats().renders - before, 1);
  assert.equal(new Set(made.map(({ objects }) => objects)).size, 1);
});

test('reading another source is told by its ref', async () => {
  const source = { path: 'chart', helm: { valueFiles: ['$r/envs/v.yaml'] } };
  const { refReads } = await house.render({
    files: chart,
    source,
    refs: { r: { 'envs/v.yaml': 'a: 1\n', other: '' } },
  });
  assert.deepEqual([...(refReads ?? [])], [['r', ['envs/v.yaml']]]);
});
