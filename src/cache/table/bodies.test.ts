import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../../core/objects/index.ts';
import { Bodies } from './bodies.ts';

test('gives back what was put in, whatever the first of its kind looked like', () => {
  const value = fc.jsonValue().map((data) => JSON.parse(JSON.stringify({ data })) as object); // -0 is no JSON
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(5), fc.nat(2), value), { maxLength: 20 }), (puts) => {
      const bodies = new Bodies();
      const model = new Map<number, { kind: number; object: KubeObject }>();
      for (const [row, kind, rest] of puts) {
        const object = { apiVersion: 'v1', kind: 'X', metadata: { name: 'ü' }, ...rest };
        bodies.set(row, kind, object);
        if (kind === 1) bodies.packSome(100);
        model.set(row, { kind, object });
      }
      for (const [row, { kind, object }] of model) assert.deepEqual(bodies.get(row, kind), object);
      for (const row of model.keys()) bodies.delete(row);
      assert.equal(bodies.count, 0);
    }),
    { numRuns: 200 },
  );
});

test('the second of a kind is far smaller than the first', () => {
  const bodies = new Bodies();
  const object = (name: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`key-${i}`, `value ${i * 7919}`])),
  });
  bodies.set(0, 1, object('one'));
  bodies.packSome(1);
  const first = bodies.bytes;
  bodies.set(1, 1, object('two'));
  bodies.packSome(1);
  assert.ok(bodies.bytes - first < 200);
  assert.equal(bodies.get(1, 2), undefined);
});

test('a body waits as text until it is packed, and no more of them than fit', () => {
  const bodies = new Bodies();
  const big = (name: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'X',
    metadata: { name },
    data: 'x'.repeat(2 ** 20),
  });
  let told = 0;
  bodies.onWaiting = () => told++;
  for (let row = 0; row < 40; row++) bodies.set(row, 1, big(`n${row}`));
  assert.equal(told, 40);
  assert.ok(bodies.waiting < 17, `${bodies.waiting} wait`);
  assert.ok(bodies.bytes < 17 * 2 ** 20);
  assert.deepEqual([bodies.get(0, 1)?.metadata.name, bodies.get(39, 1)?.metadata.name], ['n0', 'n39']);
  bodies.packSome(2 ** 30);
  assert.equal(bodies.waiting, 0);
  assert.equal(bodies.count, 40);
  assert.deepEqual(bodies.get(39, 1), big('n39'));
});
