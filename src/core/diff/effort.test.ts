import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IgnoreDifference } from '../api/index.ts';
import { compileJq, matchesOf } from '../jq/index.ts';
import type { Json } from '../json/index.ts';
import { printKey } from '../objects/index.ts';
import { Effort } from './effort.ts';
import { type Comparison, compare, targetsOf } from './index.ts';

/** So many ConfigMaps, each with a field that nobody asked for, compared under the rules. */
function compared(count: number, ignoreDifferences: readonly IgnoreDifference[], data: Json = { a: 'b' }): Comparison {
  const objects = Array.from({ length: count }, (_, n) => ({
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c-${n}` }, data },
    source: 0,
  }));
  const targets = targetsOf(objects, { instance: 'app', destinationNamespace: 'ns', namespaced: () => true });
  const live = targets.map(({ key, object }) => {
    const metadata = { ...object.metadata, uid: key.name, resourceVersion: '1' };
    return [printKey(key), { key, object: { ...object, metadata, data: { a: 'other' } } }] as const;
  });
  return compare(targets, { objects: new Map(live), unknown: new Map() }, { instance: 'app', ignoreDifferences });
}

const kind = { group: '', kind: 'ConfigMap' };
const rules = (count: number, rule: (n: number) => Partial<IgnoreDifference>): IgnoreDifference[] =>
  Array.from({ length: count }, (_, n) => ({ ...kind, ...rule(n) }));

const tooMuch: readonly [string, number, IgnoreDifference[]][] = [
  ['an expression without end', 200, rules(1, () => ({ jqPathExpressions: ['.data | recurse(.)'] }))],
  ['a hundred expressions', 500, rules(100, (n) => ({ jqPathExpressions: [`.data.k${n} | .. | ..`] }))],
  ['thousands of pointers', 3000, rules(3000, (n) => ({ jsonPointers: [`/data/k${n}`] }))],
];
for (const [what, count, written] of tooMuch) {
  test(`${what} for ${count} objects: the Application cannot be compared, and says why`, () => {
    const { status, errors } = compared(count, written);
    assert.equal(status, 'Unknown');
    assert.match(errors.join(), /^the ignoreDifferences of this Application cost too much/);
  });
}

test('one object may not take as long as all of them together', () => {
  const large = { a: 'b', ...Object.fromEntries(Array.from({ length: 1500 }, (_, n) => [`k${n}`, 'x'])) };
  const rule = [{ ...kind, jqPathExpressions: ['.. | .. | .. | select(. == "nothing")'] }];
  assert.equal(compared(1, rule, large).status, 'Unknown');
  const effort = new Effort();
  const one = compileJq('.. | ..');
  assert.ok(one.ok);
  const steps = (): number => {
    const meter = { steps: 1_000_000 };
    matchesOf(one, large, meter);
    return 1_000_000 - meter.steps;
  };
  // More than one object may take, and less than all of them.
  const rounds = Math.floor(40_000 / steps()) + 1;
  for (let n = 0; n < rounds; n++) effort.matches(one, large);
  assert.equal(effort.isSpent, true);
  const others = new Effort();
  for (let n = 0; n < rounds; n++) {
    others.nextObject(0);
    others.matches(one, large);
  }
  assert.equal(others.isSpent, false);
});

const fair: readonly [string, number, IgnoreDifference[]][] = [
  [
    'two expressions',
    5000,
    rules(2, (n) => ({ jqPathExpressions: [n === 0 ? '.data.a' : '.data[] | select(. == "x")'] })),
  ],
  ['fifty pointers', 5000, rules(50, (n) => ({ jsonPointers: [n === 0 ? '/data/a' : `/data/k${n}`] }))],
  ['a thousand pointers', 50, rules(1000, (n) => ({ jsonPointers: [n === 0 ? '/data/a' : `/data/k${n}`] }))],
];
for (const [what, count, written] of fair) {
  test(`${what} for ${count} objects are no trouble`, () => {
    const { status, errors } = compared(count, written);
    assert.deepEqual([status, errors], ['Synced', []]);
  });
}
