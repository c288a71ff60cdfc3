import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryReader } from './testdata/memory-reader.ts';
import {
  accepted,
  closeSettings,
  Diary,
  namespaces,
  openSettings,
  project,
  sample,
  secret,
  stage,
  tenantCluster,
} from './testdata/stage.ts';

afterEach(closeSettings);

test('a burst of changes makes one snapshot', async () => {
  const { reader, settings, until } = await stage([sample], { debounceMs: 20 });
  for (let i = 0; i < 100; i++) reader.put(secret('argocd', 'blue', 'cluster', { server: `https://blue-${i}` }));
  await until(({ clusters }) => clusters[0]?.server === 'https://blue-99', 'the last one');
  assert.ok(settings.current().revision <= 3, `${settings.current().revision} snapshots`);
});

test('a namespace that cannot be read holds up nobody, is known as unread, and comes in when it can', async () => {
  const reader = new MemoryReader();
  reader.forbid('tenant-a');
  for (const each of [
    sample,
    namespaces('tenant-a,tenant-b'),
    tenantCluster('tenant-a', 'blue'),
    tenantCluster('tenant-b', 'red'),
  ])
    reader.put(each);
  const diary = new Diary();
  const open = openSettings({ reader, installation: { controlPlane: 'argocd' }, report: diary, debounceMs: 1 });
  const first = await open.ready;
  assert.deepEqual([...(first.unread ?? [])], [['tenant-a', 'secrets is forbidden']]);
  assert.deepEqual(diary.lines, ['unreadable cluster Secrets of tenant-a: secrets is forbidden']);
  reader.allow('tenant-a');
  for (let tries = 0; tries < 1000 && accepted(open.current()).length < 2; tries++) await sleep(1);
  assert.deepEqual(accepted(open.current()), ['tenant-a/blue', 'tenant-b/red']);
  assert.deepEqual([...(open.current().unread ?? [])], []);
});

test('a namespace that never answers delays the first snapshot only so long', async () => {
  const reader = new MemoryReader();
  reader.silence('tenant-a');
  for (const each of [sample, namespaces('tenant-a,tenant-b'), tenantCluster('tenant-b', 'red')]) reader.put(each);
  const installation = { controlPlane: 'argocd' };
  const open = openSettings({ reader, installation, report: new Diary(), debounceMs: 1, tenantWaitMs: 30 });
  const first = await open.ready;
  assert.deepEqual(accepted(first), ['tenant-b/red']);
  assert.deepEqual([...(first.unread ?? [])], [['tenant-a', 'not read yet']]);
});

test('while a list is read again, what was known stands', async () => {
  const { reader, settings } = await stage([sample, secret('argocd', 'blue', 'cluster', { server: 'https://blue' })]);
  for (const { sink } of reader.followers) sink.restart();
  await sleep(10);
  assert.equal(settings.current().clusters.length, 1);
  for (const { sink, resource } of reader.followers) if (resource.kind === 'Secret') sink.complete('9');
  for (let tries = 0; tries < 1000 && settings.current().clusters.length > 0; tries++) await sleep(1);
  assert.equal(settings.current().clusters.length, 0, 'what the list did not name is gone');
});

test('a Secret that finds no room is refused, and read when another goes', async () => {
  const names = ['a', 'b', 'c'];
  const { reader, settings, diary, until } = await stage(
    [
      sample,
      namespaces('tenant-a,tenant-b'),
      ...names.map((name) => tenantCluster('tenant-a', name)),
      tenantCluster('tenant-b', 'x'),
    ],
    { limits: { secretsPerNamespace: 2 } },
  );
  assert.deepEqual(accepted(settings.current()), ['tenant-a/a', 'tenant-a/b', 'tenant-b/x']);
  await settings.told();
  assert.deepEqual(diary.lines, [
    'rejected tenant-a/c: the namespace holds more cluster Secrets than are looked at (2)',
  ]);
  reader.delete('Secret', 'tenant-a', 'a');
  const snapshot = await until((each) => accepted(each).includes('tenant-a/c'), 'room for the third');
  assert.deepEqual(accepted(snapshot), ['tenant-a/b', 'tenant-a/c', 'tenant-b/x']);
});

test('room is given back when a namespace leaves the list, so that it has all of it when it returns', async () => {
  const objects = [sample, ...['a', 'b'].map((name) => tenantCluster('tenant-a', name))];
  const { reader, until } = await stage([...objects, namespaces('tenant-*')], { limits: { secretsPerNamespace: 2 } });
  for (let round = 0; round < 5; round++) {
    reader.put(namespaces('tenant-b*'));
    await until((snapshot) => accepted(snapshot).length === 0, 'gone');
    reader.put(namespaces(round % 2 === 0 ? 'tenant-a' : 'tenant-*'));
    await until((snapshot) => accepted(snapshot).length === 2, 'back');
  }
  reader.put(tenantCluster('tenant-a', 'c'));
  reader.put(project('late', {}));
  const snapshot = await until(({ projects }) => projects.has('late'), 'a later change');
  assert.deepEqual(accepted(snapshot), ['tenant-a/a', 'tenant-a/b'], 'and never more than its room');
});

test("J39: a project's quota accepts the oldest and refuses the rest", async () => {
  const limited = project('sample', { sourceNamespaces: ['tenant-a'], quota: { clusters: 20 } });
  const many = Array.from({ length: 50 }, (_, i) => {
    const object = tenantCluster('tenant-a', `c${i}`);
    return {
      ...object,
      metadata: { ...object.metadata, creationTimestamp: `2026-01-02T03:04:${String(59 - i).padStart(2, '0')}Z` },
    };
  });
  const { settings, diary } = await stage([limited, namespaces('tenant-a'), ...many]);
  assert.equal(accepted(settings.current()).length, 20);
  assert.ok(accepted(settings.current()).includes('tenant-a/c49'), 'the oldest');
  await settings.told();
  assert.equal(diary.lines.length, 30);
  assert.equal(diary.counts.get('tenant-a'), 30);
});

test('refusals are told namespace by namespace in turn', async () => {
  const bad = (namespace: string, name: string) => tenantCluster(namespace, name, { project: '' });
  const many = Array.from({ length: 30 }, (_, i) => bad('tenant-a', `a${i}`));
  const { settings, diary } = await stage([sample, namespaces('tenant-a,tenant-b'), ...many, bad('tenant-b', 'only')]);
  await settings.told();
  const position = diary.lines.findIndex((line) => line.includes('tenant-b/only'));
  assert.ok(position >= 0 && position <= 2, `told as number ${position}`);
});

test('after a stop nothing is watched and nothing is said', async () => {
  const { reader, settings, changes } = await stage([sample, namespaces('tenant-a,tenant-*')]);
  await settings.stop();
  assert.equal(reader.followers.size, 0);
  reader.put(project('late', {}));
  await sleep(10);
  assert.deepEqual(changes, []);
});

test('a namespace that becomes readable is a change, though no Secret is found there', async () => {
  const reader = new MemoryReader();
  reader.forbid('tenant-a');
  for (const each of [sample, namespaces('tenant-a')]) reader.put(each);
  const open = openSettings({ reader, installation: { controlPlane: 'argocd' }, report: new Diary(), debounceMs: 1 });
  await open.ready;
  const told = Promise.withResolvers<boolean>();
  open.onChange(({ namespaces: changed }) => told.resolve(changed));
  reader.allow('tenant-a');
  const late = sleep(2000).then(() => Promise.reject(new Error('nobody was told: Applications there stay unknown')));
  assert.equal(await Promise.race([told.promise, late]), true);
  assert.deepEqual([...(open.current().unread ?? [])], []);
});
