import assert from 'node:assert/strict';
import { relative } from 'node:path';
import { after, test } from 'node:test';
import { openHostileHouse, chart as plainChart } from '../../support/hostile-house.ts';
import { configMap, type Files, type Wanted } from '../../support/render-house.ts';

// What a tenant writes becomes words of a command line, and files that a tool reads in its own way. Nothing of it may
// make the tool open, or run, anything that we have not looked at.

const hostile = openHostileHouse();
const { house, secret } = hostile;
after(() => hostile.close());

const harmless = (wanted: Wanted): Promise<void> => hostile.refused(wanted, ['render-refused', 'render-failed']);
const chart: Files = { ...plainChart, 'app/v.yaml': 'a: 1\n' };

test('AC-06: a value file whose name holds a comma or quotes is one file', async () => {
  for (const name of [`x,${secret}`, `x",${secret},"`, `"x",${secret}`]) {
    const files = { ...chart, 'app/x\\': 'b: 2\n', 'app/x': 'b: 2\n', [`app/${name}`]: 'b: 3\n' };
    const objects = await house.objects({ files, source: { path: 'app', helm: { valueFiles: [name] } } });
    assert.match(JSON.stringify(objects), /\{\\"b\\":3\}/);
  }
  await harmless({ files: chart, source: { path: 'app', helm: { valueFiles: ['v.yaml\n'] } } });
});

test('AC-08: the name of a file parameter cannot bring another file along', async () => {
  for (const name of [`x=${secret},y`, `x=${secret},`, `x[0]=${secret},y`, `x\n=${secret},y`])
    await harmless({ files: chart, source: { path: 'app', helm: { fileParameters: [{ name, path: 'v.yaml' }] } } });
});

test('AC-71: the name of a Jsonnet variable cannot be code', async () => {
  const files = { 'app/x.jsonnet': "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: std.extVar('x')}}" };
  const variable = { name: `x=importstr '${secret}'//`, value: '1', code: true };
  await harmless({ files, source: { path: 'app', directory: { jsonnet: { extVars: [variable] } } } });
  await harmless({ files, source: { path: 'app', directory: { jsonnet: { tlas: [variable] } } } });
});

test('AC-71: an import behind a deeply indented block is seen', () => {
  const text = `local a = |||\n${' '.repeat(1001)}x\n${' '.repeat(1000)}|||;\nlocal b = importstr '${secret}';\nlocal c = |||\n${' '.repeat(1001)}x\n|||;\n{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: b}}\n`;
  return harmless({ files: { 'app/x.jsonnet': text }, source: { path: 'app' } });
});

const plain: Files = {
  'app/charts/c/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n',
  'app/charts/c/values.yaml': 'a: 1\n',
  'app/charts/c/templates/x.yaml': configMap('x', 'v: {{ .Values | toJson | quote }}'),
  'app/home/plugins/x/plugin.yaml': 'name: x\nversion: 1.0.0\nusage: x\ndescription: x\ncommand: x\n',
};
const up = `${'../'.repeat(30)}${relative('/', secret)}`;

for (const [title, files] of [
  [
    'a release name that is a flag',
    { 'app/kustomization.yaml': `helmCharts: [{name: c, releaseName: '--values=${secret}'}]\n` },
  ],
  [
    'a configuration home in other letters',
    { 'app/kustomization.yaml': 'helmGlobals: {ConfigHome: ./home}\nhelmCharts: [{name: c}]\n' },
  ],
  ['a list in other letters', { 'app/kustomization.yaml': `Resources: [${up}]\n` }],
  ['a list with the long s', { 'app/kustomization.yaml': `re\u017fources: [${up}]\n` }],
  [
    'a generator in the text',
    {
      'app/kustomization.yaml': `generators:\n- |-\n  apiVersion: builtin\n  kind: ConfigMapGenerator\n  metadata: {name: a}\n  files: [${up}]\n`,
    },
  ],
  [
    'a chart generator in the text',
    {
      'app/kustomization.yaml': `generators:\n- |-\n  apiVersion: builtin\n  kind: HelmChartInflationGenerator\n  metadata: {name: a}\n  name: c\n  configHome: ./home\n`,
    },
  ],
  [
    'a generator made by a kustomization',
    {
      'app/kustomization.yaml': 'generators: [./gen]\n',
      'app/gen/kustomization.yaml': 'resources: [g.yaml]\n',
      'app/gen/g.yaml': `apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: a}\nfiles: [${up}]\n`,
    },
  ],
  [
    'a generator that a patch changes',
    {
      'app/kustomization.yaml': 'generators: [./gen]\n',
      'app/gen/kustomization.yaml': `resources: [g.yaml]\npatches:\n- patch: '[{"op": "add", "path": "/files", "value": ["${up}"]}]'\n  target: {kind: ConfigMapGenerator}\n`,
      'app/gen/g.yaml': 'apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: a}\nliterals: [a=b]\n',
    },
  ],
  [
    'a patch transformer with paths',
    {
      'app/kustomization.yaml': 'transformers: [t.yaml]\nresources: [x.yaml]\n',
      'app/x.yaml': configMap('stolen'),
      'app/t.yaml': `apiVersion: builtin\nkind: PatchStrategicMergeTransformer\nmetadata: {name: a}\npaths: [${up}]\n`,
    },
  ],
  [
    'a transformer in the text',
    {
      'app/kustomization.yaml': `resources: [x.yaml]\ntransformers:\n- |-\n  apiVersion: builtin\n  kind: PatchTransformer\n  metadata: {name: a}\n  path: ${up}\n`,
      'app/x.yaml': configMap('stolen'),
    },
  ],
] as const satisfies readonly (readonly [string, Files])[])
  test(`FX-01, AC-69, AC-70: a kustomization gets nothing by ${title}`, async () => {
    house.set({
      kustomize: {
        enabled: true,
        buildOptions: '--enable-helm --load-restrictor LoadRestrictionsNone',
        paths: new Map(),
      },
    });
    await harmless({ files: { ...plain, ...files }, source: { path: 'app' } });
    house.set({});
  });

// Behind a link, `..` is the parent of where it leads: by its name `deep/l/../../../x` stays inside, really it does not.
const upBehindALink = (depth: number): string => {
  const names = Array.from({ length: depth }, (_, i) => `d${i}`);
  return [...names, 'l', ...Array.from({ length: depth }, () => '..'), relative('/', secret)].join('/');
};
const deep = 25;
const deepDirectory = Array.from({ length: deep }, (_, i) => `d${i}`).join('/');
const decoy = `${upBehindALink(deep).split('/').slice(0, 1).join('/')}/${relative('/', secret)}`;
const winding: Files = {
  [`${deepDirectory}/l`]: { link: Array.from({ length: deep }, () => '..').join('/') },
  [decoy]: configMap('decoy'),
};

test('AC-09, AC-10: a link that goes up behind another link is followed as the system follows it', async () => {
  const link = `../${upBehindALink(deep)}`;
  const files = { ...winding, 'app/x.yaml': { link } };
  await harmless({ files, source: { path: 'app' } });
  await harmless({
    files: { ...files, ...chart, 'app/templates/y.yaml': configMap('y', 'v: {{ .Files.Get "x.yaml" | quote }}') },
    source: { path: 'app' },
  });
  await harmless({ files: { ...files, 'app/kustomization.yaml': 'resources: [x.yaml]\n' }, source: { path: 'app' } });
  await harmless({ files: { ...files, 'app/a.jsonnet': "importstr 'x.yaml'" }, source: { path: 'app' } });
});

test('links that go up behind links inside the repository, and in circles, do what the system would do', async () => {
  const files: Files = {
    'app/x.yaml': { link: '../far/l/../y.yaml' },
    'far/l': { link: '../near/inner' },
    'near/inner/z': '',
    'near/y.yaml': configMap('near'),
    'far/y.yaml': configMap('far'),
  };
  assert.match(JSON.stringify(await house.objects({ files, source: { path: 'app' } })), /"near"/);
  const circle = { 'app/x.yaml': { link: 'c/../x.yaml' }, 'app/c': { link: 'c/../d' }, 'app/d': { link: 'c' } };
  await harmless({ files: circle, source: { path: 'app' } });
});
