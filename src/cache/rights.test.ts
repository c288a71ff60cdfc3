import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FollowSink, Resource } from '../kube/index.ts';
import { kind, ScriptedDoor, settle } from './testdata/scripted-door.ts';
import { forbidden, key, kinds, openStage, type Stage, thing, unavailable } from './testdata/stage.ts';

const maps = { group: '', kind: 'ConfigMap' };
const map = thing('ConfigMap', 'a/map', { app: 'shop' });
const rbac = 'rbac.authorization.k8s.io';
const withRbac = [
  ...kinds,
  kind('ClusterRole', { group: rbac, namespaced: false }),
  kind('RoleBinding', { group: rbac }),
];

/** All kinds are known, and the Application has looked. */
async function watched(options: Parameters<typeof openStage>[0] = {}): Promise<Stage> {
  const stage = await openStage({ mode: 'normal', ...options });
  for (const each of [...stage.door.played]) each.list('200', ...(each.resource.kind === 'ConfigMap' ? [map] : []));
  await stage.live('shop', [], [maps]);
  await settle();
  stage.touched.length = 0;
  return stage;
}

const followings = ({ door }: Stage, name: string): number =>
  door.played.filter(({ resource }) => resource.kind === name).length;

test('T-118 a right that is back in a moment was never away: nobody is told, and nothing is forgotten', async () => {
  const stage = await watched();
  for (let turn = 0; turn < 20; turn++) {
    stage.door.of('ConfigMap').fail(forbidden('watch'));
    await settle();
    assert.equal(stage.cache.freshness(maps, 'a').known, true);
    stage.clock.pass(10_000);
    const again = stage.door.of('ConfigMap');
    again.list('300', map);
    again.sink.opened?.();
    await settle();
  }
  assert.deepEqual(stage.touched, []);
  assert.equal(stage.cache.stats().objects, 1);
});

test('T-118 a right that comes and goes is met while it is there, and only one that stays away is dropped', async () => {
  const stage = await watched();
  const { clock, door } = stage;
  const began = clock.now();
  const isAway = (): boolean => Math.floor((clock.now() - began) / 5_000) % 2 === 0;
  for (; clock.now() - began < 200_000; clock.pass(100)) {
    if (!door.isFollowed('ConfigMap')) continue;
    const played = door.of('ConfigMap');
    // What changes a role lets its watches be asked for anew.
    if (isAway()) played.fail(forbidden('list'));
    else played.list('300', map);
    await settle();
  }
  assert.deepEqual(stage.touched, []);
  for (let turn = 0; turn < 40 && stage.touched.length === 0; turn++) {
    if (door.isFollowed('ConfigMap')) door.of('ConfigMap').fail(forbidden());
    await settle();
    clock.pass(500);
  }
  assert.deepEqual(stage.touched, ['shop']);
});

test('T-118 however often it is refused in between, a right that was away for minutes is seen within one', async () => {
  const stage = await watched();
  const { clock, door } = stage;
  const until = clock.now() + 210_000;
  door.of('ConfigMap').fail(forbidden());
  await settle();
  for (;;) {
    const before = clock.now();
    while (!door.isFollowed('ConfigMap')) clock.pass(1_000);
    assert.ok(clock.now() - before <= 60_000, `${clock.now() - before} ms between two tries`);
    if (clock.now() > until) break;
    door.of('ConfigMap').fail(forbidden());
    await settle();
  }
  door.of('ConfigMap').list('300', map);
  assert.equal(stage.cache.freshness(maps, 'a').known, true);
});

test('who asks while a right is in doubt and nothing is fresh waits for the second answer', async () => {
  const stage = await watched();
  const played = stage.door.of('ConfigMap');
  played.sink.restart();
  played.fail(forbidden());
  const asked = stage.live('shop', [], [maps]);
  await settle();
  stage.clock.pass(10_000);
  stage.door.of('ConfigMap').list('300', map);
  assert.deepEqual((await asked).unknown, {});
});

test('a fault that follows a refusal is told as the fault it is', async () => {
  const stage = await watched();
  stage.door.of('ConfigMap').fail(forbidden());
  stage.clock.pass(10_000);
  const again = stage.door.of('ConfigMap');
  again.sink.restart();
  assert.equal(again.fail(unavailable()), 'retry');
  assert.match((await stage.live('shop', [], [maps])).unknown['ConfigMap'] ?? '', /conversion webhook/);
});

test('H11: what may be listed and not watched stays left out at every probe, and nobody is told again', async () => {
  const stage = await watched();
  const refuse = async (): Promise<void> => {
    stage.door.of('ConfigMap').list('300', map);
    stage.door.of('ConfigMap').fail(forbidden('watch'));
    await settle();
  };
  await refuse();
  stage.clock.pass(10_000);
  await refuse();
  assert.deepEqual(Object.keys((await stage.live('shop', [], [maps])).unknown), ['ConfigMap:*']);
  for (let turn = 0; turn < 5; turn++) {
    stage.clock.pass(300_000);
    stage.door.of('ConfigMap').list('400', map);
    assert.equal(stage.cache.freshness(maps, 'a').known, false, 'a list is no watch');
    stage.door.of('ConfigMap').fail(forbidden('watch'));
    await settle();
    assert.deepEqual(Object.keys((await stage.live('shop', [], [maps])).unknown), ['ConfigMap:*']);
  }
  stage.clock.pass(300_000);
  const granted = stage.door.of('ConfigMap');
  granted.list('500', map);
  granted.sink.opened?.();
  assert.deepEqual((await stage.live('shop', [], [maps])).unknown, {});
});

test('T-126 what is read one by one is looked at again with every probe in vain, a hundred Applications at a time', async () => {
  const stage = await openStage({ mode: 'normal' });
  stage.door.of('ConfigMap').fail(forbidden());
  for (const each of stage.door.played.filter(({ stopped }) => !stopped)) each.list('200');
  await settle();
  for (let n = 0; n < 150; n++) await stage.live(`app-${n}`, [key('ConfigMap', 'a/map')]);
  await stage.live('other', [], [maps]);
  await settle();
  const told: string[] = [];
  for (let probe = 0; probe < 3; probe++) {
    stage.touched.length = 0;
    stage.clock.pass(300_000);
    stage.door.of('ConfigMap').fail(forbidden());
    await settle();
    told.push(`${stage.touched.length} from ${stage.touched[0]}`);
    for (const name of stage.touched) await stage.live(name, [key('ConfigMap', 'a/map')]);
  }
  assert.deepEqual(told, ['100 from app-0', '100 from app-100', '100 from app-50']);
});

test('a role that changes lets rights be tried at once: what was refused, and what is watched', async () => {
  const stage = await watched({ resources: withRbac });
  stage.door.of('ConfigMap').fail(forbidden());
  stage.clock.pass(10_000);
  stage.door.of('ConfigMap').fail(forbidden());
  await settle();
  const before = followings(stage, 'ConfigMap');
  for (let n = 0; n < 50; n++) stage.door.of('ClusterRole').sink.upsert(thing('ClusterRole', 'reader'));
  stage.clock.pass(1_000);
  assert.equal(followings(stage, 'ConfigMap'), before + 1);
  assert.equal(stage.door.of('Pod').renewed, 1);
});

test('roles that change all the time cost one look in a minute', async () => {
  const stage = await watched({ resources: withRbac });
  for (let second = 0; second < 600; second++) {
    stage.door.of('ClusterRole').sink.upsert(thing('ClusterRole', 'reader'));
    stage.clock.pass(1_000);
  }
  assert.equal(stage.door.of('Pod').renewed, 10);
});

test('a binding of one namespace concerns the watches of that namespace only', async () => {
  const everywhere = await watched({ resources: withRbac });
  everywhere.door.of('RoleBinding').sink.upsert(thing('RoleBinding', 'a/edit'));
  everywhere.clock.pass(1_000);
  assert.equal(everywhere.door.of('Pod').renewed, 0);
  const some = await watched({ resources: withRbac, namespaces: ['a', 'b'] });
  some.door.of('RoleBinding', 'a').sink.remove(thing('RoleBinding', 'a/edit'));
  some.clock.pass(1_000);
  assert.equal(some.door.of('Pod', 'a').renewed, 1);
  assert.equal(some.door.of('Pod', 'b').renewed, 0);
});

/** A cluster that refuses everything, as soon as it can. */
class ClosedDoor extends ScriptedDoor {
  readonly lists = new Map<string, number>();
  #listing = 0;
  #reviewing = 0;
  most = { lists: 0, reviews: 0 };

  override follow(resource: Resource, options: Parameters<ScriptedDoor['follow']>[1], sink: FollowSink) {
    if (options.signal !== undefined) return super.follow(resource, options, sink);
    this.lists.set(resource.kind, (this.lists.get(resource.kind) ?? 0) + 1);
    this.most = { ...this.most, lists: Math.max(this.most.lists, ++this.#listing) };
    setImmediate(() => {
      this.#listing--;
      sink.broken(forbidden());
    });
    return { stop: () => undefined, done: Promise.resolve() };
  }

  override async mayI(review: Parameters<ScriptedDoor['mayI']>[0]): Promise<boolean> {
    this.reviews.push(review);
    this.most = { ...this.most, reviews: Math.max(this.most.reviews, ++this.#reviewing) };
    await new Promise((resolve) => setImmediate(resolve));
    this.#reviewing--;
    return false;
  }
}

async function closed(count: number) {
  const door = new ClosedDoor(Array.from({ length: count }, (_, n) => kind(`Thing${n}`)));
  const stage = await openStage({ mode: 'strict', door });
  const judged = async (): Promise<void> => {
    while (stage.cache.stats().dropped < count) await settle();
  };
  await judged();
  return { door, stage };
}

test('T-125 ten thousand kinds that are all forbidden are found out a few at a time, each with one review', async () => {
  const { door } = await closed(10_000);
  assert.equal(door.reviews.length, 2 * 10_000, 'one for each verb');
  assert.deepEqual(door.most, { lists: 8, reviews: 16 });
});

test('T-125 in an hour of refusals no kind is reviewed twice, and probes become rare', async () => {
  const { door, stage } = await closed(50);
  for (let second = 0; second < 3_590; second += 10) {
    stage.clock.pass(10_000);
    await settle();
  }
  assert.equal(door.reviews.length, 2 * 50);
  const probes = Math.max(...door.lists.values());
  assert.ok(probes > 10 && probes <= 30, `${probes} probes of a kind`);
  for (let second = 0; second < 600; second += 10) {
    stage.clock.pass(10_000);
    await settle();
  }
  assert.equal(door.reviews.length, 2 * 2 * 50, 'the next hour has its own');
});
