import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { none } from './columns.ts';
import { ObjectTable } from './object-table.ts';

interface Model {
  readonly kind: number;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  instance: string;
  owners: readonly string[];
}

const uidOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const place = fc.record({
  kind: fc.integer({ min: 1, max: 3 }),
  namespace: fc.constantFrom('', 'a', 'b'),
  name: fc.constantFrom('x', 'y', 'ünï', '__proto__', 'a-much-longer-name-0123456789'),
});
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ act: fc.constant('insert' as const), place, uid: fc.nat(40), n: fc.nat(40) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('remove' as const), place, uid: fc.nat(40), n: fc.nat(40) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('own' as const), place, uid: fc.nat(40), n: fc.nat(40) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('mark' as const), place, uid: fc.nat(40), n: fc.nat(3) }) },
);

test('says the same as a plain map, whatever is inserted, removed, owned and marked', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const table = new ObjectTable();
      const model = new Map<string, Model>();
      for (const { act, place: key, uid, n } of steps) {
        const text = JSON.stringify(key);
        const row = table.find(key.kind, key.namespace, key.name);
        const known = model.get(text);
        assert.equal(row !== none, known !== undefined);
        if (act === 'insert' && known === undefined && ![...model.values()].some((each) => each.uid === uidOf(uid))) {
          table.insert(key, uidOf(uid));
          model.set(text, { ...key, uid: uidOf(uid), instance: '', owners: [] });
        } else if (act === 'remove' && known !== undefined) {
          table.remove(row);
          model.delete(text);
        } else if (act === 'own' && known !== undefined) {
          known.owners = [n, n + 1, n + 2].slice(0, n % 4).map(uidOf);
          table.own(row, known.owners);
        } else if (act === 'mark' && known !== undefined) {
          known.instance = n === 0 ? '' : `app-${n}`;
          table.mark(row, known.instance);
        }
        same(table, model);
      }
    }),
    { numRuns: 300 },
  );
});

function same(table: ObjectTable, model: ReadonlyMap<string, Model>): void {
  assert.equal(table.count, model.size);
  const byUid = new Map([...model.values()].map((each) => [each.uid, each]));
  const seen = [...table.rows()].map((row) => table.uidOf(row));
  assert.deepEqual(seen.toSorted(), [...byUid.keys()].toSorted());
  for (const each of model.values()) {
    const row = table.find(each.kind, each.namespace, each.name);
    assert.equal(table.nameOf(row), each.name);
    assert.equal(table.namespaceOf(row), each.namespace);
    assert.equal(table.findUid(each.uid), row);
    assert.deepEqual(
      [...table.owners(row)].map((owner) => table.uidOf(owner)),
      each.owners,
    );
    const owned = [...table.owned(row)].map((child) => table.uidOf(child)).toSorted();
    const expected = [...model.values()].filter(({ owners }) => owners.includes(each.uid)).map(({ uid }) => uid);
    assert.deepEqual(owned, expected.toSorted());
  }
  for (const namespace of ['', 'a', 'b']) {
    const there = [...table.rowsIn(namespace)].map((row) => table.uidOf(row)).toSorted();
    const expected = [...model.values()].filter((each) => each.namespace === namespace).map(({ uid }) => uid);
    assert.deepEqual(there, expected.toSorted());
  }
  for (const kind of [1, 2, 3])
    assert.equal(table.countOf(kind), [...model.values()].filter((each) => each.kind === kind).length);
  for (const instance of ['app-1', 'app-2', 'app-3']) {
    const marked = [...table.markedBy(instance)].map((row) => table.uidOf(row)).toSorted();
    const expected = [...model.values()].filter((each) => each.instance === instance).map(({ uid }) => uid);
    assert.deepEqual(marked, expected.toSorted());
  }
}

test('names that went leave no hole for ever', () => {
  const table = new ObjectTable();
  for (let n = 0; n < 5_000; n++) table.insert({ kind: 1, namespace: 'a', name: `object-number-${n}` }, uidOf(n));
  const full = table.bytes;
  for (let round = 0; round < 20; round++) {
    for (let n = 0; n < 4_900; n++) table.remove(table.find(1, 'a', `object-number-${n}`));
    for (let n = 0; n < 4_900; n++) table.insert({ kind: 1, namespace: 'a', name: `object-number-${n}` }, uidOf(n));
  }
  assert.equal(table.count, 5_000);
  assert.equal(table.nameOf(table.find(1, 'a', 'object-number-4999')), 'object-number-4999');
  assert.ok(table.bytes < full * 1.6, `${table.bytes} bytes after ${full}`);
});

test('an owner that was named before it came has its objects when it comes, and again after it went', () => {
  const table = new ObjectTable();
  const pod = table.insert({ kind: 1, namespace: 'a', name: 'pod' }, uidOf(1));
  table.own(pod, [uidOf(2)]);
  assert.equal(table.count, 1);
  const set = table.insert({ kind: 2, namespace: 'a', name: 'set' }, uidOf(2));
  assert.deepEqual([...table.owned(set)], [pod]);
  table.remove(set);
  assert.equal(table.find(2, 'a', 'set'), none);
  assert.deepEqual([...table.owned(table.insert({ kind: 2, namespace: 'a', name: 'set' }, uidOf(2)))], [pod]);
});

test('uids that are no UUIDs and names of any length are told apart', () => {
  const table = new ObjectTable();
  const one = table.insert({ kind: 1, namespace: '', name: 'n'.repeat(2_000) }, 'odd');
  const two = table.insert({ kind: 1, namespace: '', name: `${'n'.repeat(2_000)}2` }, 'odder');
  assert.equal(table.find(1, '', 'n'.repeat(2_000)), one);
  assert.equal(table.find(1, '', `${'n'.repeat(2_000)}2`), two);
  assert.deepEqual([table.findUid('odd'), table.findUid('odder'), table.findUid('oddest')], [one, two, none]);
});
