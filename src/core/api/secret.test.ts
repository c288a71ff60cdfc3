import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import type { Json } from '../json/index.ts';
import { Notes } from './decode.ts';
import { decodeBase64, Hidden } from './index.ts';
import { printProblems } from './parsed.ts';
import { openSecret } from './secret.ts';
import { parseStrictJson } from './strict-json.ts';
import { parseYaml } from './yaml.ts';

test('a hidden text prints as stars wherever it goes', () => {
  const hidden = new Hidden('c4n4ry');
  for (const printed of [
    String(hidden),
    JSON.stringify({ hidden }),
    inspect({ hidden }, { depth: 9, showHidden: true }),
    String([hidden]),
  ]) {
    assert.equal(printed.includes('c4n4ry'), false, printed);
  }
  assert.equal(hidden.reveal(), 'c4n4ry');
  assert.deepEqual(Object.keys(hidden), []);
});

test('hidden texts are compared without being shown', () => {
  assert.equal(new Hidden('a').equals(new Hidden('a')), true);
  assert.equal(new Hidden('a').equals(new Hidden('b')), false);
  assert.equal(new Hidden('a').equals(undefined), false);
  assert.equal(new Hidden('').isEmpty, true);
});

test('base64 of any text is decoded to that text', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const bytes = new TextEncoder().encode(text);
      assert.equal(decodeBase64(Buffer.from(bytes).toString('base64')), text);
    }),
  );
});

test('what is no base64 or no UTF-8 is undefined', () => {
  for (const text of ['%%%', 'a', '/w==', 'gICA']) assert.equal(decodeBase64(text), undefined, text);
});

const secret = (more: Record<string, Json>): Json => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'x', labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
  ...more,
});

test('data is decoded, stringData wins, and neither is quoted when it is wrong', () => {
  const notes = new Notes();
  const open = openSecret(secret({ data: { a: btoa('1'), b: btoa('2') }, stringData: { b: '3' } }), ['cluster'], notes);
  assert.deepEqual(
    [...(open?.values ?? [])],
    [
      ['a', '1'],
      ['b', '3'],
    ],
  );
  const wrong = new Notes();
  openSecret(secret({ data: { a: 1, b: '!c4n4ry' }, stringData: 'c4n4ry' }), ['cluster'], wrong);
  assert.equal(
    printProblems(wrong.problems),
    'data.a: is not base64 of UTF-8 text; data.b: is not base64 of UTF-8 text; stringData: must be an object',
  );
});

test('JSON that could be read in two ways is refused', () => {
  const rows: readonly [string, boolean][] = [
    ['{"a":1}', true],
    ['{"a":{"a":1}}', true],
    ['[{"a":1},{"a":2}]', true],
    ['{"a":"{\\"a\\":1}"}', true],
    ['{"a":1,"a":1}', false],
    ['{"a":1, "\\u0061" : 2}', false],
    ['{"a":[],"b":{"c":1,"c":2}}', false],
    ['{"__proto__":1,"__proto__":2}', false],
    ['{', false],
    ['', false],
    [`${'['.repeat(33)}${']'.repeat(33)}`, false],
    [`${'['.repeat(32)}${']'.repeat(32)}`, true],
  ];
  for (const [written, wanted] of rows) assert.equal(parseStrictJson(written) !== undefined, wanted, written);
});

test('strict JSON agrees with JSON wherever it answers', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (written) => {
      const strict = parseStrictJson(written);
      if (strict !== undefined) assert.deepEqual(strict, JSON.parse(written));
    }),
  );
});

test('a key named __proto__ stays a key', () => {
  const value = parseStrictJson('{"__proto__":{"admin":true}}');
  assert.ok(Object.hasOwn(value as object, '__proto__'));
  assert.equal(({} as { admin?: boolean }).admin, undefined);
});

test('YAML is read with few aliases and little depth, or not at all', () => {
  assert.deepEqual(parseYaml('a: [1, "x", null, true]'), { a: [1, 'x', null, true] });
  assert.equal(parseYaml(''), null);
  for (const written of ['a: [', '- a\nb: c', '!!js/function x', `${'- '.repeat(100)}x`]) {
    assert.equal(parseYaml(written), undefined, written);
  }
  const proto = parseYaml('__proto__: {polluted: true}\nb: {<<: {polluted: true}}') as Record<string, unknown>;
  assert.ok(Object.hasOwn(proto, '__proto__'));
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});
