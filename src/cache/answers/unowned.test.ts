import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kind, settle } from '../testdata/scripted-door.ts';
import { forbidden, openStage, type Stage, thing, unavailable } from '../testdata/stage.ts';

const resources = [
  kind('ConfigMap'),
  kind('Pod'),
  kind('Service'),
  kind('Endpoints'),
  kind('Namespace', { namespaced: false }),
];
const owner = thing('ConfigMap', 'a/owner');
const objects = [
  owner,
  thing('ConfigMap', 'a/marked', { app: 'other' }),
  thing('ConfigMap', 'b/elsewhere'),
  thing('Pod', 'a/owned', { owner }),
  thing('Pod', 'a/dangling', { owner: thing('ConfigMap', 'a/not-there') }),
  thing('Service', 'a/web'),
  thing('Endpoints', 'a/web'),
  thing('Endpoints', 'a/alone'),
];

async function staged(except: readonly string[] = [], options: Parameters<typeof openStage>[0] = {}): Promise<Stage> {
  const stage = await openStage({ resources, ...options });
  for (const each of stage.door.played)
    if (!except.includes(each.resource.kind))
      each.list('1000', ...objects.filter((one) => one.kind === each.resource.kind));
  await stage.live('shop');
  await settle();
  stage.touched.length = 0;
  return stage;
}

const names = ({ cache }: Stage): string[] =>
  [...cache.unowned('a', 'shop').objects].map(({ key, instance }) => `${key.kind} ${key.name} ${instance}`).toSorted();

async function bunchPasses({ clock }: Stage): Promise<void> {
  clock.pass(1_001);
  await settle();
}

test('shows what nothing owns in a namespace, with the marks', async () => {
  const stage = await staged();
  assert.deepEqual(names(stage), ['ConfigMap marked other', 'ConfigMap owner ', 'Endpoints alone ', 'Service web ']);
  assert.deepEqual(stage.cache.unowned('a', 'shop').unseen, []);
  assert.deepEqual([...stage.cache.unowned('nowhere', 'shop').objects], []);
});

test('who asked is told once for a bunch when something loose comes, goes or is taken, and not of anything else', async () => {
  const stage = await staged();
  const { sink } = stage.door.of('ConfigMap');
  names(stage);
  sink.upsert(thing('ConfigMap', 'a/one'));
  sink.upsert(thing('ConfigMap', 'a/two'));
  await settle();
  assert.deepEqual(stage.touched, []);
  await bunchPasses(stage);
  assert.deepEqual(stage.touched, ['shop']);
  // Who does not ask again wants to hear no more.
  sink.upsert(thing('ConfigMap', 'a/three'));
  await bunchPasses(stage);
  assert.deepEqual(stage.touched, ['shop']);
  const quiet = [
    thing('ConfigMap', 'b/one'),
    thing('ConfigMap', 'a/other-marked', { app: 'other' }),
    thing('ConfigMap', 'a/with-owner', { owner }),
    thing('ConfigMap', 'a/one', { version: 5_000 }),
  ];
  names(stage);
  for (const each of quiet) sink.upsert(each);
  await bunchPasses(stage);
  assert.deepEqual(stage.touched, ['shop']);
  const loud = [
    (): void => sink.remove(thing('ConfigMap', 'a/one')),
    (): void => sink.upsert(thing('ConfigMap', 'a/two', { app: 'other', version: 6_000 })),
    (): void => sink.upsert(thing('ConfigMap', 'a/three', { owner, version: 6_001 })),
  ];
  for (const [n, act] of loud.entries()) {
    names(stage);
    act();
    await bunchPasses(stage);
    assert.equal(stage.touched.length, n + 2);
  }
});

test('a kind that is being read or fails is unseen, and who asked is told when it is known', async () => {
  const stage = await staged(['Service']);
  const [reading] = stage.cache.unowned('a', 'shop').unseen;
  assert.deepEqual(reading, {
    kind: { group: '', kind: 'Service' },
    reason: 'Service is still being read',
    forbidden: false,
  });
  stage.door.of('Service').fail(unavailable());
  assert.match(stage.cache.unowned('a', 'shop').unseen[0]?.reason ?? '', /webhook/);
  stage.door.of('Service').list('2000');
  await settle();
  assert.deepEqual(stage.touched, ['shop']);
  assert.deepEqual(stage.cache.unowned('a', 'shop').unseen, []);
});

test('a kind that may not be read, a group nobody could discover and a foreign namespace are not empty', async () => {
  const dark = await staged(['Service'], { mode: 'normal' });
  dark.door.of('Service').fail(forbidden());
  await settle();
  assert.deepEqual(
    dark.cache.unowned('a', 'shop').unseen.map(({ kind: each, forbidden: may }) => [each?.kind, may]),
    [['Service', true]],
  );
  const half = await staged([], { unknown: new Map([['metrics.k8s.io/v1beta1', 'no answer']]) });
  assert.deepEqual(half.cache.unowned('a', 'shop').unseen, [
    { kind: undefined, reason: 'metrics.k8s.io/v1beta1 could not be discovered: no answer', forbidden: false },
  ]);
  const watches = ({ group }: { group: string }): boolean => group !== 'metrics.k8s.io';
  const without = await staged([], { watches, unknown: new Map([['metrics.k8s.io/v1beta1', 'no answer']]) });
  assert.deepEqual(without.cache.unowned('a', 'shop').unseen, []);
  const narrow = await staged([], { namespaces: ['b'] });
  assert.match(narrow.cache.unowned('a', 'shop').unseen[0]?.reason ?? '', /namespace a is not looked at/);
});
