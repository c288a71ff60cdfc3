import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { chart, openHostileHouse } from '../../support/hostile-house.ts';
import { configMap, type Files } from '../../support/render-house.ts';

// What a source tries to cost, and data that is hard to read.

const hostile = openHostileHouse();
const { house, refused } = hostile;
after(() => hostile.close());

test('FX-04: a parameter with a huge index is refused', () =>
  refused({ files: chart, source: { path: 'app', helm: { parameters: [{ name: 'a[2147483647]', value: 'x' }] } } }, [
    'render-limit',
  ]));

const laughs = (merge: boolean): string =>
  ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
    .map((key, i, all) => {
      const before = all[i - 1];
      if (before === undefined)
        return `${key}: &${key} ${merge ? '{x: 1, y: 2, z: 3}' : '[x, x, x, x, x, x, x, x, x]'}`;
      const nine = Array.from({ length: 9 }, (_, n) =>
        merge ? `k${n}: {<<: *${before}, own${n}: *${before}}` : `*${before}`,
      );
      return `${key}: &${key} ${merge ? `{${nine.join(', ')}}` : `[${nine.join(', ')}]`}`;
    })
    .join('\n');

for (const [title, text] of [
  ['aliases', laughs(false)],
  ['merge keys', laughs(true)],
  ['depth', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
  ['an alias of itself', 'a: &a {b: *a}'],
] as const)
  test(`KU-03, T-129: a bomb of ${title} is refused with file and line`, async () => {
    const files = {
      'app/x.yaml': `${configMap('x')}---\napiVersion: v1\nkind: X\nmetadata: {name: b}\nbomb:\n  ${text.replaceAll('\n', '\n  ')}\n`,
    };
    await refused({ files, source: { path: 'app' } }, ['render-limit', 'render-failed']);
    await assert.rejects(house.render({ files, source: { path: 'app' } }), /app\/x\.yaml:\d+/);
  });

test('AC-13: eleven megabytes of manifests are refused, ten are read beside the main loop', async () => {
  const megabyte = configMap('x', `a: "${'x'.repeat(1024 * 1024 - 200)}"`);
  const files = (count: number): Files =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`app/${i}.yaml`, `# ${i}\n${megabyte}`]));
  await refused({ files: files(11), source: { path: 'app' } }, ['render-limit']);
  assert.equal((await house.render({ files: files(9), source: { path: 'app' } })).objects.length, 9);
});

test('T-129: ten thousand and one objects are refused', () => {
  const items = Array.from({ length: 10_001 }, (_, i) => `{apiVersion: v1, kind: ConfigMap, metadata: {name: n${i}}}`);
  const files = { 'app/x.yaml': `apiVersion: v1\nkind: List\nitems: [${items.join(', ')}]\n` };
  return refused({ files, source: { path: 'app' } }, ['render-limit']);
});

test('files that are no text of ours are told, and those that Go can read are read', async () => {
  const text = configMap('x', 'a: "é"');
  await refused({ files: { 'app/x.yaml': Buffer.from(text, 'latin1') }, source: { path: 'app' } }, ['render-failed']);
  const wide = Buffer.from(`\ufeff${text}`, 'utf16le');
  for (const content of [
    Buffer.from(`\ufeff${text}`),
    wide,
    Buffer.from(wide).swap16(),
    text.replaceAll('\n', '\r\n'),
  ]) {
    const { objects } = await house.render({ files: { 'app/x.yaml': content }, source: { path: 'app' } });
    assert.match(JSON.stringify(objects), /"name":"x".*"a":"é"/);
  }
});

test('T-129: a source that gives a tool too many files or links is refused', async () => {
  const many = (make: (i: number) => Files[string], count: number): Files =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`app/files/f${i}`, make(i)]));
  const files = { ...chart, ...many(() => '', 20_001) };
  await refused({ files, source: { path: 'app' } }, ['render-limit']);
  await refused({ files: { ...chart, ...many(() => ({ link: '../Chart.yaml' }), 2_001) }, source: { path: 'app' } }, [
    'render-limit',
  ]);
});

test('AC-13: a chart that needs more memory than permitted is told so in one sentence', async () => {
  if (!(await house.spawner.confinement()).memory) return;
  const files = { ...chart, 'app/templates/x.yaml': '{{- range until 100000000 }}\na: b\n{{- end }}' };
  await assert.rejects(house.render({ files, source: { path: 'app' } }), {
    code: 'render-limit',
    message: 'helm needs more memory than permitted',
  });
});

test('JS-01: keys of the language are plain data', async () => {
  const files = {
    'app/x.yaml': `${configMap('x')}  __proto__: "1"\n  constructor: "2"\nbase: &b {__proto__: {polluted: true}}\nmerged: {<<: *b}\n`,
  };
  const [made] = (await house.render({ files, source: { path: 'app' } })).objects;
  assert.equal(Object.getOwnPropertyDescriptor({}, 'polluted'), undefined);
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  assert.equal(Object.getPrototypeOf(made?.object), Object.prototype);
  assert.match(JSON.stringify(made?.object), /"__proto__":"1","constructor":"2"/);
});
