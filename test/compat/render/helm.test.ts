import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { HelmSource } from '../../../src/core/api/index.ts';
import { configMap, type Files, openRenderHouse } from '../../support/render-house.ts';

const house = openRenderHouse();
after(() => house.close());

const chart: Files = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.2.3\nappVersion: "7"\n',
  'chart/values.yaml': 'color: red\nsize: 1\nnested: {a: 1, b: 2}\nlist: [x]\n',
  'chart/templates/values.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-values
  namespace: {{ .Release.Namespace }}
  labels: {chart: {{ .Chart.Name }}-{{ .Chart.Version }}, install: "{{ .Release.IsInstall }}", revision: "{{ .Release.Revision }}"}
data:
  values: {{ .Values | toJson | quote }}
`,
  'chart/templates/tests/probe.yaml':
    'apiVersion: v1\nkind: Pod\nmetadata:\n  name: probe\n  annotations: {"helm.sh/hook": test}\nspec: {containers: [{name: a, image: b}]}\n',
  'chart/crds/crd.yaml':
    'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.example.com}\nspec: {group: example.com}\n',
  'chart/eu.yaml': 'color: blue\n',
  'chart/values/a.yaml': 'a: 1\nlast: a\n',
  'chart/values/b.yaml': 'b: 1\nlast: b\n',
  'chart/values/c.yaml': 'c: 1\nlast: c\n',
  'chart/values/deep/d.yaml': 'd: 1\nlast: d\n',
  'shared/common.yaml': 'shared: true\nsize: 5\n',
  'chart/text.txt': 'a text, with a comma\n',
};
const always = [
  '--kube-version=1.36.3',
  '--api-versions=apps/v1',
  '--api-versions=apps/v1/Deployment',
  '--api-versions=v1',
  '--api-versions=v1/ConfigMap',
];
const plain = ['--name-template=shop', '--namespace=shop', '--include-crds'];

/** Fields of the Application, and what a person would say to the real tool. */
const fields: readonly (readonly [string, HelmSource, readonly string[]])[] = [
  ['no options', {}, plain],
  ['releaseName', { releaseName: 'other' }, ['--name-template=other', '--namespace=shop', '--include-crds']],
  ['namespace', { namespace: 'blue' }, ['--name-template=shop', '--namespace=blue', '--include-crds']],
  ['parameters', { parameters: [{ name: 'color', value: 'green' }] }, [...plain, '--set=color=green']],
  ['parameters that are numbers', { parameters: [{ name: 'size', value: '42' }] }, [...plain, '--set=size=42']],
  [
    'parameters by force a text',
    { parameters: [{ name: 'size', value: '42', forceString: true }] },
    [...plain, '--set-string=size=42'],
  ],
  ['parameters with a comma', { parameters: [{ name: 'color', value: 'a,b' }] }, [...plain, '--set=color=a\\,b']],
  [
    'parameters with an escaped comma',
    { parameters: [{ name: 'color', value: 'a\\,b' }] },
    [...plain, '--set=color=a\\,b'],
  ],
  ['parameters that are lists', { parameters: [{ name: 'list', value: '{a,b}' }] }, [...plain, '--set=list={a,b}']],
  [
    'parameters deep down',
    {
      parameters: [
        { name: 'nested.a', value: '9' },
        { name: 'list[1]', value: 'y' },
      ],
    },
    [...plain, '--set=nested.a=9', '--set=list[1]=y'],
  ],
  [
    'parameters with variables',
    { parameters: [{ name: 'color', value: '$ARGOCD_APP_PROJECT_NAME' }] },
    [...plain, '--set=color=team-a'],
  ],
  ['values', { values: 'color: pink\n' }, [...plain, '--set=color=pink']],
  ['values are not substituted', { values: 'color: $ARGOCD_APP_NAME\n' }, [...plain, '--set=color=$ARGOCD_APP_NAME']],
  [
    'valuesObject wins over values',
    { values: 'size: 3\n', valuesObject: { color: 'grey' } },
    [...plain, '--set=color=grey'],
  ],
  [
    'parameters win over values',
    { values: 'color: pink\n', parameters: [{ name: 'color', value: 'black' }] },
    [...plain, '--set=color=black'],
  ],
  ['valueFiles', { valueFiles: ['eu.yaml'] }, [...plain, '--values=eu.yaml']],
  ['valueFiles from the root', { valueFiles: ['/shared/common.yaml'] }, [...plain, '--values=../shared/common.yaml']],
  [
    'valueFiles beside the chart',
    { valueFiles: ['../shared/common.yaml'] },
    [...plain, '--values=../shared/common.yaml'],
  ],
  [
    'valueFiles in their order',
    { valueFiles: ['values/b.yaml', 'values/a.yaml'] },
    [...plain, '--values=values/b.yaml', '--values=values/a.yaml'],
  ],
  [
    'valueFiles with variables',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the variable is the renderer's
    { valueFiles: ['${ARGOCD_APP_SOURCE_PATH}/../eu.yaml'] },
    [...plain, '--values=eu.yaml'],
  ],
  [
    'values win over valueFiles',
    { valueFiles: ['eu.yaml'], values: 'color: own\n' },
    [...plain, '--values=eu.yaml', '--set=color=own'],
  ],
  [
    'valueFiles by a glob',
    { valueFiles: ['values/*.yaml'] },
    [...plain, ...['a', 'b', 'c'].map((name) => `--values=values/${name}.yaml`)],
  ],
  [
    'valueFiles by a deep glob',
    { valueFiles: ['values/**/*.yaml'] },
    [...plain, ...['a', 'b', 'c', 'deep/d'].map((name) => `--values=values/${name}.yaml`)],
  ],
  [
    'valueFiles by a glob and by name: the name decides (130)',
    { valueFiles: ['values/*.yaml', 'values/a.yaml'] },
    [...plain, ...['b', 'c', 'a'].map((name) => `--values=values/${name}.yaml`)],
  ],
  [
    'valueFiles by two globs count once',
    { valueFiles: ['values/[ab].yaml', 'values/?.yaml'] },
    [...plain, ...['a', 'b', 'c'].map((name) => `--values=values/${name}.yaml`)],
  ],
  [
    'missing valueFiles where that is permitted (131)',
    { valueFiles: ['none.yaml', 'eu.yaml'], ignoreMissingValueFiles: true },
    [...plain, '--values=eu.yaml'],
  ],
  ['fileParameters', { fileParameters: [{ name: 'text', path: 'text.txt' }] }, [...plain, '--set-file=text=text.txt']],
  ['skipCrds', { skipCrds: true }, ['--name-template=shop', '--namespace=shop']],
  ['skipTests', { skipTests: true }, [...plain, '--skip-tests']],
  ['version v3', { version: 'v3' }, plain],
];

for (const [title, helm, flags] of fields) {
  test(`helm: ${title}`, async () => {
    const files = { ...chart, 'eu.yaml': 'color: outside\n' };
    const source = { path: 'chart', helm };
    const made = await house.objects({ files, source });
    assert.deepEqual(made, await house.beside(files, 'chart', ['helm', 'template', '.', ...always, ...flags]));
  });
}

test('helm: kubeVersion and apiVersions of the Application replace those of the cluster', async () => {
  const files = {
    ...chart,
    'chart/templates/api.yaml': configMap(
      'api',
      'v: "{{ .Capabilities.KubeVersion }} {{ .Capabilities.APIVersions.Has "x/v1" }}"',
    ),
  };
  const flags = ['--kube-version=1.20.0', '--api-versions=x/v1', ...plain];
  const source = { path: 'chart', helm: { kubeVersion: '1.20.0', apiVersions: ['x/v1'] } };
  assert.deepEqual(
    await house.objects({ files, source }),
    await house.beside(files, 'chart', ['helm', 'template', '.', ...flags]),
  );
});

test('helm: the version of a cluster loses what its vendor adds', async () => {
  const files = { ...chart, 'chart/templates/v.yaml': configMap('v', 'v: "{{ .Capabilities.KubeVersion }}"') };
  const made = await house.render({
    files,
    source: { path: 'chart' },
    context: { kubeVersion: 'v1.30.2-gke.100+abc' },
  });
  const found = made.objects.find(({ object }) => object.metadata?.name === 'v')?.object;
  assert.match(JSON.stringify(found), /"v":"v?1\.30\.2"/);
});

test('helm: skipSchemaValidation lets values through that the schema refuses, where the tool knows it', async () => {
  const schema = JSON.stringify({ type: 'object', properties: { color: { type: 'number' } } });
  const files = { ...chart, 'chart/values.schema.json': schema };
  await assert.rejects(house.objects({ files, source: { path: 'chart' } }), /color/);
  const flags = [...always, ...plain, '--skip-schema-validation'];
  const both = await Promise.allSettled([
    house.objects({ files, source: { path: 'chart', helm: { skipSchemaValidation: true } } }),
    house.beside(files, 'chart', ['helm', 'template', '.', ...flags]),
  ]);
  assert.equal(both[0].status, both[1].status);
  if (both[0].status === 'fulfilled' && both[1].status === 'fulfilled') assert.deepEqual(both[0].value, both[1].value);
});

test('helm: values from another source by $ref, files and parameters alike', async () => {
  const refs = { values: { 'envs/prod.yaml': 'color: prod\n', 'envs/text.txt': 'hello' } };
  const helm = {
    valueFiles: ['$values/envs/prod.yaml'],
    fileParameters: [{ name: 'text', path: '$values/envs/text.txt' }],
  };
  const flags = [...always, ...plain, '--values=../envs/prod.yaml', '--set-file=text=../envs/text.txt'];
  assert.deepEqual(
    await house.objects({ files: chart, source: { path: 'chart', helm }, refs }),
    await house.beside({ ...chart, ...refs.values }, 'chart', ['helm', 'template', '.', ...flags]),
  );
});

test('helm: globs work in another source too', async () => {
  const refs = { values: { 'envs/1.yaml': 'color: one\n', 'envs/2.yaml': 'color: two\n' } };
  const source = { path: 'chart', helm: { valueFiles: ['$values/envs/*.yaml'] } };
  const flags = [...always, ...plain, '--values=../envs/1.yaml', '--values=../envs/2.yaml'];
  assert.deepEqual(
    await house.objects({ files: chart, source, refs }),
    await house.beside({ ...chart, ...refs.values }, 'chart', ['helm', 'template', '.', ...flags]),
  );
});

test('helm: an unknown ref names those that there are', async () => {
  const source = { path: 'chart', helm: { valueFiles: ['$other/x.yaml'] } };
  await assert.rejects(
    house.objects({ files: chart, source, refs: { values: {} } }),
    /no source with the ref other.*\$values/,
  );
});

test('helm: a missing value file is an error that says so', async () => {
  const wrong = house.objects({ files: chart, source: { path: 'chart', helm: { valueFiles: ['none.yaml'] } } });
  await assert.rejects(wrong, { code: 'render-failed', reason: 'NotFound' });
});

test('helm: an unknown version is an error', async () => {
  await assert.rejects(
    house.objects({ files: chart, source: { path: 'chart', helm: { version: 'v2' } } }),
    /Helm of version v2/,
  );
});

const parent = {
  'chart/Chart.yaml':
    'apiVersion: v2\nname: shop\nversion: 1.0.0\ndependencies:\n- {name: part, version: 0.1.0, repository: "file://../part"}\n',
  'chart/values.yaml': 'part: {a: fromParent}\n',
  'part/Chart.yaml': 'apiVersion: v2\nname: part\nversion: 0.1.0\n',
  'part/values.yaml': 'a: own\n',
  'part/templates/x.yaml': configMap('x', 'a: {{ .Values.a }}'),
};

test('helm: a dependency of the same repository is brought without the network', async () => {
  assert.deepEqual(
    await house.objects({ files: parent, source: { path: 'chart' } }),
    await house.beside(
      parent,
      'chart',
      ['helm', 'dependency', 'update', '.'],
      ['helm', 'template', '.', ...always, ...plain],
    ),
  );
});

test('helm: a dependency that is vendored is used', async () => {
  const vendored = Object.fromEntries(
    Object.entries(parent).map(([path, text]) => [path.replace(/^part\//, 'chart/charts/part/'), text]),
  );
  assert.deepEqual(
    await house.objects({ files: vendored, source: { path: 'chart' } }),
    await house.beside(vendored, 'chart', ['helm', 'template', '.', ...always, ...plain]),
  );
});

test('helm: a dependency from elsewhere is refused, with what to do', async () => {
  const text = parent['chart/Chart.yaml'].replace('file://../part', 'https://charts.example.com');
  const wrong = house.objects({ files: { ...parent, 'chart/Chart.yaml': text }, source: { path: 'chart' } });
  await assert.rejects(wrong, { code: 'render-refused', hint: /charts\// });
});

test('helm: hooks are left in the output, for the sync to map', async () => {
  const made = await house.render({ files: chart, source: { path: 'chart' } });
  assert.ok(made.objects.some(({ object }) => object.metadata?.annotations?.['helm.sh/hook'] === 'test'));
  assert.equal(made.sourceType, 'Helm');
});
