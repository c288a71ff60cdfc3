import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { DirectorySource } from '../../../src/core/api/index.ts';
import { type Files, openRenderHouse } from '../../support/render-house.ts';

const house = openRenderHouse();
after(() => house.close());

const object = (name: string): string => `{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: ${name}}}`;

const cases: readonly (readonly [string, Files, DirectorySource | undefined, readonly string[]])[] = [
  ['an object', { 'app/x.jsonnet': object("'a'") }, undefined, []],
  ['an array of objects', { 'app/x.jsonnet': `[${object("'a'")}, ${object("'b'")}]` }, undefined, []],
  [
    'an import beside it',
    { 'app/x.jsonnet': "(import 'l.libsonnet').make('a')", 'app/l.libsonnet': `{make(n):: ${object('n')}}` },
    undefined,
    [],
  ],
  [
    'an import further up',
    { 'app/x.jsonnet': "(import '../lib/l.libsonnet')('a')", 'lib/l.libsonnet': `function(n) ${object('n')}` },
    undefined,
    [],
  ],
  [
    'imports of imports, and of texts',
    {
      'app/x.jsonnet': "import 'one.libsonnet'",
      'app/one.libsonnet': "import 'deep/two.libsonnet'",
      'app/deep/two.libsonnet': object("std.stripChars(importstr 'name.txt', '\\n')"),
      'app/deep/name.txt': 'deep\n',
    },
    undefined,
    [],
  ],
  [
    'libs',
    { 'app/x.jsonnet': "(import 'l.libsonnet')", 'vendor/l.libsonnet': object("'v'") },
    { jsonnet: { libs: ['vendor'] } },
    ['-J', '../vendor'],
  ],
  [
    'the last of two libs wins',
    { 'app/x.jsonnet': "import 'l.libsonnet'", 'one/l.libsonnet': object("'1'"), 'two/l.libsonnet': object("'2'") },
    { jsonnet: { libs: ['one', 'two'] } },
    ['-J', '../one', '-J', '../two'],
  ],
  [
    'extVars',
    { 'app/x.jsonnet': object("std.extVar('n')") },
    { jsonnet: { extVars: [{ name: 'n', value: 'x' }] } },
    ['--ext-str', 'n=x'],
  ],
  [
    'extVars as code',
    { 'app/x.jsonnet': object("std.extVar('n').y") },
    { jsonnet: { extVars: [{ name: 'n', value: "{y: 'z'}", code: true }] } },
    ['--ext-code', "n={y: 'z'}"],
  ],
  [
    'extVars with variables',
    { 'app/x.jsonnet': object("std.extVar('n')") },
    { jsonnet: { extVars: [{ name: 'n', value: '$ARGOCD_APP_NAMESPACE' }] } },
    ['--ext-str', 'n=shop'],
  ],
  [
    'TLAs',
    { 'app/x.jsonnet': `function(n) ${object('n')}` },
    { jsonnet: { tlas: [{ name: 'n', value: 'x' }] } },
    ['--tla-str', 'n=x'],
  ],
  [
    'TLAs as code',
    { 'app/x.jsonnet': `function(n) ${object("'r' + n")}` },
    { jsonnet: { tlas: [{ name: 'n', value: '1 + 1', code: true }] } },
    ['--tla-code', 'n=1 + 1'],
  ],
  [
    'words that only look like imports',
    {
      'app/x.jsonnet': `// import '/etc/passwd'\n# import '/x'\n/* importstr "/y" */ ${object("'import \"/etc/z\"' + @'it''s' + |||\n  import '/q'\n|||")}`,
    },
    undefined,
    [],
  ],
];

for (const [title, files, directory, flags] of cases)
  test(`jsonnet: ${title}`, async () => {
    const source = { path: 'app', ...(directory === undefined ? {} : { directory }) };
    const [real] = (await house.beside(files, 'app', ['jsonnet', ...flags, 'x.jsonnet'])) as readonly unknown[];
    assert.deepEqual(await house.objects({ files, source }), Array.isArray(real) ? real : [real]);
  });

test('jsonnet: what fails says why, in the words of the tool', async () => {
  const wrong = house.objects({ files: { 'app/x.jsonnet': "error 'no ' + 'way'" }, source: { path: 'app' } });
  await assert.rejects(wrong, /no way/);
});

test('jsonnet: a commit elsewhere renders nothing, one to an import does', async () => {
  const files = { 'app/x.jsonnet': "import '../lib/l'", 'lib/l': object("'x'") };
  const { reads } = await house.render({ files, source: { path: 'app' } });
  assert.deepEqual(reads, ['app', 'lib/l']);
  const { renders } = house.renderer.stats();
  await house.render({ files: { ...files, 'lib/other': '' }, source: { path: 'app' } });
  assert.equal(house.renderer.stats().renders, renders);
  await house.render({ files: { ...files, 'lib/l': object("'y2'") }, source: { path: 'app' } });
  assert.equal(house.renderer.stats().renders, renders + 1);
});
