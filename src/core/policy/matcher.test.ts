import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileGlob, normalizeRepositoryUrl } from '../match/index.ts';
import { matcherOf, normalizedRepository } from './matcher.ts';
import { TextIndex } from './text-index.ts';

const piece = fc.constantFrom(
  'https://',
  'http://',
  'git',
  '.',
  '-',
  '/',
  ':',
  '80',
  'A',
  '.git',
  '~',
  '_',
  '%',
  '@',
  ' ',
  '?',
  '#',
);

test('the short way to normalise an address answers as the long one', () => {
  const address = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(address, (url) => assert.equal(normalizedRepository(url), normalizeRepositoryUrl(url))),
    { numRuns: 3000 },
  );
});

test('an index finds exactly the patterns that match', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 8 });
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '-', '*', '?', '[', ']'), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(pattern, { maxLength: 20 }), text, (patterns, wanted) => {
      const index = new TextIndex<string>();
      const sound = patterns.filter((each) => compileGlob(each).ok);
      for (const each of sound) index.add(matcherOf(each), each);
      const found = new Set<string>();
      index.each(wanted, (each) => {
        if (matcherOf(each)?.matches(wanted) === true) found.add(each);
      });
      const expected = new Set(sound.filter((each) => matcherOf(each)?.matches(wanted) === true));
      assert.deepEqual([...found].sort(), [...expected].sort());
    }),
    { numRuns: 2000 },
  );
});
