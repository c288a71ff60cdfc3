import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LabelSelector, labelSelectorProblem, selectsLabels } from './index.ts';

const labels = { team: 'a', tier: 'gold' };

test('every part of a selector must hold', () => {
  const rows: readonly [LabelSelector, boolean][] = [
    [{}, true],
    [{ matchLabels: { team: 'a' } }, true],
    [{ matchLabels: { team: 'a', tier: 'silver' } }, false],
    [{ matchExpressions: [{ key: 'team', operator: 'In', values: ['a', 'b'] }] }, true],
    [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }, false],
    [{ matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] }, true],
    [{ matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['a'] }] }, false],
    [{ matchExpressions: [{ key: 'team', operator: 'Exists' }] }, true],
    [{ matchExpressions: [{ key: 'zone', operator: 'DoesNotExist' }] }, true],
    [{ matchLabels: { team: 'a' }, matchExpressions: [{ key: 'zone', operator: 'Exists' }] }, false],
  ];
  for (const [selector, wanted] of rows)
    assert.equal(selectsLabels(selector, labels), wanted, JSON.stringify(selector));
});

test('inherited names are no labels', () => {
  assert.equal(selectsLabels({ matchExpressions: [{ key: 'constructor', operator: 'Exists' }] }, labels), false);
  assert.equal(selectsLabels({ matchExpressions: [{ key: 'toString', operator: 'DoesNotExist' }] }, labels), true);
});

test('a selector that is wrong selects nothing and says why', () => {
  const wrong: readonly [LabelSelector, string][] = [
    [{ matchExpressions: [{ key: 'a', operator: 'Is' }] }, '"Is" is not a valid label selector operator'],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn' }] }, 'operator NotIn of "a" needs values'],
    [{ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['x'] }] }, 'operator Exists of "a" takes no values'],
  ];
  for (const [selector, message] of wrong) {
    assert.equal(labelSelectorProblem(selector), message);
    assert.equal(selectsLabels(selector, labels), false);
  }
});
