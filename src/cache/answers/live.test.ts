import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArgosyError } from '../../core/errors/index.ts';
import { settle } from '../testdata/scripted-door.ts';
import { forbidden, key, openStage, type Stage, thing, unavailable } from '../testdata/stage.ts';

const maps = { group: '', kind: 'ConfigMap' };
const web = thing('Deployment', 'a/web', { app: 'shop', rest: { spec: { n: 1 } } });
const set = thing('ReplicaSet', 'a/web-1', { owner: web, health: 'Healthy' });
const pod = thing('Pod', 'a/web-1-x', { owner: set, health: 'Healthy' });
const map = thing('ConfigMap', 'a/map', { app: 'shop' });
const secret = thing('Secret', 'a/key', { app: 'shop' });
const space = thing('Namespace', 'a');
const all = [web, set, pod, map, secret, space];

async function shop(): Promise<Stage> {
  const stage = await openStage();
  for (const played of [...stage.door.played])
    played.list('200', ...all.filter(({ kind }) => kind === played.resource.kind));
  return stage;
}

test('what is kept whole is answered without a request; a lean target is fetched once and then kept', async () => {
  const stage = await shop();
  const whole = { ...map, data: { a: '1' } };
  stage.served.set('ConfigMap a/map', whole);
  const targets = [key('Deployment', 'a/web'), key('ConfigMap', 'a/map'), key('ConfigMap', 'a/absent')];
  for (let turn = 0; turn < 2; turn++) {
    const live = await stage.cache.live('shop', { targets, kinds: [] }, (resource, { name }) => {
      stage.fetched.push(`${resource.kind} ${name}`);
      return Promise.resolve(whole);
    });
    assert.deepEqual(live.objects.get('ConfigMap:a/map')?.object, whole);
    assert.deepEqual(live.objects.get('apps/Deployment:a/web')?.object, web);
    assert.equal(live.objects.has('ConfigMap:a/absent'), false);
  }
  assert.deepEqual(stage.fetched, ['ConfigMap map']);
  // A newer version makes the kept body worthless.
  stage.door.of('ConfigMap').sink.upsert(thing('ConfigMap', 'a/map', { app: 'shop', version: 900 }));
  stage.served.set('ConfigMap a/map', thing('ConfigMap', 'a/map', { app: 'shop', version: 900 }));
  await stage.live('shop', targets);
  assert.deepEqual(stage.fetched, ['ConfigMap map', 'ConfigMap a/map']);
});

test('the content of a Secret is never kept, nor what an annotation repeats of it', async () => {
  const stage = await shop();
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":"aGlkZGVu"}', other: 'x' };
  const whole = { ...secret, data: { password: 'aGlkZGVu' }, metadata: { ...secret.metadata, annotations } };
  stage.served.set('Secret a/key', whole);
  for (let turn = 0; turn < 2; turn++) await stage.live('shop', [key('Secret', 'a/key')]);
  assert.deepEqual(stage.fetched, ['Secret a/key', 'Secret a/key']);
  const kept = await stage.cache.live('shop', { targets: [], kinds: [] }, () => Promise.reject(new Error('no')));
  const text = JSON.stringify(kept.objects.get('Secret:a/key')?.object);
  assert.doesNotMatch(text, /aGlkZGVu/);
  assert.match(text, /"other":"x"/);
});

test('what is only there to be removed is told from its metadata', async () => {
  const stage = await shop();
  const { objects } = await stage.live('shop');
  assert.deepEqual(objects, ['ConfigMap:a/map', 'Secret:a/key', 'apps/Deployment:a/web']);
  assert.deepEqual(stage.fetched, []);
});

test('an object without a mark that may not be read is known to be there', async () => {
  const stage = await shop();
  stage.served.set('Namespace /a', new ArgosyError('kube-forbidden', 'get namespaces: no'));
  stage.served.set('ConfigMap a/map', new ArgosyError('kube-forbidden', 'get configmaps: no'));
  const targets = [{ group: '', kind: 'Namespace', namespace: '', name: 'a' }, key('ConfigMap', 'a/map')];
  const { objects, unknown } = await stage.live('shop', targets);
  assert.deepEqual(objects, ['Namespace:/a', 'Secret:a/key', 'apps/Deployment:a/web']);
  assert.deepEqual(unknown, { 'ConfigMap:a/map': 'get configmaps: no' });
});

test('evidence older than 90 seconds is renewed by a list of the newest, once for all who ask', async () => {
  const stage = await shop();
  let lists = 0;
  stage.door.listed = () => {
    lists++;
    return { version: '500', objects: [] };
  };
  stage.clock.pass(91_000);
  assert.deepEqual(stage.cache.freshness(maps, 'a'), { known: true, ageMs: 91_000 });
  for (const kind of ['Deployment', 'ReplicaSet', 'Pod', 'Secret']) stage.door.of(kind).sink.complete('300');
  const [{ objects }] = await Promise.all([stage.live('shop', [], [maps]), stage.live('other', [], [maps])]);
  assert.equal(lists, 1);
  assert.deepEqual(objects, ['Secret:a/key', 'apps/Deployment:a/web']);
  await stage.live('shop', [], [maps]);
  assert.equal(lists, 1);
});

test('a renewal that fails leaves nothing to remove on', async () => {
  const stage = await shop();
  stage.clock.pass(91_000);
  for (const kind of ['Deployment', 'Secret']) stage.door.of(kind).sink.complete('300');
  stage.door.listed = () => {
    throw unavailable();
  };
  const { objects, unknown } = await stage.live('shop', [], [maps]);
  assert.deepEqual(objects, ['Secret:a/key', 'apps/Deployment:a/web']);
  assert.match(unknown['ConfigMap'] ?? '', /webhook/);
});

test('a revoked right shows in a renewal, too', async () => {
  const stage = await openStage({ mode: 'normal' });
  for (const played of [...stage.door.played])
    played.list('200', ...all.filter(({ kind }) => kind === played.resource.kind));
  stage.door.listed = () => {
    throw forbidden();
  };
  await stage.cache.refresh(maps);
  await settle();
  assert.deepEqual(Object.keys((await stage.live('shop', [], [maps])).unknown), ['ConfigMap:*']);
  assert.equal(stage.door.isFollowed('ConfigMap'), false);
  assert.equal(stage.cache.stats().dropped, 1);
});

test('an object written while a list was on its way is not swept away by it', async () => {
  const stage = await shop();
  const { sink } = stage.door.of('Deployment');
  const fresh = thing('Deployment', 'a/new', { app: 'shop', version: 700 });
  stage.cache.observe(fresh, 'shop');
  sink.restart();
  sink.upsert(web);
  sink.complete('650');
  assert.deepEqual((await stage.live('shop')).objects.includes('apps/Deployment:a/new'), true);
  sink.restart();
  sink.upsert(web);
  sink.complete('750');
  assert.deepEqual((await stage.live('shop')).objects.includes('apps/Deployment:a/new'), false);
});

test('an object that was made anew under its name is another one', async () => {
  const stage = await shop();
  const again = thing('Deployment', 'a/web', { app: 'shop', life: 2, version: 800 });
  stage.door.of('Deployment').sink.upsert(again);
  // Late news of the first life: the answer to a delete, and the event of its end.
  stage.door.of('Deployment').sink.remove(web);
  const live = await stage.cache.live('shop', { targets: [], kinds: [] }, () => Promise.resolve(undefined));
  assert.deepEqual(live.objects.get('apps/Deployment:a/web')?.object, again);
});

test('the tree has owners first, and an Application only its own', async () => {
  const stage = await shop();
  const tree = stage.cache
    .tree('shop')
    .map(({ node: { key: each, health }, parents }) => [each.kind, each.name, health, parents[0]?.uid]);
  assert.deepEqual(tree.slice(-2), [
    ['ReplicaSet', 'web-1', 'Healthy', web.metadata.uid],
    ['Pod', 'web-1-x', 'Healthy', set.metadata.uid],
  ]);
  assert.equal(tree.length, 5);
  assert.deepEqual(stage.cache.tree('other'), []);
  const roots = stage.cache.namespaceObjects('a').map(({ key: { name } }) => name);
  assert.deepEqual(roots.toSorted(), ['key', 'map', 'web']);
});

test('owners in a ring end the walk', async () => {
  const stage = await openStage();
  const two = thing('ReplicaSet', 'a/two', { owner: thing('ReplicaSet', 'a/one') });
  const one = thing('ReplicaSet', 'a/one', { app: 'shop', owner: two });
  stage.door.of('ReplicaSet').list('200', one, two);
  assert.equal(stage.cache.tree('shop').length, 2);
});

test('what a renewal had named before it began again is gone if it is not named again', async () => {
  const stage = await shop();
  const short = thing('ConfigMap', 'a/short-lived', { app: 'shop', version: 240 });
  const map = thing('ConfigMap', 'a/map', { app: 'shop', version: 241 });
  stage.door.listed = () => ({ version: '500', before: [short, map], objects: [map] });
  await stage.cache.refresh(maps);
  const { objects } = await stage.live('shop', [], [maps]);
  assert.deepEqual(objects, ['ConfigMap:a/map', 'Secret:a/key', 'apps/Deployment:a/web']);
});
