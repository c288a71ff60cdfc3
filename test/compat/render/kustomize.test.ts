import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { KustomizeSource } from '../../../src/core/api/index.ts';
import { configMap, deployment, type Files, openRenderHouse } from '../../support/render-house.ts';

const house = openRenderHouse();
after(() => house.close());

const base: Files = {
  'base/kustomization.yaml': 'resources: [web.yaml, settings.yaml]\n',
  'base/web.yaml': deployment('web'),
  'base/settings.yaml': configMap('settings'),
  'app/kustomization.yaml': 'resources: [../base]\n',
};
const build = ['kustomize', 'build', '.'] as const;

/** Fields of the Application, and the edits by which a person would say the same to the real tool. */
const fields: readonly (readonly [string, KustomizeSource, ...(readonly string[][])])[] = [
  ['no options', {}],
  ['namePrefix', { namePrefix: 'eu-' }, ['edit', 'set', 'nameprefix', 'eu-']],
  ['namePrefix that begins with a dash', { namePrefix: '-eu' }, ['edit', 'set', 'nameprefix', '--', '-eu']],
  ['nameSuffix', { nameSuffix: '-v2' }, ['edit', 'set', 'namesuffix', '--', '-v2']],
  ['images by tag', { images: ['nginx:1.27'] }, ['edit', 'set', 'image', 'nginx:1.27']],
  ['images by digest', { images: ['nginx@sha256:abc'] }, ['edit', 'set', 'image', 'nginx@sha256:abc']],
  ['images renamed', { images: ['nginx=mirror/nginx:2'] }, ['edit', 'set', 'image', 'nginx=mirror/nginx:2']],
  [
    'images with variables',
    { images: ['nginx:$ARGOCD_APP_REVISION_SHORT'] },
    ['edit', 'set', 'image', 'nginx:0123456'],
  ],
  ['replicas as a number', { replicas: [{ name: 'web', count: 3 }] }, ['edit', 'set', 'replicas', 'web=3']],
  ['replicas as a text', { replicas: [{ name: 'web', count: '4' }] }, ['edit', 'set', 'replicas', 'web=4']],
  ['commonLabels', { commonLabels: { team: 'a', tier: 'front' } }, ['edit', 'add', 'label', 'team:a', 'tier:front']],
  [
    'commonLabels with variables',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the variable is the renderer's
    { commonLabels: { app: '${ARGOCD_APP_NAME}' } },
    ['edit', 'add', 'label', 'app:team-a_shop'],
  ],
  ['commonAnnotations', { commonAnnotations: { note: 'x, y: z' } }, ['edit', 'add', 'annotation', 'note:x, y: z']],
  [
    'commonAnnotations are texts',
    { commonAnnotations: { note: '$ARGOCD_APP_NAME' } },
    ['edit', 'add', 'annotation', 'note:$ARGOCD_APP_NAME'],
  ],
  [
    'commonAnnotationsEnvsubst',
    { commonAnnotations: { note: '$ARGOCD_APP_NAME costs $$5' }, commonAnnotationsEnvsubst: true },
    ['edit', 'add', 'annotation', 'note:team-a_shop costs $5'],
  ],
  ['namespace', { namespace: 'blue' }, ['edit', 'set', 'namespace', 'blue']],
  [
    'everything at once',
    { namePrefix: 'a-', nameSuffix: '-z', images: ['nginx:3'], commonLabels: { k: 'v' }, namespace: 'n' },
    ['edit', 'set', 'nameprefix', 'a-'],
    ['edit', 'set', 'namesuffix', '--', '-z'],
    ['edit', 'set', 'image', 'nginx:3'],
    ['edit', 'add', 'label', 'k:v'],
    ['edit', 'set', 'namespace', 'n'],
  ],
];

for (const [title, kustomize, ...edits] of fields) {
  test(`kustomize: ${title}`, async () => {
    const made = await house.objects({ files: base, source: { path: 'app', kustomize } });
    const edited = edits.map((words) => ['kustomize', ...words] as const);
    assert.deepEqual(made, await house.beside(base, 'app', ...edited, build));
  });
}

/** Trees whose kustomization says it all. */
const trees: readonly (readonly [string, Files])[] = [
  ['kustomization.yml', { 'app/kustomization.yml': 'resources: [a.yaml]\n', 'app/a.yaml': configMap('a') }],
  ['Kustomization', { 'app/Kustomization': 'resources: [a.yaml]\n', 'app/a.yaml': configMap('a') }],
  [
    'generators of ConfigMaps and Secrets',
    {
      'app/kustomization.yaml':
        'configMapGenerator:\n- name: c\n  files: [key=f.txt, g.txt]\n  envs: [e.env]\n  literals: [x=y]\nsecretGenerator:\n- name: s\n  literals: [p=q]\n',
      'app/f.txt': 'text\n',
      'app/g.txt': 'more',
      'app/e.env': 'A=1\nB=2\n',
    },
  ],
  [
    'patches by file and inline',
    {
      ...base,
      'app/kustomization.yaml':
        'resources: [../base]\npatches:\n- path: p.yaml\n- target: {kind: ConfigMap}\n  patch: |-\n    - op: add\n      path: /data/z\n      value: "on"\n',
      'app/p.yaml': 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 7}\n',
    },
  ],
  [
    'old forms of patches',
    {
      ...base,
      'app/kustomization.yaml':
        'resources: [../base]\npatchesStrategicMerge:\n- p.yaml\npatchesJson6902:\n- target: {version: v1, kind: ConfigMap, name: settings}\n  path: j.yaml\n',
      'app/p.yaml': 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 5}\n',
      'app/j.yaml': '- op: replace\n  path: /data/a\n  value: "2"\n',
    },
  ],
  [
    'components',
    {
      ...base,
      'app/kustomization.yaml': 'resources: [../base]\ncomponents: [../extra]\n',
      'extra/kustomization.yaml':
        'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamePrefix: x-\nresources: [more.yaml]\n',
      'extra/more.yaml': configMap('more'),
    },
  ],
  [
    'transformers and generators in files',
    {
      ...base,
      'app/kustomization.yaml': 'resources: [../base]\ntransformers: [t.yaml]\ngenerators: [g.yaml]\n',
      'app/t.yaml':
        'apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: t}\nprefix: t-\nfieldSpecs:\n- path: metadata/name\n',
      'app/g.yaml': 'apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: made}\nfiles: [data.txt]\n',
      'app/data.txt': 'hello',
    },
  ],
  [
    'replacements',
    {
      ...base,
      'app/kustomization.yaml':
        'resources: [../base]\nreplacements:\n- source: {kind: ConfigMap, name: settings, fieldPath: data.a}\n  targets:\n  - select: {kind: Deployment}\n    fieldPaths: [metadata.annotations.a]\n    options: {create: true}\n',
    },
  ],
  [
    'bases over bases, one of them twice removed',
    {
      ...base,
      'middle/kustomization.yaml': 'resources: [../base]\nnameSuffix: -m\n',
      'app/kustomization.yaml': 'resources: [../middle, own.yaml]\n',
      'app/own.yaml': configMap('own'),
    },
  ],
  [
    'a base behind a link',
    { ...base, 'app/kustomization.yaml': 'resources: [linked]\n', 'app/linked': { link: '../base' } },
  ],
];

for (const [title, files] of trees) {
  test(`kustomize: ${title}`, async () => {
    assert.deepEqual(await house.objects({ files, source: { path: 'app' } }), await house.beside(files, 'app', build));
  });
}

test('kustomize: labels without selectors and with templates, where the tool knows them', async () => {
  const kustomize = { commonLabels: { a: 'b' }, labelWithoutSelector: true, labelIncludeTemplates: true };
  const edit = ['kustomize', 'edit', 'add', 'label', '--without-selector', '--include-templates', 'a:b'] as const;
  const [made, real] = await Promise.allSettled([
    house.objects({ files: base, source: { path: 'app', kustomize } }),
    house.beside(base, 'app', edit, build),
  ]);
  assert.equal(made.status, real.status);
  if (made.status === 'fulfilled' && real.status === 'fulfilled') assert.deepEqual(made.value, real.value);
});

test('kustomize: a label that is there already needs force', async () => {
  const files = { ...base, 'app/kustomization.yaml': 'resources: [../base]\ncommonLabels: {a: old}\n' };
  const labelled = (force: boolean) =>
    house.objects({
      files,
      source: { path: 'app', kustomize: { commonLabels: { a: 'new' }, forceCommonLabels: force } },
    });
  await assert.rejects(labelled(false), /label a already in kustomization file/);
  const real = await house.beside(files, 'app', ['kustomize', 'edit', 'add', 'label', '--force', 'a:new'], build);
  assert.deepEqual(await labelled(true), real);
});

test('kustomize: an annotation that is there already needs force', async () => {
  const files = { ...base, 'app/kustomization.yaml': 'resources: [../base]\ncommonAnnotations: {a: old}\n' };
  const annotated = (force: boolean) =>
    house.objects({
      files,
      source: { path: 'app', kustomize: { commonAnnotations: { a: 'new' }, forceCommonAnnotations: force } },
    });
  await assert.rejects(annotated(false), /annotation a already in kustomization file/);
  const real = await house.beside(files, 'app', ['kustomize', 'edit', 'add', 'annotation', '--force', 'a:new'], build);
  assert.deepEqual(await annotated(true), real);
});

test('kustomize: patches of the Application come after those of the kustomization', async () => {
  const own = '- target: {kind: Deployment}\n  patch: |-\n    - {op: replace, path: /spec/replicas, value: 2}\n';
  const files = { ...base, 'app/kustomization.yaml': `resources: [../base]\npatches:\n${own}` };
  const patch = '- {op: replace, path: /spec/replicas, value: 9}';
  const kustomize = { patches: [{ target: { kind: 'Deployment' }, patch, options: { allowNameChange: true } }] };
  const both = `${own}- target: {kind: Deployment}\n  patch: "${patch}"\n  options: {allowNameChange: true}\n`;
  const real = await house.beside(
    { ...base, 'app/kustomization.yaml': `resources: [../base]\npatches:\n${both}` },
    'app',
    build,
  );
  assert.deepEqual(await house.objects({ files, source: { path: 'app', kustomize } }), real);
});

test('kustomize: components of the Application, missing ones only where permitted', async () => {
  const files = {
    ...base,
    'extra/kustomization.yaml': 'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamePrefix: x-\n',
  };
  const components = ['../extra', '../none'];
  const source = (ignoreMissingComponents: boolean) => ({
    path: 'app',
    kustomize: { components, ignoreMissingComponents },
  });
  await assert.rejects(house.objects({ files, source: source(false) }), /none is not in the repository/);
  const real = await house.beside(files, 'app', ['kustomize', 'edit', 'add', 'component', '../extra'], build);
  assert.deepEqual(await house.objects({ files, source: source(true) }), real);
});

test('kustomize: a version must be one that the settings name', async () => {
  const tool = (await house.renderer.tools()).find(({ name }) => name === 'kustomize')?.tool;
  const source = { path: 'app', kustomize: { version: 'v9' } };
  await assert.rejects(house.objects({ files: base, source }), /no kustomize of version v9/);
  house.set({ kustomize: { enabled: true, buildOptions: '', paths: new Map([['v9', tool?.path ?? '']]) } });
  assert.deepEqual(await house.objects({ files: base, source }), await house.beside(base, 'app', build));
  house.set({});
});

test('kustomize: build options of the settings reach the tool, and changing them renders anew (133)', async () => {
  const files = { ...base, 'app/kustomization.yaml': 'resources: [../base/web.yaml]\n' };
  const source = { path: 'app' };
  await assert.rejects(house.objects({ files, source }), /not in or below/);
  const buildOptions = '--load-restrictor LoadRestrictionsNone';
  house.set({ kustomize: { enabled: true, buildOptions, paths: new Map() } });
  const real = await house.beside(files, 'app', ['kustomize', 'build', '.', ...buildOptions.split(' ')]);
  assert.deepEqual(await house.objects({ files, source }), real);
  house.set({});
});

test('kustomize: a chart in the repository is inflated where the settings enable it', async () => {
  const files = {
    'app/kustomization.yaml': 'helmCharts:\n- name: c\n  releaseName: r\n  valuesInline: {a: 2}\n',
    'app/charts/c/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n',
    'app/charts/c/values.yaml': 'a: 1\n',
    'app/charts/c/templates/x.yaml': configMap('x', 'a: {{ .Values.a | quote }}'),
  };
  await assert.rejects(house.objects({ files, source: { path: 'app' } }), /enable-helm/);
  house.set({ kustomize: { enabled: true, buildOptions: '--enable-helm', paths: new Map() } });
  const helm = (await house.renderer.tools()).find(({ name }) => name === 'helm')?.tool?.path ?? '';
  const made = await Promise.allSettled([
    house.objects({ files, source: { path: 'app' } }),
    house.beside(files, 'app', ['kustomize', 'build', '.', '--enable-helm', '--helm-command', helm]),
  ]);
  assert.equal(made[0].status, made[1].status);
  if (made[0].status === 'fulfilled' && made[1].status === 'fulfilled') assert.deepEqual(made[0].value, made[1].value);
  house.set({});
});
