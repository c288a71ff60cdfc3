import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { KubeObject } from '../core/objects/index.ts';
import { kind, settle } from './testdata/scripted-door.ts';
import { key, openStage, thing, unavailable } from './testdata/stage.ts';

const maps = { group: '', kind: 'ConfigMap' };
const web = thing('Deployment', 'a/web', { app: 'shop' });

test('a cluster that sends more than is kept of one fails for the kind that does, and others stay known', async () => {
  const stage = await openStage({ mostBytes: 2_000_000 });
  stage.door.of('Deployment').list('1000', web);
  const flood = stage.door.of('ConfigMap');
  flood.sink.restart();
  let error: unknown;
  let taken = 0;
  try {
    for (; taken < 1_000_000; taken++) flood.sink.upsert(thing('ConfigMap', `ns-${taken}/map-${taken}`));
  } catch (thrown) {
    error = thrown;
  }
  assert.match(String(error), /more than the 2000000 bytes/);
  assert.ok(stage.cache.stats().bytes < 2_200_000, `${stage.cache.stats().bytes} bytes`);
  flood.fail(error as Error);
  const { objects, unknown } = await stage.live('shop', [key('Deployment', 'a/web')], [maps]);
  assert.deepEqual(objects, ['apps/Deployment:a/web']);
  assert.match(unknown['ConfigMap'] ?? '', /more than the/);
});

const odd: readonly (readonly [string, object])[] = [
  ['a name without end', { name: 'n'.repeat(100_000), namespace: 'a', uid: 'u' }],
  ['a namespace without end', { name: 'n', namespace: 'n'.repeat(100_000), uid: 'u' }],
  ['a name that is no text', { name: 7, namespace: 'a', uid: 'u' }],
  ['a uid that is no text', { name: 'n', namespace: 'a', uid: { a: 1 } }],
  ['owners that are no list', { name: 'n', namespace: 'a', uid: 'u', ownerReferences: 'x' }],
  ['owners that are no objects', { name: 'n', namespace: 'a', uid: 'u', ownerReferences: [null, 7] }],
];
for (const [what, metadata] of odd)
  test(`${what} is an error of its kind alone, and nothing is left of it`, async () => {
    const stage = await openStage();
    stage.door.of('Deployment').list('1000', web);
    const { sink } = stage.door.of('ConfigMap');
    sink.restart();
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata } as unknown as KubeObject; // what a bad server sends
    try {
      sink.upsert(object);
      sink.complete('5');
    } catch {
      stage.door.of('ConfigMap').fail(unavailable());
    }
    stage.door.of('ConfigMap').list('1000', thing('ConfigMap', 'a/map', { app: 'shop' }));
    assert.deepEqual((await stage.live('shop', [], [maps])).objects, ['ConfigMap:a/map', 'apps/Deployment:a/web']);
    assert.equal(stage.cache.stats().objects, 2);
  });

test('strange versions, times and marks of any length are taken as unknown', async () => {
  const stage = await openStage();
  const strange = thing('ConfigMap', 'a/map', { app: 'x'.repeat(1_000_000) });
  const metadata = { ...strange.metadata, resourceVersion: 'z', creationTimestamp: 'never', uid: 'u'.repeat(100_000) };
  stage.door.of('ConfigMap').list('1000', { ...strange, metadata });
  stage.door.of('ConfigMap').sink.remove({ ...strange, metadata });
  assert.equal(stage.cache.stats().objects, 0);
  stage.door.of('ConfigMap').list('1000', { ...strange, metadata });
  const [node] = stage.cache.namespaceObjects('a');
  assert.deepEqual([node?.resourceVersion, node?.created, node?.instance], ['', 0, '']);
});

test('more kinds than anybody has are refused whole, and what was known stays', async () => {
  const stage = await openStage();
  stage.door.of('Deployment').list('1000', web);
  const before = stage.door.played.length;
  const many = Array.from({ length: 20_001 }, (_, n) => kind(`Kind${n}`, { group: 'many.example' }));
  stage.door.discovery = { resources: many, unknown: new Map() };
  // A kind that is not found any more makes the cache ask what is served.
  stage.door.of('Pod').sink.broken(Object.assign(unavailable(), { code: 'kube-not-found' }));
  await settle();
  assert.equal(stage.door.played.length, before);
  assert.deepEqual((await stage.live('shop')).objects, ['apps/Deployment:a/web']);
});

test('lists that hang keep others from their turn for seconds only', async () => {
  const sick = Array.from({ length: 20 }, (_, n) => kind(`Sick${n}`, { group: 'sick.example' }));
  const stage = await openStage({ resources: [...sick, kind('ConfigMap')] });
  assert.equal(stage.door.isFollowed('ConfigMap'), false);
  stage.clock.pass(5_001);
  stage.clock.pass(5_001);
  stage.door.of('ConfigMap').list('1000', thing('ConfigMap', 'a/map', { app: 'shop' }));
  assert.deepEqual((await stage.live('shop', [], [maps])).objects, ['ConfigMap:a/map']);
});

test('a cache that was stopped while it asked what is served follows nothing', async () => {
  const stage = await openStage({ silent: true });
  stage.door.silent = false;
  stage.clock.pass(2_000);
  stage.cache.stop();
  await settle();
  assert.deepEqual(stage.door.played, []);
});

test('T-132 marked objects with large annotations are kept small, and a change of one is still told', async () => {
  const stage = await openStage();
  const note = randomBytes(150_000).toString('base64');
  const large = (n: number, version: number, text = note): KubeObject => {
    const map = thing('ConfigMap', `a/map-${n}`, { app: 'shop', version });
    const annotations = { note: text, 'argocd.argoproj.io/sync-options': 'Prune=false' };
    return { ...map, metadata: { ...map.metadata, generation: 1, annotations } };
  };
  stage.door.of('ConfigMap').list('1000', ...Array.from({ length: 50 }, (_, n) => large(n, n + 1)));
  stage.door.of('Deployment').list('1000', web);
  const { cache } = stage;
  const { objects } = await cache.live('shop', { targets: [], kinds: [maps] }, () => Promise.resolve(undefined));
  assert.equal(objects.size, 51);
  const kept = objects.get('ConfigMap:a/map-7')?.object.metadata.annotations;
  assert.deepEqual(kept, { 'argocd.argoproj.io/sync-options': 'Prune=false' });
  await settle();
  assert.ok(cache.stats().bytes < 200_000, `${cache.stats().bytes} bytes of 10 megabytes`);
  const told = stage.touched.length;
  stage.door.of('ConfigMap').sink.upsert(large(7, 2_000));
  await settle();
  assert.equal(stage.touched.length, told, 'the same once more is no news');
  stage.door.of('ConfigMap').sink.upsert(large(7, 2_001, `${note}!`));
  await settle();
  assert.equal(stage.touched.length, told + 1);
});
