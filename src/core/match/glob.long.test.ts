import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileGlob } from './index.ts';
import { plainly } from './testdata/plainly.ts';

const pairs = 1_000_000;
const seed = 20261115;

test(`JS-06: a million random globs and names agree with a matcher that tries everything (seed ${seed})`, () => {
  const random = mulberry(seed);
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)] ?? '';
  const some = (from: readonly string[], max: number): string =>
    Array.from({ length: Math.floor(random() * (max + 1)) }, () => pick(from)).join('');
  const pieces = [
    'a',
    'b',
    '*',
    '*',
    '**',
    '?',
    '/',
    '.',
    '+',
    '(',
    ')',
    '$',
    '^',
    '|',
    '\\*',
    '\\[',
    '[ab]',
    '[!a]',
    '[a-c]',
    '{a,b}',
    '{a*,{b,}c}',
    'ü',
  ];
  const letters = ['a', 'b', 'c', '/', '.', '+', '(', '*', '[', 'ü'];
  let matched = 0;
  for (let n = 0; n < pairs; n++) {
    const [pattern, text, stop] = [some(pieces, 6), some(letters, 6), pick(['', '/'])];
    if (pattern === '*') continue;
    const compiled = compileGlob(pattern, { separators: stop });
    assert.ok(compiled.ok, pattern);
    const wanted = plainly(pattern, text, stop);
    if (wanted) matched++;
    if (compiled.matches(text) !== wanted) assert.fail(`${pattern} on ${text} with ${stop}: ${!wanted}`);
  }
  assert.ok(matched > pairs / 50, `${matched} matches: the sample must not be one-sided`);
});

function mulberry(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
