import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planWatches } from './index.ts';

test('literal namespaces are watched one by one, anything else everywhere', () => {
  const rows: readonly [readonly string[], boolean, readonly string[]][] = [
    [[], false, []],
    [['a', 'b', 'a'], false, ['a', 'b']],
    [['argocd'], false, []],
    [['a', 'argocd'], false, ['a']],
    [['a', 'team-*'], true, []],
    [['*'], true, []],
    [['/^a$/'], true, []],
    [['a\\*'], false, ['a*']],
    [['['], false, []],
    [['/(/', 'a'], false, ['a']],
    [[''], false, []],
  ];
  for (const [patterns, everywhere, namespaces] of rows) {
    const plan = planWatches(patterns, 'argocd');
    assert.equal(plan.everywhere, everywhere, JSON.stringify(patterns));
    assert.deepEqual(plan.namespaces, namespaces, JSON.stringify(patterns));
  }
});

test('A6 to A10: which namespaces count', () => {
  const rows: readonly [readonly string[], string, boolean][] = [
    [[], 'foo-ns', false],
    [['team-*'], 'team-x', true],
    [['team-*'], 'other', false],
    [['/^((?!secret).)*$/'], 'my-secret', false],
    [['/^((?!secret).)*$/'], 'my-app', true],
    [['/team-a/'], 'x-team-a-y', true],
    [['!bad'], 'good', false],
    [['*'], 'argocd', false],
    [['argocd'], 'argocd', false],
    [['['], 'x', false],
    [['constructor'], 'constructor', true],
    [['a'], '__proto__', false],
  ];
  for (const [patterns, namespace, wanted] of rows) {
    assert.equal(planWatches(patterns, 'argocd').includes(namespace), wanted, `${patterns.join()} on ${namespace}`);
  }
});
