import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePathPattern } from './index.ts';

test('resource lists match as path.Match does', () => {
  const rows: readonly [string, string, boolean][] = [
    ['*', 'Deployment', true],
    ['*', 'a/b', false],
    ['', '', true],
    ['', 'apps', false],
    ['apps', 'apps', true],
    ['*.example.io', 'x.example.io', true],
    ['*.example.io', 'x/y.example.io', false],
    ['shop-*', 'shop-a', true],
    ['shop-?', 'shop-a', true],
    ['shop-?', 'shop-', false],
    ['[A-C]*', 'ConfigMap', true],
    ['[^A-C]*', 'ConfigMap', false],
    ['[!A]*', '!x', true],
    ['\\*', '*', true],
    ['{a,b}', '{a,b}', true],
    ['**', 'a/b', false],
    ['constructor', 'constructor', true],
  ];
  for (const [pattern, text, wanted] of rows) {
    const compiled = compilePathPattern(pattern);
    assert.ok(compiled.ok, pattern);
    assert.equal(compiled.matches(text), wanted, `${pattern} on ${text}`);
  }
});

test('a malformed pattern is a problem', () => {
  for (const pattern of ['[', '[]', '[a', '[a-', '[-]', '[^', 'a\\', '[]a]']) {
    assert.equal(compilePathPattern(pattern).ok, false, pattern);
  }
});
