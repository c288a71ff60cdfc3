import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPattern, matchesPattern } from './pattern.ts';

/** Go's answers: pattern, text, whether it matches. */
const rows: readonly [string, string, boolean][] = [
  ['^[a-z]+$', 'abc', true],
  ['^[a-z]+$', 'abc\n', false],
  ['b', 'abc', true],
  ['^\\d{2}$', '12', true],
  ['^\\d{2}$', '١٢', false],
  ['^[\\w.-]+$', 'a_b.c-d', true],
  ['^\\S+$', 'a b', false],
  ['(?i)^abc$', 'ABC', true],
  ['^[[:alpha:]]+$', 'abc', true],
  ['^[[:alpha:]]+$', ':', false],
  ['\\Aab\\z', 'ab', true],
  ['\\Aab\\z', 'abc', false],
  ['^(?P<year>\\d{4})-x$', '2026-x', true],
  ['^[]a]+$', ']a', true],
  ['^[^]a]+$', 'b', true],
  ['^\\$[$]$', '$$', true],
  ['^\\pL+$', 'é', true],
  ['^.{0,2000}$', 'x'.repeat(2001), false],
  ['^(/|(/[\\w-]+)+)$', '/a/b-c', true],
  ['a|^$', '', true],
];

for (const [pattern, text, expected] of rows)
  test(`${pattern} ${expected ? 'matches' : 'does not match'} ${JSON.stringify(text.slice(0, 20))}, as in Go`, () => {
    assert.equal(matchesPattern(text, pattern), expected);
  });

test('a pattern that repeats a repetition costs no more than others', () => {
  const text = `${'a'.repeat(5000)}b`;
  assert.equal(matchesPattern(text, '^(a+)+$'), false);
  assert.equal(matchesPattern(text, '^(a|aa)*$'), false);
});

test('what is no pattern matches nothing', () => {
  assert.equal(isPattern('['), false);
  assert.equal(isPattern('(?i)^(a+)+$'), false);
  assert.equal(matchesPattern('[', '['), false);
});
