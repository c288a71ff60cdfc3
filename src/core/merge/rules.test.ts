import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../json/index.ts';
import { ruleError, schemaFromOpenApi, validate } from './index.ts';

const none = (): undefined => undefined;

/** What is wrong with `spec` under one rule, as `path: message`. */
function check(rule: JsonObject, spec: Json, old?: Json): string[] {
  const schema = schemaFromOpenApi({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          n: { type: 'integer' },
          d: { type: 'number' },
          s: { type: 'string' },
          when: { type: 'string', format: 'date-time' },
          span: { type: 'string', format: 'duration' },
          list: { type: 'array', items: { type: 'integer' } },
          map: { type: 'object', additionalProperties: { type: 'string' } },
          'x-y': { type: 'string' },
          port: { 'x-kubernetes-int-or-string': true },
        },
        'x-kubernetes-validations': [rule],
      },
    },
  });
  const options = old === undefined ? {} : { old: { spec: old } };
  return validate({ spec }, schema, none, options).map(({ path, message }) => `${path}: ${message}`);
}

const holds: readonly [string, JsonObject][] = [
  ['self.n > 1 && self.n < 3', { n: 2 }],
  ['self.d >= 0.5', { d: 0.5 }],
  ['self.d == 1.0', { d: 1 }],
  ["self.s.startsWith('a') && self.s.size() == 2", { s: 'ab' }],
  ["self.s.matches('^a+$')", { s: 'aa' }],
  ["(self.s + 'b').matches('^ab$')", { s: 'a' }],
  ["self.map.all(k, k.startsWith('a') && self.map[k] != '')", { map: { ab: 'x' } }],
  ["'a' in self.map && !('b' in self.map)", { map: { a: '' } }],
  ['self.list.all(x, x > 0) && self.list.exists(x, x == 2)', { list: [1, 2] }],
  ['self.list.map(x, x * 2) == [2, 4]', { list: [1, 2] }],
  [
    'self.list.isSorted() && self.list.sum() == 3 && self.list.max() == 2 && self.list.indexOf(2) == 1',
    { list: [1, 2] },
  ],
  ['!has(self.n) && has(self.s)', { s: '' }],
  ['self.?n.orValue(7) == 7', {}],
  ["self.when > timestamp('2025-01-01T00:00:00Z')", { when: '2026-01-01T00:00:00Z' }],
  ["self.span < duration('2h')", { span: '1h' }],
  ["self.x__dash__y == 'a'", { 'x-y': 'a' }],
  ["type(self.port) == int ? self.port > 0 : self.port.endsWith('%')", { port: 5 }],
  ["type(self.port) == int ? self.port > 0 : self.port.endsWith('%')", { port: '5%' }],
  ['!has(self.constructor) && !has(self.__proto__)', {}],
];

for (const [rule, spec] of holds)
  test(`the rule ${rule} holds for ${JSON.stringify(spec)}`, () => {
    assert.deepEqual(check({ rule }, spec), []);
  });

test('a broken rule says its message, or else itself', () => {
  assert.deepEqual(check({ rule: ' self.n > 1 ', message: ' too few ' }, { n: 1 }), ['spec: Invalid value: too few']);
  assert.deepEqual(check({ rule: ' self.n > 1 ' }, { n: 1 }), ['spec: Invalid value: failed rule: self.n > 1']);
});

test('a message may be computed; one that fails falls back', () => {
  const rule = 'self.n > 1';
  const with_ = (messageExpression: string): string[] => check({ rule, message: 'plain', messageExpression }, { n: 1 });
  assert.deepEqual(with_("'got ' + string(self.n)"), ['spec: Invalid value: got 1']);
  assert.deepEqual(with_('self.missing'), ['spec: Invalid value: plain']);
  assert.deepEqual(with_("'a\\nb'"), ['spec: Invalid value: plain']);
  assert.deepEqual(with_('1'), ['spec: Invalid value: plain']);
});

test('a rule that cannot be evaluated counts as broken and says why', () => {
  assert.deepEqual(check({ rule: 'self.n > 1' }, {}), [
    'spec: Invalid value: "object": no such key: n evaluating rule: self.n > 1',
  ]);
  assert.deepEqual(check({ rule: 'frob(self.n)' }, { n: 1 }), [
    'spec: Invalid value: "object": rule compile error: found no matching overload for \'frob(dyn)\'',
  ]);
  assert.equal(ruleError('self.n >'), 'unexpected token: EOF');
  assert.equal(ruleError('self.n > 1'), undefined);
});

test('rules about change run only where there is something to compare with', () => {
  const rule = { rule: 'self.n >= oldSelf.n', message: 'may only grow' };
  assert.deepEqual(check(rule, { n: 1 }), []);
  assert.deepEqual(check(rule, { n: 1 }, { n: 2 }), ['spec: Invalid value: may only grow']);
  assert.deepEqual(check(rule, { n: 3 }, { n: 2 }), []);
});

test('a rule with an optional old value runs at creation too', () => {
  const rule = { rule: 'oldSelf.hasValue() || self.n == 1', optionalOldSelf: true, message: 'starts at one' };
  assert.deepEqual(check(rule, { n: 2 }), ['spec: Invalid value: starts at one']);
  assert.deepEqual(check(rule, { n: 2 }, { n: 1 }), []);
});

test('what was like this before does not stop an update', () => {
  assert.deepEqual(check({ rule: 'self.n > 1' }, { n: 1 }, { n: 1 }), []);
});

test('rules that loop over loops run out of budget before they run out of time', () => {
  const list = Array.from({ length: 1000 }, (_, i) => i);
  const rule = { rule: 'self.list.all(a, self.list.all(b, self.list.all(c, a + b + c >= 0)))' };
  assert.deepEqual(check(rule, { list }), [
    'spec: Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run',
  ]);
});

test('a pattern in a rule cannot be made to take for ever', () => {
  const found = check({ rule: "self.s.matches('^(a+)+$')", message: 'no' }, { s: `${'a'.repeat(2000)}b` });
  assert.deepEqual(found, ['spec: Invalid value: no']);
});
