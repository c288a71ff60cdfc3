import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { treeAt } from '../../../src/controller/sources/tree.ts';
import type { ApplicationSource } from '../../../src/core/api/index.ts';
import { type GitHouse, openGitHouse } from '../../support/git-house.ts';
import { createTestRepository } from '../../support/git-repository.ts';
import { chart, openHostileHouse } from '../../support/hostile-house.ts';
import { configMap, type Files } from '../../support/render-house.ts';

// What a source tries to reach: files of this machine, other addresses, other renders, our environment.

const hostile = openHostileHouse();
const { house, canary, planted, secret, up, refused } = hostile;
const gits: GitHouse[] = [];
after(async () => {
  await hostile.close();
  for (const git of gits) await git.close();
});

/** The same tree through the real git and its export, which has its own guards. */
async function refusedFromGit(files: Files, source: Partial<ApplicationSource>): Promise<void> {
  const repository = createTestRepository(files);
  try {
    const git = openGitHouse();
    gits.push(git);
    const mirror = git.git.repository({ url: repository.url, scope: 'test' });
    await mirror.fetch();
    const { commit } = await mirror.resolve('HEAD');
    await refused({ source, tree: treeAt(mirror, commit) }, ['render-refused', 'render-failed']);
  } finally {
    repository.remove();
  }
}

for (const [title, entry] of [
  ['an absolute path', secret],
  ['a way up', up()],
  ['a file: address', `file://${secret}`],
  ['text like a scheme before a path', `secrets://${secret}`],
  ['a scheme in capitals', `FILE://${secret}`],
  ['an address, which nobody has permitted', 'https://example.com/values.yaml'],
  ['a way up behind a variable', `\${ARGOCD_APP_SOURCE_PATH}/${up()}`],
  ['a glob that goes up', `${'../'.repeat(30)}${relative('/', planted)}/*.yaml`],
  ['a NUL', 'a\0b'],
] as const) {
  const codes = entry === secret ? ['render-failed'] : ['render-refused'];
  test(`AC-06, AC-07, 129: a value file by ${title} is refused`, () =>
    refused({ files: chart, source: { path: 'app', helm: { valueFiles: [entry] } } }, codes));
  test(`AC-08: a file parameter by ${title} is refused`, () =>
    refused({ files: chart, source: { path: 'app', helm: { fileParameters: [{ name: 'a', path: entry }] } } }, [
      'render-refused',
      'render-failed',
    ]));
}

test('T-044: a ref that goes up is refused', () =>
  refused({
    files: chart,
    source: { path: 'app', helm: { valueFiles: [`$values/${up()}`] } },
    refs: { values: { x: '' } },
  }));

const links: readonly (readonly [string, Files])[] = [
  ['a file', { 'app/x.yaml': { link: secret } }],
  ['a file, by a way up', { 'app/x.yaml': { link: up() } }],
  ['a link chain', { 'app/x.yaml': { link: '../one' }, one: { link: 'two' }, two: { link: secret } }],
  ['the environment of the process', { 'app/x.yaml': { link: '/proc/self/environ' } }],
  ['a directory on the way', { 'app/x.yaml': { link: 'd/secret.yaml' }, 'app/d': { link: planted } }],
];
for (const [title, files] of links) {
  test(`AC-09, 128: a link to ${title} ends a plain directory`, () => refused({ files, source: { path: 'app' } }));
  test(`AC-09: the same from a real repository (${title})`, () => refusedFromGit(files, { path: 'app' }));
  test(`AC-10: a link to ${title} ends a chart`, () =>
    refused({ files: { ...chart, ...files }, source: { path: 'app', helm: { valueFiles: ['x.yaml'] } } }));
  test(`AC-10: a link to ${title} ends a kustomization`, () =>
    refused({ files: { ...files, 'app/kustomization.yaml': 'resources: [x.yaml]\n' }, source: { path: 'app' } }));
  test(`AC-71: a link to ${title} ends Jsonnet`, () =>
    refused({ files: { ...files, 'app/a.jsonnet': "importstr 'x.yaml'" }, source: { path: 'app' } }));
}

test('KU-02: a link in a chart that leads out ends it', () =>
  refused({ files: { ...chart, 'app/files/x': { link: secret } }, source: { path: 'app' } }));

for (const [title, kustomization] of [
  ['resources, absolute', `resources: [${secret}]`],
  ['resources, up', `resources: [${up()}]`],
  ['a base, up', `resources: [${up(planted)}]`],
  ['bases', `bases: [${up(planted)}]`],
  ['components', `components: [${up(planted)}]`],
  ['patches', `patches: [{path: ${up()}}]`],
  ['old patches', `patchesStrategicMerge: [${up()}]`],
  ['JSON patches', `patchesJson6902: [{path: ${up()}, target: {kind: x}}]`],
  ['generators of ConfigMaps', `configMapGenerator: [{name: a, files: [k=${up()}]}]`],
  ['their environment files', `configMapGenerator: [{name: a, envs: [${up()}]}]`],
  ['generators of Secrets', `secretGenerator: [{name: a, files: [${secret}]}]`],
  ['CRDs', `crds: [${up()}]`],
  ['configurations', `configurations: [${up()}]`],
  ['transformers', `transformers: [${up()}]`],
  ['generators', `generators: [${up()}]`],
  ['validators', `validators: [${up()}]`],
  ['replacements', `replacements: [{path: ${up()}}]`],
  ['openapi', `openapi: {path: ${up()}}`],
  ['values of charts', `helmCharts: [{name: c, valuesFile: ${up()}}]`],
  ['the home of charts', `helmGlobals: {chartHome: ${up(planted)}}\nhelmCharts: [{name: c}]`],
] as const)
  test(`FX-01: a kustomization cannot name files outside in ${title}`, () =>
    refused({ files: { 'app/kustomization.yaml': `${kustomization}\n` }, source: { path: 'app' } }));

test('FX-01: patches and components of the Application cannot either', async () => {
  const files = { 'app/kustomization.yaml': 'namePrefix: a\n' };
  await refused({ files, source: { path: 'app', kustomize: { patches: [{ path: up() }] } } });
  await refused({ files, source: { path: 'app', kustomize: { components: [up(planted)] } } });
});

test('FX-01: a generator in a file cannot name files outside', () =>
  refused({
    files: {
      'app/kustomization.yaml': 'generators: [g.yaml]\n',
      'app/g.yaml': `apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: a}\nfiles: [${up()}]\n`,
    },
    source: { path: 'app' },
  }));

test('FX-02: bases in a circle end with an error', () =>
  refused(
    {
      files: { 'app/kustomization.yaml': 'resources: [../b]\n', 'b/kustomization.yaml': 'resources: [../app]\n' },
      source: { path: 'app' },
    },
    ['render-failed'],
  ));

test('FX-02: bases in an endless row end with an error', () => {
  const row = Array.from(
    { length: 1_100 },
    (_, i) => [`b${i}/kustomization.yaml`, `resources: [../b${i + 1}]\n`] as const,
  );
  return refused({ files: Object.fromEntries(row), source: { path: 'b0' } }, ['render-limit']);
});

const remote = [
  'https://example.com/x.yaml',
  'http://127.0.0.1:1/x.yaml',
  'github.com/example/repo?ref=main',
  'git@example.com:a/b.git',
  'ssh://git@example.com/a/b',
  'git::https://example.com/a',
  'https://example.com/a.git?ref=--upload-pack=touch',
  'ext::sh -c touch% x',
  `file://${planted}`,
];
for (const reference of remote) {
  test(`AC-38, AC-69: the remote reference ${JSON.stringify(reference.slice(0, 40))} is refused before a tool runs`, () =>
    refused({
      files: { 'app/kustomization.yaml': `resources: [${JSON.stringify(reference)}]\n` },
      source: { path: 'app' },
    }));
}

test('AC-69: references that are options or programs are refused even where remote ones are permitted', async () => {
  house.set({ remoteReferences: true });
  for (const reference of [
    'ext::sh -c touch% x',
    'https://example.com/a.git?ref=--upload-pack=touch',
    'https://example.com/a\n--x',
  ])
    await refused({
      files: { 'app/kustomization.yaml': `resources: [${JSON.stringify(reference)}]\n` },
      source: { path: 'app' },
    });
  house.set({});
});

test('AC-70: a kustomization cannot say where Helm finds plugins', async () => {
  house.set({ kustomize: { enabled: true, buildOptions: '--enable-helm', paths: new Map() }, remoteReferences: true });
  const files = {
    'app/kustomization.yaml': 'helmGlobals: {configHome: ./home}\nhelmCharts: [{name: c}]\n',
    'app/charts/c/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n',
    'app/home/plugins/x/plugin.yaml': 'name: x\n',
  };
  await refused({ files, source: { path: 'app' } });
  house.set({});
});

for (const [title, text] of [
  ['absolute', `import '${secret}'`],
  ['up', `importstr '${up()}'`],
  ['in escapes', `importstr '\\u002f${secret.slice(1)}'`],
  ['behind a comment', `importstr /* here */ "${up()}"`],
  ['verbatim', `importbin @'${up()}'`],
  ['of the process', "importstr '/proc/self/environ'"],
  ['at an address', "import 'https://example.com/x.libsonnet'"],
  ['behind a block', `local a = |||\n  text ' " \n|||; importstr '${up()}'`],
  ['in an import', "import 'inner.libsonnet'"],
] as const)
  test(`AC-71: a Jsonnet import ${title} is refused`, () =>
    refused({
      files: { 'app/x.jsonnet': text, 'app/inner.libsonnet': `{a: importstr '${up()}'}` },
      source: { path: 'app' },
    }));

test('RE-18, AC-71: Jsonnet code, variables and libraries of the Application are confined too', async () => {
  const files = { 'app/x.jsonnet': "function(n='') {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: n}}" };
  const stolen = { name: 'n', value: `importstr '${up()}'`, code: true };
  await refused({ files, source: { path: 'app', directory: { jsonnet: { tlas: [stolen] } } } });
  await refused({ files, source: { path: 'app', directory: { jsonnet: { extVars: [stolen] } } } });
  await refused({ files, source: { path: 'app', directory: { jsonnet: { libs: [up(planted)] } } } });
});

for (const path of ['/etc', '../x', 'a/../../x', 'a//b', 'linked', 'app\0'])
  test(`T-043, FX-03: the path ${JSON.stringify(path)} is refused`, () =>
    refused({
      files: { 'app/x.yaml': configMap('x'), 'a/b/x.yaml': configMap('x'), linked: { link: 'app' } },
      source: { path },
    }));

test('KU-13, T-067: lookup and getHostByName find nothing, and no variable of ours is in reach', async () => {
  const files = {
    ...chart,
    'app/templates/y.yaml': configMap(
      'looked',
      'v: {{ list (lookup "v1" "Secret" "kube-system" "") (getHostByName "localhost") (env "HOME" | default "") | toJson | quote }}',
    ),
  };
  // Helm has no `env` at all; without it the rest comes out empty.
  await refused({ files, source: { path: 'app' } }, ['render-failed']);
  const tame = {
    ...files,
    'app/templates/y.yaml': String(files['app/templates/y.yaml']).replace('(env "HOME" | default "") ', ''),
  };
  const { objects } = await house.render({ files: tame, source: { path: 'app' } });
  const data = JSON.stringify(objects.find(({ object }) => object.metadata?.name === 'looked')?.object);
  assert.match(data, /"v":"\[\{\},\\"(?:127\.0\.0\.1|::1|)\\"\]"/);
});

test('AC-11: renders of two tenants share no directory, and nothing is left behind', async () => {
  const seen = new Set<string>();
  const plugin = {
    name: 'where',
    generate: [
      'sh',
      '-c',
      'printf "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: \\"$PWD $(stat -c %a $PWD/../..)\\"}\\n"',
    ],
  };
  house.set({ plugins: [plugin] });
  const made = await Promise.all(
    ['team-a', 'team-b'].map((scope) =>
      house.render({ files: { 'app/x': scope }, scope, source: { path: 'app', plugin: { name: 'where' } } }),
    ),
  );
  for (const { objects } of made) seen.add(String(objects[0]?.object.metadata?.name));
  assert.equal(seen.size, 2);
  for (const where of seen) assert.match(where, / 700$/);
  assert.deepEqual(readdirSync(join(house.scratch, 'private')), []);
  house.set({});
});

test('AC-11, R28: a render cannot find the directory of another one that runs beside it', async () => {
  const { files } = await house.spawner.confinement();
  const generate = [
    'sh',
    '-c',
    `sleep 0.3; found=$(cat $PWD/../../../*/tree/app/secret ${house.scratch}/private/*/tree/app/secret | sort -u | tr '\\n' ' '); printf "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: seen}\\ndata: {seen: \\"$found\\"}\\n"`,
  ];
  house.set({ plugins: [{ name: 'look', generate }] });
  const made = await Promise.all(
    ['team-a', 'team-b'].map((scope) =>
      house.objects({
        files: { 'app/secret': `${scope}\n` },
        scope,
        source: { path: 'app', plugin: { name: 'look' } },
      }),
    ),
  );
  house.set({});
  // Where the machine does not allow it, that is said instead.
  if (files)
    assert.deepEqual(
      made.map((each) => JSON.stringify(each).match(/team-[ab]/g)),
      [['team-a'], ['team-b']],
    );
  else assert.match((await house.spawner.confinement()).why ?? '', /files of other renders stay visible/);
});

test('R21: a plugin sees the environment it is given, and nothing of ours', async () => {
  process.env['ARGOSY_TEST_CANARY'] = canary;
  house.set({
    plugins: [
      {
        name: 'env',
        generate: [
          'sh',
          '-c',
          'printf "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: e}\\ndata:\\n  env: \\"$(env | tr "\\n" " " | base64 -w0)\\"\\n"',
        ],
      },
    ],
  });
  const { objects } = await house.render({ files: { 'app/x': '' }, source: { path: 'app', plugin: { name: 'env' } } });
  const [, env = ''] = /"env":"([^"]*)"/.exec(JSON.stringify(objects)) ?? [];
  const told = Buffer.from(env, 'base64').toString();
  assert.match(told, /ARGOCD_APP_NAME=team-a_shop/);
  assert.ok(!told.includes(canary));
  delete process.env['ARGOSY_TEST_CANARY'];
  house.set({});
});
