import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isArgosyError } from '../../core/errors/index.ts';
import { type ListLimits, ListSplitter } from './splitter.ts';

function split(
  text: string | Buffer,
  sizes: readonly number[] = [],
  limits?: ListLimits,
): { items: unknown[]; shell: unknown } {
  const bytes = Buffer.from(text);
  const items: unknown[] = [];
  const splitter = new ListSplitter(
    'list',
    (b, start, end) => items.push(JSON.parse(b.toString('utf8', start, end))),
    limits,
  );
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes.length === 0 ? bytes.length : (sizes[turn % sizes.length] ?? 1);
    splitter.push(bytes.subarray(at, at + size));
    at += size;
  }
  return { items, shell: splitter.end() };
}

const malformed = (error: unknown): boolean => isArgosyError(error) && error.code === 'kube-malformed';

test('splits any list at any chunk borders into what JSON.parse sees', () => {
  const item = fc.record({ metadata: fc.dictionary(fc.string(), fc.jsonValue()), data: fc.jsonValue() });
  fc.assert(
    fc.property(
      fc.array(item, { maxLength: 8 }),
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
      fc.constantFrom(undefined, 1, '\t'),
      fc.boolean(),
      (items, metadata, sizes, indent, itemsFirst) => {
        const list = itemsFirst
          ? { items, kind: 'XList', metadata }
          : { kind: 'XList', metadata, items, more: { items: [1] } };
        const text = JSON.stringify(list, null, indent);
        const got = split(text, sizes);
        assert.deepEqual(got.items, JSON.parse(text).items);
        assert.deepEqual(got.shell, { ...JSON.parse(text), items: [] });
      },
    ),
    { numRuns: 300 },
  );
});

test('a list cut off at any byte is an error, never a shorter list', () => {
  const text = JSON.stringify({
    kind: 'XList',
    metadata: { resourceVersion: '1' },
    items: [{ a: '"]}\\' }, { b: [1, { c: 'ü' }] }],
  });
  const bytes = Buffer.from(text);
  for (let end = 0; end < bytes.length; end++)
    assert.throws(() => split(bytes.subarray(0, end)), malformed, `cut at ${end}`);
  assert.equal(split(bytes).items.length, 2);
});

const wrong: readonly (readonly [string, string])[] = [
  ['no JSON at all', '<html>'],
  ['a list instead of an object', '[{"items":[]}]'],
  ['a text', '"items"'],
  ['items that are no objects', '{"items":[1]}'],
  ['items without commas', '{"items":[{} {}]}'],
  ['a comma at the end', '{"items":[{},]}'],
  ['a comma at the beginning', '{"items":[,{}]}'],
  ['items twice', '{"items":[],"items":[]}'],
  ['something after the end', '{"items":[]}{}'],
  ['a wrong pair of brackets', '{"items":[{]]}'],
  ['nothing', ''],
  ['blanks', '  \n '],
];
for (const [what, text] of wrong)
  test(`refuses ${what}`, () => {
    assert.throws(
      () => split(text),
      (error) => malformed(error) || error instanceof SyntaxError, // an item's own syntax is told by its parser
    );
  });

test('null items are an empty list', () => {
  assert.deepEqual(split('{"kind":"XList","metadata":{},"items":null}').items, []);
});

test('an item, the shell and the nesting have limits', () => {
  const limits = { maxItem: 1000, maxShell: 1000, maxDepth: 20 };
  const long = 'x'.repeat(2000);
  for (const text of [
    `{"items":[{"a":"${long}"}]}`,
    `{"metadata":{"a":"${long}"},"items":[]}`,
    `{"items":[{"a":${'['.repeat(30)}${']'.repeat(30)}}]}`,
    `{"metadata":${'['.repeat(30)}${']'.repeat(30)},"items":[]}`,
  ])
    for (const sizes of [[], [7]]) assert.throws(() => split(text, sizes, limits), malformed);
});

test('long strings with escapes keep their ends, wherever the chunks break', () => {
  const text = JSON.stringify({
    items: [{ a: `${'y'.repeat(100)}\\"${'z'.repeat(100)}\\\\`, b: '\\'.repeat(101) }, { c: 1 }],
  });
  for (const size of [1, 2, 3, 49, 50, 51, 97]) assert.deepEqual(split(text, [size]).items, JSON.parse(text).items);
});
