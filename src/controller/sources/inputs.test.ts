import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pairName } from './inputs.ts';

test('two pairs of texts have one name only if they are the same', () => {
  const text = fc.string({ unit: fc.constantFrom('0', '1', '2', ' ', '\n', 'a') });
  fc.assert(
    fc.property(text, text, text, text, (a, b, c, d) => {
      assert.equal(pairName(a, b) === pairName(c, d), a === c && b === d);
    }),
  );
});
