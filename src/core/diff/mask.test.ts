import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type JsonObject, objectAt, stringAt } from '../json/index.ts';
import { masked } from './index.ts';

const secret = (data: Record<string, string>, annotations: Record<string, string> = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', annotations },
  data,
});

test('104: equal values get equal rows, each further value of a key a longer one', () => {
  const { target, live } = masked({ target: secret({ a: 'eA==', b: 'eQ==' }), live: secret({ a: 'eA==', b: 'eg==' }) });
  assert.deepEqual(target?.['data'], { a: '++++++++', b: '++++++++' });
  assert.deepEqual(live?.['data'], { a: '++++++++', b: '++++++++++++' });
});

test('stringData, the last applied text and annotations that an admin names are hidden, too', () => {
  const last = 'kubectl.kubernetes.io/last-applied-configuration';
  const inner = JSON.stringify({ ...secret({ a: 'eA==' }), stringData: { b: 'open' } });
  const { live } = masked({ live: secret({ a: 'eA==' }, { [last]: inner, token: 'open', other: 'seen' }) }, ['token']);
  const annotations = objectAt(live, 'metadata', 'annotations');
  assert.equal(stringAt(annotations, 'token'), '++++++++');
  assert.equal(stringAt(annotations, 'other'), 'seen');
  const again = JSON.parse(stringAt(annotations, last) ?? '') as JsonObject;
  assert.deepEqual([again['data'], again['stringData']], [{ a: '++++++++' }, { b: '++++++++' }]);
});

test('a last applied text that cannot be read is hidden whole', () => {
  const last = 'kubectl.kubernetes.io/last-applied-configuration';
  const { live } = masked({ live: secret({}, { [last]: 'password: open' }) });
  assert.doesNotMatch(JSON.stringify(live), /open/);
});

test('other kinds are shown as they are', () => {
  const config: JsonObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'x' } };
  assert.deepEqual(masked({ target: config }).target, config);
});

test('law: no value of a Secret is in what is shown, and rows are equal exactly where values are', () => {
  const value = fc.string({ minLength: 6, maxLength: 12 }).map((text) => `§${btoa(encodeURIComponent(text))}§`);
  fc.assert(
    fc.property(value, value, (a, b) => {
      const shown = masked({ target: secret({ k: a }), live: secret({ k: b }) });
      const text = JSON.stringify(shown);
      assert.ok(!text.includes(a) && !text.includes(b));
      const [left, right] = [shown.target?.['data'], shown.live?.['data']] as JsonObject[];
      assert.equal(left?.['k'] === right?.['k'], a === b);
    }),
  );
});
