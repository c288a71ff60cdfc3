import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Compiled,
  compileGlob,
  compileNamespacePattern,
  compilePathPattern,
  compileRegex,
  type PatternProblem,
} from './index.ts';

/** Steps of one match. Each promise below is a multiple of pattern × text, whoever wrote them. */
function steps(compiled: Compiled | PatternProblem, text: string): number {
  assert.ok(compiled.ok, compiled.ok ? '' : compiled.message);
  const counter = { steps: 0 };
  compiled.matches(text, counter);
  assert.ok(counter.steps > 0, 'the work was counted');
  return counter.steps;
}

const long = `${'a'.repeat(4000)}!`;

test('patterns made to explode cost no more than a multiple of pattern × text', () => {
  const hostile: readonly [string, Compiled | PatternProblem][] = [
    ['/^(a+)+$/', compileRegex('^(a+)+$')],
    ['/(a*)*b/', compileRegex('(a*)*b')],
    ['/(a|a)*$/', compileRegex('(a|a)*$')],
    ['/(a|aa)+$/', compileRegex('(a|aa)+$')],
    ['/(.*a){12}$/', compileRegex('(.*a){12}$')],
    ['/^(?=(a+)+$)/', compileRegex('^(?=(a+)+$)')],
    ['/(?!.*(a+)+b)a/', compileRegex('(?!.*(a+)+b)a')],
    ['/((((a?)*)*)*)*$/', compileRegex('((((a?)*)*)*)*$')],
    ['a*a*…b', compileGlob(`${'a*'.repeat(500)}b`)],
    ['**a**a…b with separators', compileGlob(`${'**a*'.repeat(250)}b`, { separators: '/' })],
    ['{a,*}{a,*}…b', compileGlob(`${'{a,*}'.repeat(80)}b`)],
    ['path *a*a…b', compilePathPattern(`${'*a'.repeat(400)}b`)],
  ];
  for (const [name, compiled] of hostile) {
    const length = 1024;
    assert.ok(steps(compiled, long) <= 16 * length * (long.length + 1), `${name}: ${steps(compiled, long)}`);
  }
});

test('twice the text is about twice the work', () => {
  for (const compiled of [compileRegex('^(a+)+$'), compileGlob('*a?a*b*{c,d}'), compileRegex('^((?!secret).)*$')]) {
    const [one, two] = [steps(compiled, 'a'.repeat(1000)), steps(compiled, 'a'.repeat(2000))];
    assert.ok(two / one < 2.2, `${one} → ${two}`);
  }
});

test('twice the pattern is about twice the work', () => {
  const glob = (times: number) => compileGlob(`${'a?*'.repeat(times)}b`, { separators: '/' });
  const [one, two] = [steps(glob(50), long), steps(glob(100), long)];
  assert.ok(two / one < 2.2, `${one} → ${two}`);
});

test('random patterns of any dialect stay within the bound', () => {
  const pieces = fc.constantFrom(
    ...'ab*?+|()[]{}^$,.\\/-!'.split(''),
    '(?=',
    '(?!',
    '{2,5}',
    '(a+)+',
    '{a,b}',
    '[a-c]',
  );
  const pattern = fc.array(pieces, { maxLength: 40 }).map((each) => each.join(''));
  const compilers = [compileGlob, compilePathPattern, compileRegex, compileNamespacePattern];
  fc.assert(
    fc.property(pattern, fc.string({ maxLength: 200 }), fc.constantFrom(...compilers), (source, text, compile) => {
      const compiled = compile(source);
      if (!compiled.ok) return;
      const counter = { steps: 0 };
      compiled.matches(text, counter);
      // Counted repeats are written out, at most 2,000 states; everything else is a few per character of the pattern.
      const size = /\d/.test(source) ? 2000 : 4 * (source.length + 1);
      assert.ok(counter.steps <= 8 * size * (text.length + 1), `${source}: ${counter.steps}`);
    }),
    { numRuns: 3000 },
  );
});

test('a pattern whose repeats multiply is refused at load', () => {
  for (const source of [
    '(a{100}){100}',
    '((a{50}){50}){50}',
    '(?:[a-z]{999}|b){999}',
    'a{2000}',
    '(?:(?=a{900})){900}',
    '((){999}){999}',
    '((?!(?=(?=a{99}){99}){99})){99}',
  ]) {
    const compiled = compileRegex(source);
    assert.ok(!compiled.ok, source);
    assert.match(compiled.message, /too large|more than 1000 times/);
  }
});

test('a pattern longer than 1 KB is refused at load, whatever its dialect', () => {
  for (const compile of [compileGlob, compilePathPattern, compileRegex, compileNamespacePattern]) {
    const compiled = compile(`${'a*'.repeat(600)}`);
    assert.ok(!compiled.ok);
    assert.match(compiled.message, /longer than 1024 characters/);
  }
  const regex = compileNamespacePattern(`/${'a'.repeat(1024)}/`);
  assert.ok(!regex.ok);
});

test('a name that matches a hostile regex late is found all the same', () => {
  const compiled = compileRegex('^(a+)+b$');
  assert.ok(compiled.ok);
  assert.equal(compiled.matches(`${'a'.repeat(3000)}b`), true);
  assert.equal(compiled.matches('a'.repeat(3000)), false);
});
