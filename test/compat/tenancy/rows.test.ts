import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
// Decisions are tested here and beside what decides, what only a running controller can show in the stories.
const titles = [
  '*.test.ts',
  '../../e2e/*.test.ts',
  '../render/*.test.ts',
  '../../../src/{git,kube,settings}/**/*.test.ts',
]
  .flatMap((pattern) => globSync(join(here, pattern)))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');
const tested = new Set(
  [...titles.matchAll(/test\(\s*['"`]((?:[A-Z]+-?\d+|\d+)(?:(?:, | and )(?:[A-Z]+-?\d+|\d+))*):? /g)].flatMap(
    (found) => found[1]?.split(/, | and /) ?? [],
  ),
);
// Titles that come from a table, or from a template.
for (const [, id] of titles.matchAll(/[[{(,]\s*['"`]((?:[A-J]\d+|T-\d{3}))['"` ]/g))
  if (id !== undefined) tested.add(id);
const document = readFileSync(join(here, '../../../docs/compatibility.md'), 'utf8');
// Lines of ids only, and items that end with theirs; other sentences may name rows freely.
const due = new Set(
  document
    .slice(document.indexOf('## Due with the running'))
    .split('\n')
    .flatMap((line) => /^(?:- .*: )?((?:[A-Z]+-?\d+|\d+)(?: (?:[A-Z]+-?\d+|\d+))*)$/.exec(line)?.[1]?.split(' ') ?? [])
    .filter((id) => !/^\d+$/.test(id)),
);

const counts: readonly [letter: string, last: number][] = [
  ['A', 42],
  ['B', 27],
  ['G', 43],
  ['H', 24],
  ['I', 15],
  ['J', 45],
];
const rows = counts.flatMap(([letter, last]) => Array.from({ length: last }, (_, i) => `${letter}${i + 1}`));
const attempts = Array.from({ length: 136 }, (_, i) => `T-${String(i + 1).padStart(3, '0')}`);

test('every row and attempt is tested or listed as due', () => {
  assert.deepEqual(
    [...rows, ...attempts].filter((id) => !tested.has(id) && !due.has(id)),
    [],
  );
});

test('nothing is listed as due that is tested', () => {
  assert.deepEqual(
    [...due].filter((id) => tested.has(id)),
    [],
  );
});
