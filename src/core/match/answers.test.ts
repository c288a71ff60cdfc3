import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  type Compiled,
  compileGlob,
  compilePathPattern,
  compileRegex,
  normalizeRepositoryUrl,
  type PatternProblem,
} from './index.ts';

/**
 * Rows of [pattern, text, answer], answered by the libraries Argo CD is built with: gobwas/glob 0.2.3, Go's path.Match,
 * dlclark/regexp2 1.11.5, and Go's net/url behind Argo CD's normalisation. Drawn at random from an alphabet that is
 * mean to patterns.
 */
type Row = readonly [string, string, string];
const answers = JSON.parse(readFileSync(new URL('testdata/answers.json', import.meta.url), 'utf8')) as Record<
  string,
  readonly Row[]
>;

const answerOf = (compiled: Compiled | PatternProblem, text: string): string =>
  !compiled.ok ? 'bad' : compiled.matches(text) ? 'yes' : 'no';

const dialects: readonly [string, (pattern: string, text: string) => string][] = [
  ['glob', (pattern, text) => answerOf(compileGlob(pattern), text)],
  ['glob/', (pattern, text) => answerOf(compileGlob(pattern, { separators: '/' }), text)],
  ['path', (pattern, text) => answerOf(compilePathPattern(pattern), text)],
  ['regex', (pattern, text) => answerOf(compileRegex(pattern), text)],
  ['url', (_pattern, text) => normalizeRepositoryUrl(text) ?? '<error>'],
];

for (const [dialect, answer] of dialects) {
  test(`${dialect}: agrees with the library Argo CD uses`, () => {
    const rows = answers[dialect] ?? [];
    assert.ok(rows.length >= 250, `${rows.length} rows`);
    const wrong = rows.filter(([pattern, text, wanted]) => answer(pattern, text) !== wanted);
    assert.deepEqual(wrong, []);
  });
}
