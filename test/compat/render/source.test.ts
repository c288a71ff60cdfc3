import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { configMap, context, type Files, openRenderHouse, treeOf } from '../../support/render-house.ts';

const house = openRenderHouse();
after(() => house.close());

const chart: Files = {
  'app/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n',
  'app/templates/x.yaml': configMap('fromChart'),
};
const kustomization: Files = {
  'app/kustomization.yaml': 'resources: [x.yaml]\nnamePrefix: k-\n',
  'app/x.yaml': configMap('x'),
};

const detection: readonly (readonly [string, Files, string])[] = [
  ['a Chart.yaml means Helm', chart, 'Helm'],
  ['a kustomization means Kustomize', kustomization, 'Kustomize'],
  ['both mean Kustomize (132)', { ...chart, ...kustomization }, 'Kustomize'],
  ['a Chart.yaml deeper down means nothing', { 'app/sub/Chart.yaml': '', 'app/x.yaml': configMap('x') }, 'Directory'],
];
for (const [title, files, expected] of detection)
  test(`source: ${title}`, async () =>
    assert.equal((await house.render({ files, source: { path: 'app' } })).sourceType, expected));

test('source: options of a tool choose it, whatever the files say', async () => {
  const made = await house.render({
    files: { ...chart, ...kustomization },
    source: { path: 'app', helm: { releaseName: 'r' } },
  });
  assert.equal(made.sourceType, 'Helm');
});

test('source: empty options say nothing', async () => {
  const made = await house.render({
    files: kustomization,
    source: { path: 'app', helm: {}, directory: { recurse: false } },
  });
  assert.equal(made.sourceType, 'Kustomize');
});

test('source: options of two tools are an error that names them', async () => {
  const source = { path: 'app', helm: { releaseName: 'r' }, kustomize: { namePrefix: 'x' } };
  await assert.rejects(house.render({ files: chart, source }), /helm and kustomize/);
});

test('source: .argocd-source.yaml and the file of the Application are merged into it, in this order', async () => {
  const files = {
    ...kustomization,
    'app/.argocd-source.yaml': 'kustomize: {namePrefix: all-, nameSuffix: -all}\n',
    'app/.argocd-source-team-a_shop.yaml':
      'kustomize: {namePrefix: mine-}\npath: elsewhere\nrepoURL: https://evil.example.com\n',
    'app/.argocd-source-other.yaml': 'kustomize: {namePrefix: other-}\n',
  };
  const [made] = (await house.render({ files, source: { path: 'app' } })).objects;
  assert.equal(made?.object.metadata?.name, 'mine-x-all');
});

test('source: an override that cannot be read names its file', async () => {
  const files = { ...kustomization, 'app/.argocd-source.yaml': 'kustomize: [\n' };
  await assert.rejects(house.render({ files, source: { path: 'app' } }), /app\/\.argocd-source\.yaml:\d/);
});

test('source: one that is only referred to makes nothing', async () => {
  const made = await house.render({ files: chart, source: { ref: 'values' } });
  assert.deepEqual([made.objects, made.sourceType], [[], '']);
});

test('source: a path that does not exist, or is a file, is an error', async () => {
  await assert.rejects(house.render({ files: chart, source: { path: 'none' } }), { code: 'render-failed' });
  await assert.rejects(house.render({ files: chart, source: { path: 'app/Chart.yaml' } }), { code: 'render-refused' });
});

const plugins = [
  { name: 'shout', generate: ['sh', '-c', 'cat x.txt; env | sort | sed "s/^/# /"'], discover: { fileName: '*.shout' } },
  {
    name: 'named',
    init: ['sh', '-c', 'echo made > made.txt'],
    generate: [
      'sh',
      '-c',
      'printf "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: $(cat made.txt)}\\ndata: {env: \\"$ARGOCD_ENV_COLOR $PARAM_ONE $PARAM_LIST_1 $PARAM_MAP_A_B $KUBE_VERSION $ARGOCD_APP_NAME\\"}\\n"',
    ],
  },
  { name: 'silent', generate: ['true'] },
  { name: 'wrong', generate: ['sh', '-c', 'echo no such luck >&2; exit 3'] },
  { name: 'globbed', generate: ['cat', 'deep/er/m.yaml'], discover: { glob: '**/m.yaml' } },
  { name: 'asked', generate: ['cat', 'ask.yaml'], discover: { command: ['sh', '-c', 'ls | grep ask.yaml'] } },
];

test('plugin: an unnamed one is found by a file, by a glob, or by a command that prints something', async () => {
  house.set({ plugins });
  for (const [files, expected] of [
    [{ 'app/a.shout': '', 'app/x.txt': configMap('shouted') }, 'shouted'],
    [{ 'app/deep/er/m.yaml': configMap('globbed') }, 'globbed'],
    [{ 'app/ask.yaml': configMap('asked') }, 'asked'],
  ] as const) {
    const made = await house.render({ files, source: { path: 'app' } });
    assert.deepEqual([made.sourceType, made.objects[0]?.object.metadata?.name], ['Plugin', expected]);
  }
});

test('plugin: init and generate run in the directory with the environment of the build', async () => {
  house.set({ plugins });
  const plugin = {
    name: 'named',
    env: [{ name: 'COLOR', value: 'red-$ARGOCD_APP_PROJECT_NAME' }],
    parameters: [
      { name: 'one', string: '1' },
      { name: 'list', array: ['a', 'b'] },
      { name: 'map', map: { 'a.b': 'c' } },
    ],
  };
  const [made] = (await house.render({ files: { 'app/x': '' }, source: { path: 'app', plugin } })).objects;
  assert.equal(JSON.stringify(made?.object).includes('"env":"red-team-a 1 b c v1.36.3 team-a_shop"'), true);
  assert.equal(made?.object.metadata?.name, 'made');
});

test('plugin: nothing printed means no objects (135)', async () => {
  house.set({ plugins });
  const made = await house.render({ files: { 'app/x': '' }, source: { path: 'app', plugin: { name: 'silent' } } });
  assert.deepEqual(made.objects, []);
});

test('plugin: one that fails is an error in its own words; one that is not declared is named', async () => {
  house.set({ plugins });
  const files = { 'app/x': '' };
  await assert.rejects(house.render({ files, source: { path: 'app', plugin: { name: 'wrong' } } }), /no such luck/);
  await assert.rejects(house.render({ files, source: { path: 'app', plugin: { name: 'none' } } }), /no plugin none/);
  await assert.rejects(house.render({ files, source: { path: 'app', plugin: {} } }), /no plugin knows/);
  house.set({});
});

test('three failures of the same content are told again without a render, until the content changes (134)', async () => {
  const source = { path: 'app' };
  const wanted = {
    files: { 'app/x.yaml': 'apiVersion: v1\nkind: {\nmetadata: 1\n' },
    source,
    context: { ...context, appName: 'bad' },
  };
  for (let i = 0; i < 3; i += 1) await assert.rejects(house.render(wanted), /^ArgosyError: app\/x\.yaml/);
  const { renders } = house.renderer.stats();
  await assert.rejects(house.render(wanted), /^ArgosyError: Manifest generation error \(cached\): app\/x\.yaml/);
  assert.equal(house.renderer.stats().renders, renders);
  await assert.rejects(house.render({ ...wanted, fresh: true }), /^ArgosyError: app\/x\.yaml/);
  const { objects } = await house.render({ ...wanted, tree: treeOf({ 'app/x.yaml': configMap('x') }, 'fedcba9876') });
  assert.equal(objects.length, 1);
});

test('an override of a wrong shape is told with its file and field, and is nobody else’s fault', async () => {
  for (const [text, told] of [
    ['helm: {parameters: 5}', /app\/\.argocd-source\.yaml: .*helm\.parameters/],
    ['helm: {valueFiles: [{a: 1}]}', /helm\.valueFiles/],
    ['helm: {parameters: [null]}', /helm\.parameters/],
    ['directory: {include: 5}', /directory\.include/],
    ['kustomize: {images: {a: b}}', /kustomize\.images/],
    ['kustomize: 1', /kustomize/],
    ['plugin: {env: 3}', /plugin\.env/],
    ['helm: {releaseName: 5}', /helm\.releaseName/],
  ] as const) {
    const files = { 'app/x.yaml': configMap('x'), 'app/.argocd-source.yaml': `${text}\n` };
    await assert.rejects(house.render({ files, source: { path: 'app' } }), { code: 'render-failed', message: told });
  }
});
