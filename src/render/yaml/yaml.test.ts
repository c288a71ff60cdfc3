import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { canonical, type Json } from '../../core/json/index.ts';
import { readDocuments } from './documents.ts';
import { createParser } from './parser.ts';

const parser = createParser({ workers: 2, deadlineMs: 10_000, memoryMb: 256 });
after(() => parser.close());

const testdata = (name: string): string => readFileSync(new URL(`./testdata/${name}`, import.meta.url), 'utf8');

/** The text of one field in kubectl's output, digits and all. */
function specOf(text: string): Record<string, Json> {
  const keep = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' && Math.abs(value) > 2 ** 53 ? `digits ${context?.source}` : value;
  // The third argument of a reviver is not yet in the compiler's library.
  const parsed = JSON.parse(text, keep as (key: string, value: unknown) => unknown) as { spec: Record<string, Json> };
  return parsed.spec;
}

test('every scalar means what kubectl takes it for', () => {
  const [document] = readDocuments(testdata('scalars.yaml')).documents;
  const ours = specOf(JSON.stringify(document?.value));
  const theirs = specOf(testdata('scalars.json'));
  assert.deepEqual(Object.keys(ours).toSorted(), Object.keys(theirs).toSorted());
  for (const [key, value] of Object.entries(theirs)) assert.equal(canonical(ours[key] ?? null), canonical(value), key);
});

for (const [title, text, expected] of [
  ['infinity', 'a: .inf', /:1: \.inf has no place in JSON/],
  ['not a number', 'a: 1\nb: .NaN', /:2: \.NaN has no place in JSON/],
  ['a list as a key', '? [a]\n: b', /key/],
  ['nothing as a key', '~: a', /key/],
  ['an open bracket', 'a: 1\nb: [', /:2: /],
  ['a tab as indentation', 'a:\n\tb: 1', /:2: /],
  ['an unknown alias', 'a: *b', /:1: unidentified alias "…"/],
] as const)
  test(`${title} is an error with its line, and without the text`, () => {
    assert.throws(() => readDocuments(text), expected);
  });

test('brackets may be closed at the beginning of a line, as Go allows', () => {
  const { documents } = readDocuments('a: {\n  b: 1\n}\nc: [\n1,\n2\n]\n');
  assert.deepEqual(documents[0]?.value, { a: { b: 1 }, c: [1, 2] });
});

test('a key that takes the place of a merged one is no duplicate; a second one is', () => {
  assert.deepEqual(readDocuments('base: &b {x: 1}\na: {<<: *b, x: 2}\n').warnings, []);
  assert.deepEqual(readDocuments('base: &b {x: 1}\na: {x: 2, <<: *b}\n').warnings, []);
  assert.equal(readDocuments('base: &b {x: 1}\na: {<<: *b, x: 2, x: 3}\n').warnings.length, 1);
  assert.equal(readDocuments('a: {x: 2, x: 3}\n').warnings.length, 1);
});

test('documents begin where they begin', () => {
  const { documents } = readDocuments('# head\n---\na: 1\n---\n# none\n---\n\n\nb: 2\n...\n---\n- c\n');
  assert.deepEqual(
    documents.map(({ line }) => line),
    [3, 9, 12],
  );
});

test('threads answer what reading here answers, for any JSON', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue({ maxDepth: 3 }), { minLength: 1, maxLength: 4 }), async (values) => {
      const files = values.map((value) => Buffer.from(JSON.stringify({ value })));
      const answers = await parser.parse(files);
      for (const [i, answer] of answers.entries()) {
        const text = JSON.stringify({ value: values[i] });
        assert.ok(answer.ok, `${text} cannot be read`);
        assert.equal(JSON.stringify(answer.documents[0]?.value), text);
      }
    }),
    { numRuns: 200 },
  );
});

test('one bad file spoils no other of the same call', async () => {
  const answers = await parser.parse(['a: 1', 'b: [', '', 'c: "ü"'].map((text) => Buffer.from(text)));
  assert.deepEqual(
    answers.map((answer) => (answer.ok ? answer.documents.map(({ value }) => value) : answer.code)),
    [[{ a: 1 }], 'render-failed', [], [{ c: 'ü' }]],
  );
});

test('a file that takes too long ends its thread, and the next one is read', async () => {
  const hasty = createParser({ workers: 1, deadlineMs: 300, memoryMb: 512 });
  const slow = Buffer.from(`a:\n${'  - {b: c, d: [e, f]}\n'.repeat(1_500_000)}`);
  const [late] = await hasty.parse([slow]);
  assert.ok(late?.ok === false && late.code === 'render-limit');
  const patient = await hasty.parse([Buffer.from('a: 1')]);
  // A thread may need longer than that to start on a busy machine; it is refused then, never left open.
  assert.equal(patient.length, 1);
  await hasty.close();
});
