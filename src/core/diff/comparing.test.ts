import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../objects/index.ts';
import { printKey } from '../objects/index.ts';
import { type ComparedBefore, type Comparison, compare, comparing, type LiveObject, targetsOf } from './index.ts';

const names = ['a', 'b', 'c', 'd', 'e'];
const configMap = (name: string, content: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { content: String(content) },
});

type Contents = Readonly<Record<string, number>>;

const targetsFor = (contents: Contents): ReturnType<typeof targetsOf> =>
  targetsOf(
    Object.entries(contents).map(([name, content]) => ({ object: configMap(name, content), source: 0 })),
    { instance: 'app', destinationNamespace: 'ns', namespaced: () => true },
  );

/** A cluster that holds these of ours. */
const liveWith = (contents: Contents): { objects: Map<string, LiveObject>; unknown: Map<string, string> } => ({
  objects: new Map(targetsFor(contents).map(({ key, object }) => [printKey(key), { key, object }])),
  unknown: new Map(),
});

/** Compares to the end; also tells how many pairs were asked about. */
function compareAgain(targets: Contents, live: Contents, before?: ComparedBefore): [Comparison, number] {
  let asked = 0;
  const permits = (): boolean => {
    asked++;
    return true;
  };
  const work = comparing(targetsFor(targets), liveWith(live), { instance: 'app', permits }, before);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return [value, asked];
  }
}

const contents = fc.dictionary(fc.constantFrom(...names), fc.nat({ max: 2 }), { noNullPrototype: true });

test('a comparison that goes on from an earlier one comes to the same as one that begins anew', () => {
  fc.assert(
    fc.property(contents, contents, contents, (targets, then, now) => {
      const comparison = compare(targetsFor(targets), liveWith(then), { instance: 'app' });
      const changed = new Set(names.filter((name) => then[name] !== now[name]).map((name) => `ConfigMap:ns/${name}`));
      const [again] = compareAgain(targets, now, { comparison, changed });
      assert.deepEqual(again, compare(targetsFor(targets), liveWith(now), { instance: 'app' }));
    }),
  );
});

test('only what has changed is judged again', () => {
  const targets = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`c${n}`, 1]));
  const [comparison, all] = compareAgain(targets, {});
  const [after, asked] = compareAgain(targets, { c7: 1 }, { comparison, changed: new Set(['ConfigMap:ns/c7']) });
  assert.deepEqual([all, asked], [100, 1]);
  assert.deepEqual(
    after.objects.filter(({ status }) => status === 'Synced').map(({ key }) => key.name),
    ['c7'],
  );
});

test('others may have a turn after each object', () => {
  const work = comparing(targetsFor({ a: 1, b: 2, c: 3 }), liveWith({}), { instance: 'app' });
  assert.equal([...work].length, 3);
});
