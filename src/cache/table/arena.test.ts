import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Arena } from './arena.ts';

const piece = (length: number, fill: number): Uint8Array => new Uint8Array(length).fill(fill);

test('gives back what was put in, in whatever order pieces come and go', () => {
  const step = fc.tuple(fc.nat(12), fc.oneof(fc.nat(300), fc.integer({ min: 3_000, max: 9_000 })), fc.nat(255));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const arena = new Arena();
      const model = new Map<number, Uint8Array>();
      for (const [row, length, fill] of steps) {
        if (fill % 4 === 0) {
          arena.delete(row);
          model.delete(row);
        } else {
          arena.put(row, piece(length, fill));
          model.set(row, piece(length, fill));
        }
        assert.equal(arena.count, model.size);
        for (const [each, bytes] of model) assert.deepEqual(arena.get(each), bytes);
      }
    }),
    { numRuns: 100 },
  );
});

test('holes do not stay, and a piece larger than a chunk has its place', () => {
  const arena = new Arena();
  for (let row = 0; row < 20_000; row++) arena.put(row, piece(400, row % 256));
  const full = arena.bytes;
  assert.ok(full < 20_000 * 408 * 1.3, `${full} bytes`);
  for (let round = 0; round < 5; round++)
    for (let row = 0; row < 20_000; row++) arena.put(row, piece(400, (row + round) % 256));
  assert.ok(arena.bytes < full * 2.2, `${arena.bytes} bytes after ${full}`);
  for (let row = 0; row < 20_000; row++) if (row % 100 !== 0) arena.delete(row);
  assert.ok(arena.bytes < full / 3, `${arena.bytes} bytes after ${full}`);
  assert.deepEqual(arena.get(19_900), piece(400, (19_900 + 4) % 256));
  arena.put(7, piece(3_000_000, 9));
  assert.equal(arena.get(7)?.length, 3_000_000);
  arena.delete(7);
  assert.ok(arena.bytes < full / 3);
});
