import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { equal, type Json, own } from '../json/index.ts';
import type { KubeObject } from '../objects/index.ts';
import { differenceOf } from './differs.ts';
import { Judge } from './judge.ts';
import { placeByKeys, placeOfLoose, placeOfMember } from './list-index.ts';
import { keyText } from './ownership.ts';

const names = ['port', 'protocol'];
const value = fc.constantFrom<Json>(1, 2, '1', 'a', null);
const item = fc.oneof(
  fc.record({ port: value, protocol: value }, { requiredKeys: [] }) as fc.Arbitrary<Json>, // a record of JSON values
  value,
);
const place = (found: number): number | undefined => (found < 0 ? undefined : found);

test('an item is found at the place where looking through the list finds it first', () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 8 }), item, (list, wanted) => {
      const text = keyText(wanted, names);
      assert.equal(placeByKeys(list, names, text), place(list.findIndex((each) => keyText(each, names) === text)));
      assert.equal(placeOfMember(list, wanted), place(list.findIndex((each) => equal(each, wanted))));
      const agrees = (each: Json): boolean => {
        const given = names.filter((name) => own(each, name) !== undefined);
        return given.length > 0 && given.every((name) => equal(own(each, name), own(wanted, name)));
      };
      assert.equal(placeOfLoose(list, names, wanted), place(list.findIndex(agrees)));
    }),
  );
});

test('members of a set are the same whatever the order of their fields', () => {
  assert.equal(placeOfMember(['x', { a: 1, b: 2 }], { b: 2, a: 1 }), 1);
});

/** A Pod with so many variables, as its owner has applied it; `fields` adds what the API server keeps about it. */
function pod(count: number, fields: (env: Json) => object): { target: KubeObject; live: KubeObject } {
  const env = Array.from({ length: count }, (_, n) => ({ name: `v${n}` }));
  const make = (more: object): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'n', ...more },
    spec: { containers: [{ name: 'c', env }] },
  });
  const owned = Object.fromEntries(env.map((each) => [`k:${JSON.stringify(each)}`, { '.': {}, 'f:name': {} }]));
  const managed = { 'f:spec': { 'f:containers': { 'k:{"name":"c"}': { 'f:name': {}, 'f:env': owned } } } };
  const live = JSON.parse(JSON.stringify(make(fields(managed)))) as KubeObject; // a copy of what was made
  return { target: make({}), live };
}

const entry = (manager: string, operation: string) => (fieldsV1: Json) => ({
  managedFields: [{ manager, operation, fieldsV1 }],
});
const key = { group: '', kind: 'Pod', namespace: 'n', name: 'p' };
const ways: Record<string, (count: number) => () => unknown> = {
  'applied by us': (count) => {
    const { target, live } = pod(count, entry('argocd-controller', 'Apply'));
    return () => differenceOf(target, live);
  },
  'applied by a client': (count) => {
    const { target, live } = pod(count, () => ({}));
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(target) };
    return () => differenceOf(target, { ...live, metadata: { ...live.metadata, annotations } });
  },
  'ignored by its manager': (count) => {
    const { target, live } = pod(count, entry('somebody', 'Update'));
    const judge = new Judge({
      instance: 'x',
      ignoreDifferences: [{ kind: 'Pod', managedFieldsManagers: ['somebody'] }],
    });
    return () => judge.of({ key, object: target, source: 0 }, { key, object: live });
  },
};

for (const [way, compared] of Object.entries(ways)) {
  test(`a list of thousands costs as much more as it is longer: ${way}`, () => {
    const best = (count: number): number => {
      const times = Array.from({ length: 3 }, () => {
        const work = compared(count);
        const from = performance.now();
        work();
        return performance.now() - from;
      });
      return Math.min(...times);
    };
    best(1000);
    // Sixteen times as long would be 256 times as dear if each item were looked for in the whole list.
    assert.ok(best(16_000) / best(1000) < 100);
  });
}
