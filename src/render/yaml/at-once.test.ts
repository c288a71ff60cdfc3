import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { dump } from 'js-yaml';
import { readAtOnce } from './at-once.ts';
import { createParser } from './parser.ts';

const parser = createParser({ workers: 1, deadlineMs: 60_000, memoryMb: 256 });
after(() => parser.close());

test('what is read at once is read as threads read it', async () => {
  const scalars = readFileSync(new URL('./testdata/scalars.yaml', import.meta.url));
  const texts = ['', '# nothing\n', 'a: 1\n---\nb: {c: 2, c: 3}\n', 'n: 12345678901234567890\nm: 9007199254740993\n'];
  const files = [...texts.map((text) => Buffer.from(text)), Buffer.from('\ufeffa: ü', 'utf16le')];
  const sections = scalars.toString().split(/(?<=\n)(?= {2}[a-z])/);
  for (const [, ...rows] of [sections]) files.push(...rows.map((row) => Buffer.from(row.replace(/^ {2}/gm, ''))));
  let read = 0;
  for (const file of files) {
    const here = readAtOnce([file]);
    if (here === undefined) continue;
    read++;
    assert.deepEqual(here, await parser.parse([file]), file.toString());
  }
  assert.ok(read > texts.length);
});

test('any small JSON written as YAML is read at once as threads read it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue({ maxDepth: 3 }), { minLength: 1, maxLength: 4 }), async (values) => {
      const files = values.map((value) => Buffer.from(dump({ value })));
      const here = readAtOnce(files);
      if (here !== undefined) assert.deepEqual(here, await parser.parse(files));
    }),
    { numRuns: 100 },
  );
});

const refused: [why: string, texts: readonly string[]][] = [
  ['is large', [`a: ${'x'.repeat(4096)}`]],
  ['is large together', ['a', 'b', 'c', 'd'].map((key) => `${key}: ${'x'.repeat(1100)}`)],
  ['has an anchor', ['a: &b {c: 1}\nd: *b\n']],
  ['merges', ['a: {<<: {b: 1}}\n']],
  ['has to be mended', ['a: {\n  b: 1\n}\n']],
  ['is broken', ['a: 1', 'b: [']],
  ['is no text', ['a: \xff\xfe'].map((text) => text)],
];
for (const [why, texts] of refused)
  test(`what ${why} is left to threads`, () => {
    const encoding = why === 'is no text' ? 'latin1' : 'utf8';
    assert.equal(readAtOnce(texts.map((text) => Buffer.from(text, encoding))), undefined);
  });
