import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const sources = ['src/**/*.test.ts', 'test/{compat,e2e}/**/*.test.ts']
  .flatMap((pattern) => globSync(join(root, pattern)))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

// A title begins with its rows (`48, 66: …`), or ends with them in brackets where it begins with what it is about.
const id = '(?:[A-Z]+-?\\d+|\\d+)';
const heads = new RegExp(`['"\`](${id}(?:(?:, | and )${id})*): `, 'g');
const tails = /\((\d+(?:, \d+)*)\)['"`]/g;
const tested = new Set(
  [heads, tails].flatMap((form) =>
    [...sources.matchAll(form)]
      .flatMap((found) => found[1]?.split(/, | and /) ?? [])
      .filter((text) => /^\d+$/.test(text)),
  ),
);
const document = readFileSync(join(root, 'docs/compatibility.md'), 'utf8');
// Lines of ids only, and items that end with theirs; other sentences may name rows freely.
const due = new Set(
  document
    .slice(document.indexOf('## Due with the running'))
    .split('\n')
    .flatMap((line) => /^(?:- .*: )?((?:[A-Z]+-?\d+|\d+)(?: (?:[A-Z]+-?\d+|\d+))*)$/.exec(line)?.[1]?.split(' ') ?? [])
    .filter((text) => /^\d+$/.test(text)),
);

test('every row of the acceptance scenarios is a title somewhere or listed as due', () => {
  const rows = Array.from({ length: 144 }, (_, n) => String(n + 1));
  assert.deepEqual(
    rows.filter((row) => !tested.has(row) && !due.has(row)),
    [],
  );
});

test('nothing is listed as due that is tested', () => {
  assert.deepEqual(
    [...due].filter((row) => tested.has(row)),
    [],
  );
});
