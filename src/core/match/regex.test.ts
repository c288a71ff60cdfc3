import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileNamespacePattern, compileRegex, isRegexPattern } from './index.ts';

function matches(source: string, text: string): boolean {
  const compiled = compileRegex(source);
  assert.ok(compiled.ok, compiled.ok ? '' : `${source} ${compiled.message}`);
  return compiled.matches(text);
}

test('a regex matches anywhere unless it is anchored', () => {
  const rows: readonly [string, string, boolean][] = [
    ['team-a', 'evil-team-a-x', true],
    ['^team-a$', 'evil-team-a-x', false],
    ['^team-a$', 'team-a', true],
    ['^team-a$', 'team-a\n', true],
    ['^team-a\\z', 'team-a\n', false],
    ['', 'anything', true],
    ['^$', '', true],
    ['^$', 'x', false],
  ];
  for (const [source, text, wanted] of rows) assert.equal(matches(source, text), wanted, `${source} on ${text}`);
});

test('lookaheads keep names out', () => {
  assert.equal(matches('^((?!secret).)*$', 'my-secret'), false);
  assert.equal(matches('^((?!secret).)*$', 'my-app'), true);
  assert.equal(matches('^(?!kube-)(?!argocd$).*$', 'kube-system'), false);
  assert.equal(matches('^(?!kube-)(?!argocd$).*$', 'argocd'), false);
  assert.equal(matches('^(?!kube-)(?!argocd$).*$', 'argocd-apps'), true);
  assert.equal(matches('^(?=.*prod)(?=.*eu).+$', 'eu-west-prod'), true);
  assert.equal(matches('^(?=.*prod)(?=.*eu).+$', 'us-west-prod'), false);
  assert.equal(matches('^(?!(?!a)b).', 'b'), false);
  assert.equal(matches('^(?=(?=a)a(?!c))', 'ac'), false);
});

test('classes, repeats and boundaries read as usual', () => {
  const rows: readonly [string, string, boolean][] = [
    ['^[a-z0-9-]+$', 'team-1', true],
    ['^[a-z0-9-]+$', 'Team', false],
    ['^[^-]+$', 'a-b', false],
    ['^[]a]+$', ']a', true],
    ['^\\w{3,5}$', 'abcd', true],
    ['^\\w{3,5}$', 'ab', false],
    ['^\\w{3}$', 'abc', true],
    ['^\\w{3,}$', 'abcdef', true],
    ['^a{,2}$', 'a{,2}', true],
    ['^(?:dev|stage)-\\d+$', 'stage-12', true],
    ['^(?<env>dev)-x$', 'dev-x', true],
    ['\\bteam\\b', 'my team!', true],
    ['\\bteam\\b', 'teams', false],
    ['^\\x61\\u0062$', 'ab', true],
    ['^a.c$', 'a\nc', false],
    ['^a+?b??c*?$', 'aac', true],
  ];
  for (const [source, text, wanted] of rows) assert.equal(matches(source, text), wanted, `${source} on ${text}`);
});

test('what cannot be bounded or has no meaning is refused with its reason', () => {
  const rows: readonly [string, RegExp][] = [
    ['(a)\\1', /back-reference/],
    ['(?<x>a)\\k<x>', /back-reference/],
    ['(?<=a)b', /lookbehind/],
    ['(?<!a)b', /lookbehind/],
    ['(?>a)', /not supported/],
    ['(?i)a', /not supported/],
    ['(?(a)b|c)', /not supported/],
    ['\\p{L}', /\\p, which is not supported/],
    ['[a-z-[aeiou]]', /subtracts classes/],
    ['[z-a]', /runs backwards/],
    ['a{3,1}', /runs backwards/],
    ['[a', /not closed/],
    ['(a', /open parenthesis/],
    ['a)', /closing parenthesis too many/],
    ['*a', /repeats nothing/],
    ['a**', /repeats a repeat/],
    ['a\\', /ends with a backslash/],
    ['('.repeat(60) + ')'.repeat(60), /too deep/],
  ];
  for (const [source, wanted] of rows) {
    const compiled = compileRegex(source);
    assert.ok(!compiled.ok, source);
    assert.match(compiled.message, wanted, source);
  }
});

test('plain regexes agree with the engine of the language', () => {
  const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '(a|b)', '(?:ab)', '(?=a)', '(?!b)', '^', '$');
  const part = fc
    .tuple(atom, fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}'))
    .map(([each, repeat]) =>
      '^$'.includes(each) || each.startsWith('(?=') || each.startsWith('(?!') ? each : `${each}${repeat}`,
    );
  const source = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 }).map((chars) => chars.join(''));
  fc.assert(
    fc.property(source, text, (pattern, sample) => {
      assert.equal(matches(pattern, sample), new RegExp(pattern, 'su').test(sample), `${pattern} on ${sample}`);
    }),
    { numRuns: 5000 },
  );
});

test('an entry in slashes is a regex, and is tried as a glob, too', () => {
  assert.equal(isRegexPattern('/a/'), true);
  assert.equal(isRegexPattern('//'), false);
  assert.equal(isRegexPattern('team-*'), false);
  const entry = compileNamespacePattern('/^b$/');
  assert.ok(entry.ok);
  assert.equal(entry.matches('b'), true);
  assert.equal(entry.matches('/^b$/'), true);
  assert.equal(entry.matches('c'), false);
});

test('a regex without both anchors is marked, so that a warning can say so', () => {
  const rows: readonly [string, boolean][] = [
    ['/team-a/', true],
    ['/^team-a/', true],
    ['/team-a$/', true],
    ['/^team-a\\$/', true],
    ['/^team-a$/', false],
    ['team-*', false],
  ];
  for (const [pattern, wanted] of rows) {
    const entry = compileNamespacePattern(pattern);
    assert.ok(entry.ok);
    assert.equal(entry.unanchored, wanted, pattern);
  }
});

test('an entry with a bad regex or a bad glob is a problem', () => {
  for (const pattern of ['/(/', '/(a)\\1/', '[']) assert.equal(compileNamespacePattern(pattern).ok, false, pattern);
});
