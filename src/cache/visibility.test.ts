import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArgosyError } from '../core/errors/index.ts';
import { kind, settle } from './testdata/scripted-door.ts';
import { forbidden, key, kinds, openStage, type Stage, thing, unauthorized, unavailable } from './testdata/stage.ts';

const maps = { group: '', kind: 'ConfigMap' };
const map = thing('ConfigMap', 'a/map', { app: 'shop' });
const web = thing('Deployment', 'a/web', { app: 'shop' });

function listAll({ door }: Stage, except: readonly string[] = []): void {
  const open = door.played.filter(({ stopped, resource }) => !stopped && !except.includes(resource.kind));
  for (const each of open)
    each.list('200', ...[map, web].filter((one) => one.kind === each.resource.kind && inPlace(each.options.namespace)));
}

const inPlace = (namespace: string | undefined): boolean => namespace === undefined || namespace === 'a';

test('H1, 137: without the setting one forbidden kind puts the whole cluster in error, until it may be read', async () => {
  const stage = await openStage({ mode: 'off' });
  listAll(stage, ['Secret']);
  stage.door.of('Secret').fail(forbidden());
  await settle();
  const { unknown, objects } = await stage.live('shop', [key('ConfigMap', 'a/map')], [maps]);
  assert.match(unknown['ConfigMap'] ?? '', /resource\.respectRBAC/);
  assert.deepEqual(objects, []);
  stage.clock.pass(2_000);
  stage.door.of('Secret').list('300');
  await settle();
  assert.deepEqual(stage.touched, ['shop']);
  assert.deepEqual(Object.keys((await stage.live('shop', [], [maps])).unknown), []);
});

test('H2, H12, 138: under normal a forbidden kind is left out without a review, the rest works, and a probe brings it back', async () => {
  const stage = await openStage({ mode: 'normal' });
  listAll(stage, ['ConfigMap']);
  assert.equal(stage.door.of('ConfigMap').fail(forbidden()), 'stop');
  await settle();
  assert.deepEqual(stage.door.reviews, []);
  const before = await stage.live('shop', [key('Deployment', 'a/web')], [maps]);
  assert.deepEqual(before.objects, ['apps/Deployment:a/web']);
  assert.deepEqual(Object.keys(before.unknown), ['ConfigMap:*']);
  assert.equal(stage.door.isFollowed('ConfigMap'), false);
  stage.clock.pass(30_000);
  stage.door.of('ConfigMap').list('300', map);
  await settle();
  assert.deepEqual(stage.touched, ['shop']);
  assert.deepEqual((await stage.live('shop', [], [maps])).unknown, {});
});

test('a probe in vain is repeated ever more rarely, and the kind stays unknown', async () => {
  const stage = await openStage({ mode: 'normal' });
  const followings = (): number => stage.door.played.filter(({ resource }) => resource.kind === 'ConfigMap').length;
  for (let turn = 0; turn < 8; turn++) {
    stage.door.of('ConfigMap').fail(forbidden());
    await settle();
    assert.match((await stage.live('shop', [], [maps])).unknown['ConfigMap:*'] ?? '', /may not list ConfigMap/);
    stage.clock.pass(300_000);
  }
  assert.equal(followings(), 9);
  stage.door.of('ConfigMap').fail(forbidden());
  await settle();
  stage.clock.pass(299_000);
  assert.equal(followings(), 9);
});

const reviews: readonly (readonly [string, () => boolean, string, RegExp])[] = [
  ['H3: a denied review drops the kind', () => false, 'ConfigMap:*', /confirmed by an access review/],
  [
    'H4: an allowed review means that the refusal will pass',
    () => true,
    'ConfigMap',
    /though the access review says it may/,
  ],
  [
    'H6: a review that may not be made leaves it open',
    () => {
      throw forbidden();
    },
    'ConfigMap',
    /failed to check permissions/,
  ],
];
for (const [title, review, where, reason] of reviews)
  test(title, async () => {
    const stage = await openStage({ mode: 'strict' });
    stage.door.review = review;
    listAll(stage, ['ConfigMap']);
    stage.door.of('ConfigMap').fail(forbidden());
    await settle();
    const { unknown } = await stage.live('shop', [key('Deployment', 'a/web')], [maps]);
    assert.deepEqual(Object.keys(unknown), [where]);
    assert.match(unknown[where] ?? '', reason);
  });

test('H5, H23: strict asks only after a refusal, for both verbs, with group and namespace', async () => {
  const stage = await openStage({ mode: 'strict', namespaces: ['a'] });
  stage.door.review = () => false;
  for (const played of [...stage.door.played]) if (played.resource.kind !== 'Deployment') played.list('200');
  assert.deepEqual(stage.door.reviews, []);
  stage.door.of('Deployment', 'a').fail(forbidden());
  await settle();
  assert.deepEqual(stage.door.reviews, [
    { group: 'apps', resource: 'deployments', verb: 'list', namespace: 'a' },
    { group: 'apps', resource: 'deployments', verb: 'watch', namespace: 'a' },
  ]);
});

test('H3: who asks while a refusal is still being judged is told once what it means, and not at every probe', async () => {
  const stage = await openStage({ mode: 'strict' });
  stage.door.review = () => false;
  listAll(stage, ['ConfigMap']);
  stage.door.of('ConfigMap').fail(forbidden());
  assert.deepEqual(Object.keys((await stage.live('shop', [], [maps])).unknown), ['ConfigMap']);
  await settle();
  assert.deepEqual(stage.touched, ['shop']);
  assert.deepEqual(Object.keys((await stage.live('shop', [], [maps])).unknown), ['ConfigMap:*']);
  stage.clock.pass(300_000);
  stage.door.of('ConfigMap').fail(forbidden());
  await settle();
  assert.deepEqual(stage.touched, ['shop']);
});

test('H9, H10: a kind that is not looked at is never listed nor asked about', async () => {
  const stage = await openStage({ mode: 'strict', watches: ({ kind: name }) => name !== 'Secret' });
  assert.equal(stage.door.isFollowed('Secret'), false);
  assert.deepEqual(stage.door.reviews, []);
});

test('H11, H13: a right that is revoked while watching forgets the kind, and tells those who had objects of it', async () => {
  const stage = await openStage({ mode: 'normal' });
  listAll(stage);
  assert.deepEqual((await stage.live('shop')).objects, ['ConfigMap:a/map', 'apps/Deployment:a/web']);
  await settle();
  stage.touched.length = 0;
  stage.door.of('ConfigMap').fail(forbidden('watch'));
  await settle();
  stage.clock.pass(10_000);
  stage.door.of('ConfigMap').fail(forbidden('watch'));
  await settle();
  assert.deepEqual(stage.touched, ['shop']);
  const after = await stage.live('shop', [], [maps]);
  assert.deepEqual(after.objects, ['apps/Deployment:a/web']);
  assert.match(after.unknown['ConfigMap:*'] ?? '', /may not watch ConfigMap/);
});

for (const mode of ['normal', 'strict'] as const)
  test(`H14, H15, H16: one forbidden namespace is left out alone (${mode})`, async () => {
    const stage = await openStage({ mode, namespaces: ['a', 'b'] });
    stage.door.review = ({ namespace }) => namespace !== 'b';
    for (const played of [...stage.door.played])
      if (played.options.namespace === 'b') played.fail(forbidden());
      else played.list('200', ...(played.resource.kind === 'ConfigMap' ? [map] : []));
    await settle();
    const { objects, unknown } = await stage.live('shop', [key('ConfigMap', 'a/map')], [maps]);
    assert.deepEqual(objects, []); // its body is fetched, and nothing is served
    assert.deepEqual(stage.fetched, ['ConfigMap a/map']);
    assert.match(unknown['ConfigMap:*'] ?? '', /in namespace b/);
    assert.equal(stage.cache.freshness(maps, 'a').known, true);
    assert.equal(stage.cache.freshness(maps, 'b').known, false);
  });

test('H17: a 401 while no other request is accepted drops nothing', async () => {
  const stage = await openStage({ mode: 'normal' });
  stage.door.review = () => {
    throw unauthorized();
  };
  listAll(stage);
  await stage.live('shop');
  stage.door.of('ConfigMap').fail(unauthorized());
  await settle();
  const { unknown } = await stage.live('shop', [], [maps]);
  assert.match(unknown['ConfigMap'] ?? '', /does not accept the credential/);
  assert.equal(stage.cache.stats().objects, 2);
  stage.clock.pass(2_000);
  stage.door.of('ConfigMap').list('300', map);
  assert.deepEqual((await stage.live('shop', [], [maps])).unknown, {});
});

test('a 401 for one kind while the credential is accepted elsewhere is no access to that kind', async () => {
  const stage = await openStage({ mode: 'normal' });
  listAll(stage);
  stage.door.of('ConfigMap').fail(unauthorized());
  await settle();
  assert.deepEqual(Object.keys((await stage.live('shop', [], [maps])).unknown), ['ConfigMap:*']);
});

test('H18, H19: a target of a kind that may not be read is fetched in the name of the Application', async () => {
  const stage = await openStage({ mode: 'normal' });
  listAll(stage, ['ConfigMap']);
  stage.door.of('ConfigMap').fail(forbidden());
  await settle();
  stage.served.set('ConfigMap a/map', map);
  stage.served.set('ConfigMap a/closed', new ArgosyError('kube-forbidden', 'get configmaps: no'));
  const targets = ['map', 'closed', 'absent'].map((name) => key('ConfigMap', `a/${name}`));
  const { objects, unknown } = await stage.live('shop', targets);
  assert.deepEqual(objects, ['ConfigMap:a/map', 'apps/Deployment:a/web']);
  assert.deepEqual(Object.keys(unknown), ['ConfigMap:*', 'ConfigMap:a/closed']);
});

test('a sick kind degrades only itself, and what was known of it counts until the evidence is too old', async () => {
  const stage = await openStage();
  listAll(stage);
  assert.equal(stage.door.of('ConfigMap').fail(unavailable()), 'retry');
  stage.clock.pass(89_000);
  stage.door.of('Deployment').sink.complete('201');
  assert.deepEqual((await stage.live('shop', [], [maps])).unknown, {});
  stage.clock.pass(2_000);
  const { objects, unknown } = await stage.live('shop', [], [maps]);
  assert.deepEqual(objects, ['apps/Deployment:a/web']);
  assert.match(unknown['ConfigMap'] ?? '', /conversion webhook failed/);
  stage.door.of('ConfigMap').sink.complete('202');
  await settle();
  assert.deepEqual(stage.touched, ['shop']);
});

test('a list that never was whole shows nothing', async () => {
  const stage = await openStage();
  listAll(stage, ['ConfigMap']);
  const { sink } = stage.door.of('ConfigMap');
  sink.restart();
  sink.upsert(map);
  const asking = stage.live('shop', [], [maps]);
  await settle();
  stage.clock.pass(20_000);
  const { objects, unknown } = await asking;
  assert.deepEqual(objects, ['apps/Deployment:a/web']);
  assert.match(unknown['ConfigMap'] ?? '', /still being read/);
  sink.complete('200');
  await settle();
  assert.deepEqual(stage.touched, ['shop']);
  assert.deepEqual((await stage.live('shop', [], [maps])).objects, ['ConfigMap:a/map', 'apps/Deployment:a/web']);
});

test('a group that could not be discovered is unknown; its followed kinds go on', async () => {
  const stage = await openStage({
    unknown: new Map([
      ['apps/v1', 'the server is down'],
      ['x.io/v1', 'is down'],
    ]),
  });
  listAll(stage);
  assert.throws(() => stage.cache.resource('x.io', 'Thing'), { code: 'unknown' });
  assert.equal(stage.cache.resource('y.io', 'Thing'), undefined);
  const { unknown } = await stage.live('shop', [], [{ group: 'x.io', kind: 'Thing' }]);
  assert.match(unknown['x.io/Thing'] ?? '', /could not be discovered: is down/);
  stage.door.discovery = { resources: kinds.slice(0, 4), unknown: new Map([['apps/v1', 'down']]) };
  stage.door.of('Pod').fail(new ArgosyError('kube-not-found', 'list pods: not found', { status: 404 }));
  await settle();
  assert.equal(stage.door.isFollowed('Deployment'), true);
});

test('a kind that is served no more is forgotten with its objects; one that is new is followed', async () => {
  const stage = await openStage();
  listAll(stage);
  await stage.live('shop');
  stage.door.discovery = {
    resources: [...kinds.slice(0, 5), kind('Thing', { group: 'x.io' })].slice(1),
    unknown: new Map(),
  };
  stage.door.of('ConfigMap').fail(new ArgosyError('kube-not-found', 'list configmaps: not found', { status: 404 }));
  await settle();
  assert.equal(stage.door.isFollowed('ConfigMap'), false);
  assert.equal(stage.door.isFollowed('Thing'), true);
  assert.deepEqual(stage.touched, ['shop']);
  assert.deepEqual((await stage.live('shop')).objects, ['apps/Deployment:a/web']);
  stage.clock.pass(60_000);
  assert.equal(stage.door.isFollowed('ConfigMap'), false);
});

test('only so many lists run at once', async () => {
  const many = Array.from({ length: 30 }, (_, n) => kind(`Thing${n}`));
  const stage = await openStage({ resources: many });
  assert.equal(stage.door.played.length, 8);
  for (let n = 0; n < 30; n++) stage.door.of(`Thing${n}`).list('1');
  assert.equal(stage.cache.stats().watches, 30);
});

test('kinds without a namespace are followed in some namespaces only where that is asked for', async () => {
  for (const clusterResources of [false, true]) {
    const stage = await openStage({ namespaces: ['a', 'b', 'a'], clusterResources });
    assert.equal(stage.door.isFollowed('Namespace'), clusterResources);
    assert.equal(stage.door.isFollowed('ConfigMap', 'a') && stage.door.isFollowed('ConfigMap', 'b'), true);
    assert.equal(stage.door.isFollowed('ConfigMap'), false);
  }
});

test('a cluster that cannot be asked holds nobody, is asked again, and is there when it answers', async () => {
  const stage = await openStage({ silent: true });
  await assert.rejects(stage.cache.ready(), { code: 'kube-unreachable' });
  await assert.rejects(stage.cache.ready(), { code: 'kube-unreachable' });
  stage.door.silent = false;
  stage.clock.pass(2_000);
  await settle();
  await stage.cache.ready();
  assert.equal(stage.cache.resource('', 'ConfigMap')?.plural, 'configmaps');
});

const lost: readonly (readonly [string, () => ArgosyError, string])[] = [
  ['a right that is revoked', forbidden, 'ConfigMap'],
  ['a kind that fails', unavailable, 'ConfigMap'],
];
for (const [what, error, where] of lost)
  test(`${what} while another kind is still being read leaves nothing that looks absent`, async () => {
    const stage = await openStage({ mode: 'normal' });
    listAll(stage, ['Deployment']);
    const asked = stage.live('shop', [key('Deployment', 'a/web')], [maps]);
    await settle();
    stage.clock.pass(1_000);
    stage.door.of('ConfigMap').sink.restart();
    stage.door.of('ConfigMap').fail(error());
    await settle();
    stage.door.of('Deployment').list('300', web);
    const { objects, unknown } = await asked;
    assert.deepEqual(objects, ['apps/Deployment:a/web']);
    assert.deepEqual(Object.keys(unknown), [where]);
  });
