import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../../core/objects/index.ts';
import { StatusError, type StoreEvent } from '../ports.ts';
import { Journal } from './journal.ts';
import { MemoryStore } from './memory-store.ts';

const object = (name: string, data = ''): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'a' },
  data: { data },
});
const key = (name: string, namespace = 'a'): string => `configmaps/${namespace}/${name}`;
const refusal = (reason: string) => (error: unknown) => error instanceof StatusError && error.status.reason === reason;

test('a write that expects nothing, or another version, is refused', async () => {
  const store = new MemoryStore({});
  const first = await store.put(key('x'), object('x'), undefined);
  await assert.rejects(store.put(key('x'), object('x'), undefined), refusal('AlreadyExists'));
  const second = await store.put(key('x'), object('x', '2'), first.revision);
  await assert.rejects(store.put(key('x'), object('x'), first.revision), refusal('Conflict'));
  await assert.rejects(store.delete(key('x'), first.revision), refusal('Conflict'));
  await store.delete(key('x'), second.revision);
  await assert.rejects(store.put(key('x'), object('x'), second.revision), refusal('NotFound'));
});

test('an object carries the revision of its write as its resourceVersion', async () => {
  const store = new MemoryStore({});
  const entry = await store.put(key('x'), object('x'), undefined);
  assert.equal(entry.object.metadata.resourceVersion, String(store.revision));
});

test('a list is a snapshot: later writes do not show in it, in key order', async () => {
  const store = new MemoryStore({});
  for (const name of ['c', 'a', 'b']) await store.put(key(name), object(name), undefined);
  await store.put(key('z', 'other'), object('z'), undefined);
  const at = store.revision;
  await store.delete(key('b'), store.get(key('b'))?.revision ?? 0);
  await store.put(key('d'), object('d'), undefined);
  const names = (prefix: string, options = {}): string[] =>
    store.list(prefix, options).entries.map((entry) => entry.key.split('/').at(-1) ?? '');
  assert.deepEqual(names('configmaps/a/', { at }), ['a', 'b', 'c']);
  assert.deepEqual(names('configmaps/a/'), ['a', 'c', 'd']);
  assert.deepEqual(names('configmaps/', { at }), ['a', 'b', 'c', 'z']);
  assert.deepEqual(names('configmaps/a/', { at, after: key('a'), limit: 1 }), ['b']);
  assert.equal(store.list('configmaps/a/', { at, limit: 1 }).remaining, 2);
});

test('a watch replays what came after its revision and then goes on', async () => {
  const store = new MemoryStore({});
  await store.put(key('x'), object('x'), undefined);
  const after = store.revision;
  await store.put(key('y'), object('y'), undefined);
  const seen: string[] = [];
  const watching = store.watch('configmaps/a/', after, ({ type, key: at }) => seen.push(`${type} ${at}`));
  await store.delete(key('x'), store.get(key('x'))?.revision ?? 0);
  watching.stop();
  await store.put(key('z'), object('z'), undefined);
  assert.deepEqual(seen, ['ADDED configmaps/a/y', 'DELETED configmaps/a/x']);
});

test('a watcher that writes does not make others see events out of order', async () => {
  const store = new MemoryStore({});
  const seen: number[] = [];
  store.watch('configmaps/', 0 + store.revision, (event) => {
    if (event.key === key('x')) void store.put(key('answer'), object('answer'), undefined);
  });
  store.watch('configmaps/', store.revision, (event) => seen.push(event.revision));
  await store.put(key('x'), object('x'), undefined);
  assert.deepEqual(
    seen,
    [...seen].sort((a, b) => a - b),
  );
  assert.equal(seen.length, 2);
});

test('what was compacted away answers 410, what is newer stays', async () => {
  const store = new MemoryStore({});
  await store.put(key('x'), object('x'), undefined);
  const old = store.revision;
  await store.put(key('y'), object('y'), undefined);
  store.compact();
  assert.throws(() => store.watch('configmaps/', old, () => undefined), refusal('Expired'));
  store.watch('configmaps/', store.revision, () => undefined).stop();
  assert.equal(store.list('configmaps/').entries.length, 2);
});

test('watchers rebuild exactly what the store holds, whatever is written and compacted', async () => {
  const step = fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    what: fc.constantFrom('put', 'delete', 'compact'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const store = new MemoryStore({});
      const copy = new Map<string, KubeObject>();
      store.watch('configmaps/', store.revision, (event: StoreEvent) => {
        if (event.type === 'DELETED') copy.delete(event.key);
        else copy.set(event.key, event.object);
      });
      for (const { name, what } of steps) {
        const current = store.get(key(name));
        if (what === 'compact') store.compact();
        else if (what === 'put') await store.put(key(name), object(name), current?.revision);
        else if (current !== undefined) await store.delete(key(name), current.revision);
      }
      const held = store.list('configmaps/').entries.map((entry): [string, KubeObject] => [entry.key, entry.object]);
      assert.deepEqual(copy, new Map(held));
    }),
  );
});

test('objects, the revision and named facts survive a restart; older positions have expired', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'argosy-store-'));
  try {
    const journal = new Journal(dataDir);
    journal.setFact('identity', 'me');
    const store = new MemoryStore({ journal });
    await Promise.all(['a', 'b', 'c'].map((name) => store.put(key(name), object(name), undefined)));
    await store.delete(key('b'), store.get(key('b'))?.revision ?? 0);
    const { revision } = store;
    await store.close();
    const again = new Journal(dataDir);
    assert.equal(again.fact('identity'), 'me');
    const later = new MemoryStore({ journal: again });
    assert.equal(later.revision, revision);
    assert.deepEqual(
      later.list('configmaps/').entries.map((entry) => entry.key),
      [key('a'), key('c')],
    );
    assert.throws(() => later.watch('configmaps/', revision - 1, () => undefined), refusal('Expired'));
    await later.close();
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

test('a closed store takes no writes', async () => {
  const store = new MemoryStore({});
  await store.close();
  await assert.rejects(store.put(key('x'), object('x'), undefined), refusal('InternalError'));
});
