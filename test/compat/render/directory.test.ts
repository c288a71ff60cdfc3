import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { DirectorySource } from '../../../src/core/api/index.ts';
import { configMap, type Files, openRenderHouse } from '../../support/render-house.ts';

const house = openRenderHouse();
after(() => house.close());

async function names(files: Files, directory?: DirectorySource): Promise<string[]> {
  const source = { path: 'app', ...(directory === undefined ? {} : { directory }) };
  const { objects, sourceType } = await house.render({ files, source });
  assert.equal(sourceType, 'Directory');
  return objects.map(({ object }) => object.metadata?.name ?? '');
}

const flat: Files = {
  'app/b.yaml': configMap('b'),
  'app/a.yml': configMap('a'),
  'app/c.json': '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}',
  'app/README.md': '# no manifest',
  'app/sub/d.yaml': configMap('d'),
  'app/sub/deep/e.yaml': configMap('e'),
  'app/sub.yaml': configMap('f'),
  'other/z.yaml': configMap('z'),
};

const cases: readonly (readonly [string, Files, DirectorySource | undefined, readonly string[]])[] = [
  ['only the top, by name', flat, undefined, ['a', 'b', 'c', 'f']],
  ['recurse, in the order of a walk', flat, { recurse: true }, ['a', 'b', 'c', 'd', 'e', 'f']],
  ['include', flat, { include: '*.json' }, ['c']],
  ['include crosses directories', flat, { recurse: true, include: '*.yaml' }, ['b', 'd', 'e', 'f']],
  ['include by alternatives', flat, { include: '{a.yml,b.yaml}' }, ['a', 'b']],
  ['exclude', flat, { exclude: '*.yaml' }, ['a', 'c']],
  ['exclude goes before include', flat, { recurse: true, include: 'sub/*', exclude: 'sub/deep/*' }, ['d']],
  [
    'several documents in a file',
    { 'app/x.yaml': `---\n${configMap('one')}---\n# nothing\n---\n${configMap('two')}` },
    undefined,
    ['one', 'two'],
  ],
  [
    'lists are flattened',
    {
      'app/x.yaml':
        'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: l1}}\n- {apiVersion: v1, kind: Secret, metadata: {name: l2}}\n',
    },
    undefined,
    ['l1', 'l2'],
  ],
  [
    'a list without items is dropped',
    { 'app/x.yaml': 'apiVersion: v1\nkind: ConfigMapList\nitems: null\n' },
    undefined,
    [],
  ],
  [
    'a file that asks to be skipped',
    { 'app/x.yaml': `# +argocd:skip-file-rendering\n{{ not yaml`, 'app/y.yaml': configMap('good') },
    undefined,
    ['good'],
  ],
  [
    'YAML that is no manifest is ignored',
    { 'app/values.yaml': 'color: red\n', 'app/y.yaml': configMap('good') },
    undefined,
    ['good'],
  ],
  [
    'broken YAML that is no manifest is ignored',
    { 'app/t.yaml': '{{ if }}\n', 'app/y.yaml': configMap('good') },
    undefined,
    ['good'],
  ],
  [
    'links inside the repository are followed',
    { 'app/x.yaml': { link: '../shared/x.yaml' }, 'shared/x.yaml': configMap('x') },
    undefined,
    ['x'],
  ],
  [
    'links over links are followed',
    { 'app/x.yaml': { link: '../one' }, one: { link: 'two/x.yaml' }, 'two/x.yaml': configMap('x') },
    undefined,
    ['x'],
  ],
  ['an empty directory makes nothing', { 'app/README.md': '' }, undefined, []],
];

for (const [title, files, directory, expected] of cases)
  test(`directory: ${title}`, async () => assert.deepEqual(await names(files, directory), expected));

test('directory: broken links are skipped with a warning', async () => {
  const files = { 'app/x.yaml': { link: 'none.yaml' }, 'app/y.yaml': configMap('good') };
  const { objects, warnings } = await house.render({ files, source: { path: 'app' } });
  assert.equal(objects.length, 1);
  assert.match(warnings.join(), /app\/x\.yaml: the link leads to no file/);
});

test('directory: a manifest that cannot be read names file and line', async () => {
  const files = { 'app/x.yaml': `${configMap('a')}---\napiVersion: v1\nkind: [\n` };
  await assert.rejects(house.render({ files, source: { path: 'app' } }), /^ArgosyError: app\/x\.yaml:\d+: /);
});

test('directory: an object without a kind beside good ones is an error with its line', async () => {
  const files = { 'app/x.yaml': `${configMap('a')}---\nmetadata: {name: b}\n` };
  await assert.rejects(
    house.render({ files, source: { path: 'app' } }),
    /app\/x\.yaml:8 holds something that is no Kubernetes object/,
  );
});

test('directory: a JSON file holds one object', async () => {
  await assert.rejects(house.render({ files: { 'app/x.json': '{}{}' }, source: { path: 'app' } }), /x\.json/);
});

test('directory: objects carry file and line', async () => {
  const { objects } = await house.render({
    files: { 'app/x.yaml': `${configMap('a')}---\n${configMap('b')}` },
    source: { path: 'app' },
  });
  assert.deepEqual(
    objects.map(({ file, line }) => [file, line]),
    [
      ['app/x.yaml', 1],
      ['app/x.yaml', 8],
    ],
  );
});

test('directory: a duplicate key takes the last value, with a warning', async () => {
  const files = { 'app/x.yaml': `${configMap('a')}  a: "2"\n` };
  const { objects, warnings } = await house.render({ files, source: { path: 'app' } });
  assert.match(JSON.stringify(objects), /"data":{"a":"2"}/);
  assert.deepEqual(warnings, ['app/x.yaml: the key a stands twice in one map; the last one counts']);
});

test('directory: the combined size is bounded', async () => {
  house.set({ maxDirectoryBytes: 100 });
  const wrong = house.render({
    files: { 'app/x.yaml': configMap('a'), 'app/y.yaml': configMap('b') },
    source: { path: 'app' },
  });
  await assert.rejects(wrong, { code: 'render-limit' });
  house.set({});
});

test('directory: switched-off tools leave plain files', async () => {
  house.set({ kustomize: { enabled: false, buildOptions: '', paths: new Map() } });
  const files = { 'app/kustomization.yaml': 'namePrefix: x-\nresources: [a.yaml]\n', 'app/a.yaml': configMap('a') };
  assert.deepEqual(await names(files), ['a']);
  house.set({});
});
