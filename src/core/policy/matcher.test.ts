import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileGlob, normalizeRepositoryUrl } from '../match/index.ts';
import { matcherOf, normalizedRepository, sourceMatcherOf } from './matcher.ts';
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

test('a pattern with an open end answers as the glob it is', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '/', '-'), maxLength: 6 });
  const pattern = fc.tuple(text, fc.constantFrom('', '*', '**')).map(([head, tail]) => head + tail);
  fc.assert(
    fc.property(pattern, text, (glob, wanted) => {
      for (const [own, separators] of [
        [matcherOf(glob), ''],
        [sourceMatcherOf(glob), '/'],
      ] as const) {
        const compiled = compileGlob(glob, { separators });
        assert.equal(own?.matches(wanted), compiled.ok && compiled.matches(wanted));
      }
    }),
    { numRuns: 2000 },
  );
});

test('an index finds exactly the patterns that match', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 8 });
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '-', '*', '?', '[', ']'), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(pattern, { maxLength: 20 }), text, (patterns, wanted) => {
      const index = new TextIndex<{ readonly glob: string }>();
      const sound = patterns.filter((each) => compileGlob(each).ok);
      for (const each of sound) index.add(matcherOf(each), { glob: each });
      const found = new Set<string>();
      index.each(wanted, ({ glob }) => {
        if (matcherOf(glob)?.matches(wanted) === true) found.add(glob);
      });
      const expected = new Set(sound.filter((each) => matcherOf(each)?.matches(wanted) === true));
      assert.deepEqual([...found].sort(), [...expected].sort());
    }),
    { numRuns: 2000 },
  );
});
