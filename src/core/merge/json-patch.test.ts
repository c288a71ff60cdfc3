import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyPatch, createPatch, type Operation } from 'rfc6902';
import { equal, type Json, thaw } from '../json/index.ts';
import { jsonPatch, mergePatch } from './index.ts';

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
const document = fc
  .dictionary(fc.constantFrom('a', 'b', 'a/b', 'm~n', '', '__proto__'), json)
  .map((value) => ({ ...value }) as Json);

test('a patch made by another library leads to the same document', () => {
  fc.assert(
    fc.property(document, document, (before, after) => {
      const patch = createPatch(before, after) as unknown as Json;
      const result = jsonPatch(before, patch);
      assert.equal(result.outcome, 'patched');
      assert.ok(result.outcome === 'patched' && equal(result.value, after));
    }),
  );
});

const pointer = fc.constantFrom(
  '/a',
  '/b',
  '/a/0',
  '/a/-',
  '/b/x',
  '/list/0',
  '/list/1',
  '/list/-',
  '/list/9',
  '/none/x',
);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ op: fc.constant('add' as const), path: pointer, value: json }),
  fc.record({ op: fc.constant('remove' as const), path: pointer }),
  fc.record({ op: fc.constant('move' as const), from: pointer, path: pointer }),
  fc.record({ op: fc.constant('copy' as const), from: pointer, path: pointer }),
);

test('where another library applies an operation, so do we, to the same effect', () => {
  const start: Json = { a: { x: 1 }, b: { x: [1] }, list: ['p', 'q'] };
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 4 }), (operations) => {
      const theirs = attempt(start, operations);
      const ours = jsonPatch(start, operations as unknown as Json);
      // Where only one of the two refuses (a move into itself, a copy of nothing), the recorded answers decide.
      if (theirs !== undefined && ours.outcome === 'patched') assert.deepEqual(ours.value, theirs);
    }),
  );
});

/** What the library makes of it; undefined where an operation does not apply. */
function attempt(start: Json, operations: readonly Operation[]): Json | undefined {
  const document = thaw(start);
  try {
    const errors = applyPatch(document, JSON.parse(JSON.stringify(operations)) as Operation[]);
    return errors.every((error) => error === null) ? (document as Json) : undefined;
  } catch {
    return undefined;
  }
}

test('the document given is left as it was', () => {
  const before = { a: [1, { b: 2 }] };
  jsonPatch(before, [
    { op: 'add', path: '/a/1/b', value: 3 },
    { op: 'remove', path: '/a/0' },
  ]);
  assert.deepEqual(before, { a: [1, { b: 2 }] });
});

test('copies that double and double again are stopped', () => {
  const doubling = Array.from({ length: 60 }, (_, i) => ({ op: 'copy', from: '/a', path: `/a/x${i}` }));
  const result = jsonPatch({ a: { seed: 'x'.repeat(1000) } }, doubling);
  assert.ok(result.outcome === 'refused');
  assert.match(
    result.detail,
    /^Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/,
  );
});

test('more than ten thousand operations are refused', () => {
  const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a', value: 1 }));
  assert.deepEqual(jsonPatch({ a: 1 }, many), {
    outcome: 'refused',
    code: 413,
    message: 'The allowed maximum operations in a JSON patch is 10000, got 10001',
    detail: 'The allowed maximum operations in a JSON patch is 10000, got 10001',
  });
});

test('names of the prototype are data', () => {
  const patch = JSON.parse('[{"op":"add","path":"/__proto__","value":{"admin":true}}]') as Json;
  const result = jsonPatch({}, patch);
  assert.ok(result.outcome === 'patched');
  assert.deepEqual(Object.keys(result.value ?? {}), ['__proto__']);
  assert.equal(({} as { admin?: boolean }).admin, undefined);
  assert.equal(jsonPatch({}, [{ op: 'remove', path: '/constructor' }]).outcome, 'refused');
  const merged = mergePatch({}, JSON.parse('{"__proto__":{"admin":true}}') as Json);
  assert.deepEqual(Object.keys(merged ?? {}), ['__proto__']);
});

/** The examples of RFC 7386. */
const merges: readonly [Json, Json, Json][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

for (const [before, patch, after] of merges)
  test(`merging ${JSON.stringify(patch)} into ${JSON.stringify(before)} gives ${JSON.stringify(after)}`, () => {
    assert.deepEqual(mergePatch(before, patch), after);
  });
