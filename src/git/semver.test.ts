import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareVersions, isVersion, parseConstraint, parseVersion, pickVersion, satisfies } from './semver.ts';

const rows: [constraint: string, inside: string[], outside: string[]][] = [
  ['=1.2.3', ['1.2.3', 'v1.2.3', '1.2.3+build'], ['1.2.4', '1.2.3-rc.1']],
  ['1.2.x', ['1.2.0', '1.2.9'], ['1.3.0', '1.2.5-rc.1']],
  ['1.x', ['1.0.0', '1.9.9'], ['2.0.0', '0.9.9']],
  ['1.*', ['1.0.0', '1.9.9'], ['2.0.0']],
  ['*', ['0.0.0', '1.0.0', '99.1.1'], ['1.0.0-alpha']],
  ['~1.2.3', ['1.2.3', '1.2.9'], ['1.2.2', '1.3.0']],
  ['~1.2', ['1.2.0', '1.2.9'], ['1.3.0', '1.1.9']],
  ['~1', ['1.0.0', '1.9.0'], ['2.0.0', '0.9.0']],
  ['~>1.2.3', ['1.2.3', '1.2.9'], ['1.3.0']],
  ['^1.2.3', ['1.2.3', '1.9.0'], ['1.2.2', '2.0.0']],
  ['^0.2.3', ['0.2.3', '0.2.9'], ['0.3.0', '0.2.2', '1.0.0']],
  ['^0.0.3', ['0.0.3'], ['0.0.4', '0.0.2']],
  ['^0.0', ['0.0.0', '0.0.9'], ['0.1.0']],
  ['^0', ['0.0.0', '0.9.9'], ['1.0.0']],
  ['^1', ['1.0.0', '1.9.9'], ['2.0.0']],
  ['>1.2.3', ['1.2.4', '2.0.0'], ['1.2.3']],
  ['>11', ['12.0.0'], ['11.1.0', '11.0.0']],
  ['>11.1', ['11.2.1', '12.0.0'], ['11.1.1']],
  ['<1.2', ['1.1.9'], ['1.2.0']],
  ['<=1.2', ['1.2.9', '1.0.0'], ['1.3.0']],
  ['<=1', ['1.9.9'], ['2.0.0']],
  ['<=1.2.3', ['1.2.3'], ['1.2.4']],
  ['>=1.2', ['1.2.0', '9.0.0'], ['1.1.9']],
  ['=>1.2', ['1.2.0'], ['1.1.9']],
  ['!=1.2.3', ['1.2.4', '1.0.0'], ['1.2.3']],
  ['!=1.2', ['1.3.0'], ['1.2.3']],
  ['!=1.x', ['2.0.0'], ['1.2.3']],
  ['>=1.0.0 <2.0.0', ['1.5.0'], ['2.0.0', '0.9.0']],
  ['>=1.0.0, <2.0.0', ['1.5.0'], ['2.0.0']],
  ['>= 1.0.0,<2', ['1.5.0'], ['2.0.0']],
  ['1.2 - 1.4.5', ['1.2.0', '1.4.5'], ['1.1.9', '1.4.6']],
  ['1.x || >=3.0.0', ['1.1.0', '3.0.1'], ['2.5.0']],
  ['>=1.0.0-0', ['1.0.0-alpha', '1.0.0', '2.0.0-rc.1'], ['0.9.9']],
  ['>=1.0.0-beta.2', ['1.0.0-beta.11', '1.0.0-rc.1', '1.0.0'], ['1.0.0-beta.1', '1.0.0-alpha']],
  ['~0.0.0', ['0.0.0', '5.0.0'], []],
];
for (const [text, inside, outside] of rows)
  test(`the constraint ${text} takes what Masterminds takes`, () => {
    const constraint = parseConstraint(text);
    assert.ok(constraint);
    const takes = (name: string): boolean => {
      const version = parseVersion(name);
      assert.ok(version, name);
      return satisfies(version, constraint);
    };
    assert.deepEqual(inside.filter(takes), inside);
    assert.deepEqual(outside.filter(takes), []);
  });

test('a version by itself is a name, other texts are constraints or neither', () => {
  for (const text of ['1.2.3', 'v1', '1.2', 'v1.2.3-rc.1+build']) assert.ok(isVersion(text), text);
  for (const text of [
    'main',
    '',
    'release-1.x',
    'feature/1.2',
    '>=',
    '1..2',
    '>=1.0.0 and <2',
    'v',
    'x.y.z',
    '1.2.3.4',
    `>=${'1'.repeat(400)}`,
  ])
    assert.equal(isVersion(text) || (parseConstraint(text) !== undefined && text !== 'x.y.z'), false, text);
});

test('T-042: a constraint of 100 KB is no constraint, and is told so at once', () => {
  assert.equal(parseConstraint('>=1.0.0 '.repeat(12_500)), undefined);
  assert.equal(parseConstraint(`${'1.'.repeat(50_000)}x`), undefined);
});

test('picks the highest version, whatever the order of the tags', () => {
  const tags = ['v1.0.0', 'v1.10.0', 'v1.9.0', 'main', 'v2.0.0-rc.1', '1.10.0'];
  const constraint = parseConstraint('1.x');
  assert.ok(constraint);
  fc.assert(
    fc.property(
      fc.shuffledSubarray(tags, { minLength: tags.length }),
      (shuffled) => pickVersion(constraint, shuffled) === '1.10.0',
    ),
  );
});

const version = fc
  .tuple(fc.nat(3), fc.nat(3), fc.nat(3), fc.constantFrom('', '-alpha', '-alpha.1', '-alpha.10', '-beta', '-1', '-0'))
  .map(([a, b, c, pre]) => `${a}.${b}.${c}${pre}`);
test('the order of versions is total', () => {
  fc.assert(
    fc.property(version, version, version, (x, y, z) => {
      const [a, b, c] = [parseVersion(x), parseVersion(y), parseVersion(z)];
      assert.ok(a && b && c);
      assert.equal(Math.sign(compareVersions(a, b)), -Math.sign(compareVersions(b, a)) + 0);
      if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0) assert.ok(compareVersions(a, c) <= 0);
      assert.equal(compareVersions(a, b) === 0, x === y);
    }),
  );
});
