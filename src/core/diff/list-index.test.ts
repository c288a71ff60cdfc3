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

/** A Pod with so many variables, and how often the names of those that are there were read. */
function pod(count: number, fields: (env: Json) => object) {
  const names = Array.from({ length: count }, (_, n) => `v${n}`);
  const make = (env: readonly object[], more: object): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'n', ...more },
    spec: { containers: [{ name: 'c', env }] },
  });
  const looks = { count: 0 };
  const counted = names.map((name) => {
    const get = (): string => {
      looks.count++;
      return name;
    };
    return Object.defineProperty({}, 'name', { get, enumerable: true });
  });
  const owned = Object.fromEntries(names.map((name) => [`k:${JSON.stringify({ name })}`, { '.': {}, 'f:name': {} }]));
  const managed = { 'f:spec': { 'f:containers': { 'k:{"name":"c"}': { 'f:name': {}, 'f:env': owned } } } };
  const target = make(
    names.map((name) => ({ name })),
    {},
  );
  return { target, live: make(counted, fields(managed)), looks };
}

const entry = (manager: string, operation: string) => (fieldsV1: Json) => ({
  managedFields: [{ manager, operation, fieldsV1 }],
});
const key = { group: '', kind: 'Pod', namespace: 'n', name: 'p' };
const count = 2000;
const ways: Record<string, () => number> = {
  'applied by us': () => {
    const { target, live, looks } = pod(count, entry('argocd-controller', 'Apply'));
    assert.equal(differenceOf(target, live), undefined);
    return looks.count;
  },
  'applied by a client': () => {
    const { target, live, looks } = pod(count, () => ({}));
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(target) };
    assert.equal(differenceOf(target, { ...live, metadata: { ...live.metadata, annotations } }), undefined);
    return looks.count;
  },
  'ignored by its manager': () => {
    const { target, live, looks } = pod(count, entry('somebody', 'Update'));
    const ignoreDifferences = [{ kind: 'Pod', managedFieldsManagers: ['somebody'] }];
    const judge = new Judge({ instance: 'x', ignoreDifferences });
    assert.equal(judge.of({ key, object: target, source: 0 }, { key, object: live }).known, true);
    return looks.count;
  },
};

for (const [way, looksOf] of Object.entries(ways)) {
  test(`each item of a list of thousands is looked at a few times only: ${way}`, () => {
    const looks = looksOf();
    assert.ok(looks > 0 && looks < 20 * count, `${looks} looks at ${count} items`);
  });
}
