import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../json/index.ts';
import {
  difference,
  emptySet,
  type FieldSet,
  intersection,
  isEmpty,
  parseFields,
  pathsOf,
  printFields,
  printPath,
  sameSet,
  union,
} from './index.ts';

const element = fc.constantFrom(
  'f:a',
  'f:b',
  'f:spec',
  'k:{"name":"x"}',
  'k:{"port":80,"protocol":"TCP"}',
  'v:"t"',
  'v:1',
  'i:0',
);
const tree = fc.letrec<{ node: Json }>((tie) => ({
  node: fc.dictionary(
    element,
    fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constant({}),
      tie('node'),
      tie('node').map((node) => ({ '.': {}, ...(node as object) })),
    ),
    { maxKeys: 4 },
  ) as fc.Arbitrary<Json>,
})).node;
const set = tree.map((fields) => parse(fields));

function parse(fields: Json): FieldSet {
  const parsed = parseFields(fields);
  assert.ok(parsed);
  return parsed;
}

test('a set survives being printed and read', () => {
  fc.assert(fc.property(set, (a) => sameSet(parse(printFields(a)), a)));
});

test('sets obey the laws of sets', () => {
  fc.assert(
    fc.property(set, set, (a, b) => {
      assert.ok(sameSet(union(a, b), union(b, a)));
      assert.ok(sameSet(union(a, a), a));
      assert.ok(isEmpty(difference(a, a)));
      assert.ok(isEmpty(intersection(difference(a, b), b)));
      assert.ok(sameSet(union(difference(a, b), intersection(a, b)), a));
    }),
  );
});

test('fields are printed in the order Kubernetes prints them', () => {
  const fields = { 'i:0': {}, 'v:1': {}, 'k:{"name":"x"}': { 'f:b': {}, '.': {} }, 'f:b': {}, 'f:a': {} };
  assert.equal(
    JSON.stringify(printFields(difference(parse(fields), emptySet))),
    '{"f:a":{},"f:b":{},"k:{\\"name\\":\\"x\\"}":{".":{},"f:b":{}},"v:1":{},"i:0":{}}',
  );
});

test('keys of an item mean the same in any order', () => {
  const one = parse({ 'k:{"protocol":"TCP","port":80}': {} });
  const other = parse({ 'k:{"port":80,"protocol":"TCP"}': {} });
  assert.ok(sameSet(one, other));
});

test('paths read as in messages of the API server', () => {
  const fields = {
    'f:spec': {
      'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { 'f:name': {} } },
      'f:tags': { 'v:"a"': {}, 'i:3': {} },
    },
  };
  assert.deepEqual(pathsOf(parse(fields)).map(printPath), [
    '.spec.ports[port=80,protocol="TCP"].name',
    '.spec.tags[="a"]',
    '.spec.tags[3]',
  ]);
});

test('what is no FieldsV1 is not read', () => {
  for (const bad of [{ x: {} }, { 'f:a': 1 }, { 'k:{': {} }, { 'i:x': {} }, [], 'f:a'])
    assert.equal(parseFields(bad as Json), undefined);
});
