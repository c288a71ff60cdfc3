import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeFrame, type Frame, frameKind, frameReader } from './frames.ts';

test('frames come out as they went in, however the stream is cut', () => {
  const frame = fc.record({
    kind: fc.constantFrom(...Object.values(frameKind)),
    id: fc.nat(),
    body: fc.uint8Array({ maxLength: 50 }),
  });
  fc.assert(
    fc.property(
      fc.array(frame, { maxLength: 20 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      (frames, cuts) => {
        const stream = Buffer.concat(frames.map(({ kind, id, body }) => encodeFrame(kind, id, Buffer.from(body))));
        const out: Frame[] = [];
        const read = frameReader((one) => void out.push({ ...one, body: Buffer.from(one.body) }));
        for (let at = 0, turn = 0; at < stream.length; turn += 1) {
          const size = cuts[turn % cuts.length] ?? 1;
          read(stream.subarray(at, at + size));
          at += size;
        }
        assert.deepEqual(
          out,
          frames.map(({ kind, id, body }) => ({ kind, id, body: Buffer.from(body) })),
        );
      },
    ),
  );
});
