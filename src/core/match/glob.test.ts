import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileGlob, maxPatternLength } from './index.ts';
import { plainly } from './testdata/plainly.ts';

function matches(pattern: string, text: string, separators = ''): boolean {
  const compiled = compileGlob(pattern, { separators });
  assert.ok(compiled.ok, `${pattern} must compile`);
  return compiled.matches(text);
}

test('each token means what the grammar says', () => {
  const rows: readonly [pattern: string, text: string, separators: string, wanted: boolean][] = [
    ['team-*', 'team-a', '', true],
    ['team-*', 'team-', '', true],
    ['team-*', 'my-team-a', '', false],
    ['*', 'a/b', '', true],
    ['a*', 'a/b', '', true],
    ['a*', 'a/b', '/', false],
    ['a**', 'a/b', '/', true],
    ['a*b', 'a/b', '/', false],
    ['a**b', 'a/x/b', '/', true],
    ['?', 'a', '', true],
    ['?', '/', '/', false],
    ['?', '', '', false],
    ['[abc]', 'b', '', true],
    ['[a-c]', 'b', '', true],
    ['[!abc]', 'd', '', true],
    ['[!a-c]', 'b', '', false],
    ['[^a]', '^', '', true],
    ['{a,b,*c}', 'xxc', '', true],
    ['{a,{b,c}}d', 'cd', '', true],
    ['{,x}a', 'a', '', true],
    ['\\*', '*', '', true],
    ['\\*', 'a', '', false],
    ['a,b}', 'a,b}', '', true],
    ['', '', '', true],
    ['', 'a', '', false],
    ['!bad', '!bad', '', true],
    ['!bad', 'good', '', false],
    ['Team', 'team', '', false],
    ['https://git.example.com/team/*', 'https://git.example.com/team/sub/app', '/', false],
    ['https://git.example.com/team/**', 'https://git.example.com/team/sub/app', '/', true],
  ];
  for (const [pattern, text, separators, wanted] of rows) {
    assert.equal(matches(pattern, text, separators), wanted, `${pattern} on ${text} (${separators})`);
  }
});

test('a lone star matches every text, separators or not', () => {
  assert.ok(matches('*', 'https://a/b/c', '/'));
  assert.ok(matches('*', '', '/'));
});

test('a pattern that cannot be read says why', () => {
  const rows: readonly [string, RegExp][] = [
    ['[', /class that is not closed/],
    ['[a', /class that is not closed/],
    ['[]', /empty class/],
    ['[!]', /empty class/],
    ['[a-', /range that is not closed/],
    ['[a-zA-Z]', /range that is not closed/],
    ['[z-a]', /range that runs backwards/],
    ['{a', /open brace/],
    ['{a,{b}', /open brace/],
    ['{'.repeat(80), /too deep/],
    ['a'.repeat(maxPatternLength + 1), /longer than 1024/],
  ];
  for (const [pattern, wanted] of rows) {
    const compiled = compileGlob(pattern);
    assert.ok(!compiled.ok, pattern);
    assert.match(compiled.message, wanted, pattern);
  }
});

test('where the library has defects, the grammar is followed', () => {
  // gobwas 0.2.3 answers the opposite in each of these: overlapping ends, empty text, several bytes in one character.
  assert.equal(matches('b*b', 'b'), false);
  assert.equal(matches('[!a]', ''), false);
  assert.equal(matches('?b', 'üb'), true);
  assert.equal(matches('*{}', 'a'), true);
  assert.equal(matches('?***', 'a', '/'), true);
});

test('a literal pattern gives its text, for look-ups in a map', () => {
  for (const [pattern, literal] of [
    ['team-a', 'team-a'],
    ['a\\*b', 'a*b'],
    ['', ''],
    ['team-*', undefined],
  ] as const) {
    const compiled = compileGlob(pattern);
    assert.ok(compiled.ok);
    assert.equal(compiled.literal, literal);
  }
});

const letters = (alphabet: string, max: number) =>
  fc.array(fc.constantFrom(...Array.from(alphabet)), { maxLength: max }).map((chars) => chars.join(''));

test('any mix of stars, marks and letters agrees with a matcher that tries everything', () => {
  const pattern = letters('ab/*?', 8).filter((text) => text !== '*');
  fc.assert(
    fc.property(pattern, letters('ab/', 8), (glob, text) => {
      assert.equal(matches(glob, text, '/'), plainly(glob, text, '/'), `${glob} on ${text}`);
    }),
    { numRuns: 5000 },
  );
});

test('a text escaped character by character matches itself and nothing else', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), fc.string({ maxLength: 40 }), (text, other) => {
      const escaped = Array.from(text, (char) => `\\${char}`).join('');
      assert.ok(matches(escaped, text));
      assert.equal(matches(escaped, other), text === other);
    }),
  );
});

test('every match begins with the prefix that was promised', () => {
  fc.assert(
    fc.property(letters('ab*?/', 8), letters('ab/', 8), (glob, text) => {
      const compiled = compileGlob(glob, { separators: '/' });
      if (compiled.ok && compiled.matches(text)) assert.ok(text.startsWith(compiled.prefix));
    }),
  );
});
