import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { at, canonical, equal, type Json, own, thaw } from './index.ts';

const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json);

test('a value equals itself after a trip through its canonical text', () => {
  fc.assert(fc.property(json, (value) => equal(JSON.parse(canonical(value)) as Json, value)));
});

test('values are equal exactly when their canonical texts are', () => {
  fc.assert(fc.property(json, json, (a, b) => equal(a, b) === (canonical(a) === canonical(b))));
});

test('a thawed copy equals its source and shares nothing with it', () => {
  const source = { a: [{ b: 1 }] };
  const copy = thaw(source);
  assert.ok(equal(copy, source));
  assert.notEqual(copy['a'], source.a);
});

test('inherited names are absent, as in JSON', () => {
  assert.equal(own({}, 'constructor'), undefined);
  assert.equal(at({ a: {} }, 'a', 'toString'), undefined);
  assert.equal(equal({ constructor: 1 }, { x: 1 }), false);
});

test('a key named __proto__ is data', () => {
  const value = JSON.parse('{"__proto__": {"admin": true}}') as Json;
  const copy = thaw(value);
  assert.ok(equal(copy, value));
  assert.equal(({} as { admin?: boolean }).admin, undefined);
  assert.equal((copy as { admin?: boolean }).admin, undefined);
});
