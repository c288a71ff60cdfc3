import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Controller } from '../../src/controller/index.ts';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { application, comparisonError, configMap, integrityPlatform } from '../support/integrity-platform.ts';
import { openSigningHouse, type SigningKey } from '../support/signing.ts';
import { appView, isSynced, openStage, type Stage, untilApp } from '../support/story.ts';

// With the real gpg: what a permitted key has signed is synced, and nothing else.

const plane = 'signed-argocd';
const target = 'signed-shop';
const signing = openSigningHouse();
let stage: Stage;
let controller: Controller;
let repository: TestRepository;
let [ours, theirs]: SigningKey[] = [];

function commit(name: string, key: SigningKey | undefined): void {
  repository.commit({ [`shop/${name}.yaml`]: configMap(name) });
  repository.git(
    ...(key?.git ?? []),
    'commit',
    '--amend',
    '--no-edit',
    '--quiet',
    ...(key === undefined ? [] : ['-S']),
  );
}

before(async () => {
  stage = await openStage();
  ours = signing.makeKey('ours');
  theirs = signing.makeKey('theirs');
  repository = createTestRepository({ 'README.md': 'hello\n' });
  commit('one', ours);
  const id = ours.id.slice(-16);
  const policy = `sourceIntegrity: {git: {policies: [{repos: [{url: '*'}], gpg: {mode: head, keys: ['${id}']}}]}}`;
  await stage.apply(integrityPlatform({ plane, target, policy, keys: { [id]: ours.armour } }));
  controller = await stage.start({ controlPlane: plane });
  await stage.apply(application({ plane, target, name: 'shop', url: repository.url }));
});

after(async () => {
  await stage?.stop();
  repository?.remove();
  signing.close();
});

test('what a permitted key has signed is synced', async () => {
  await untilApp(stage, plane, 'shop', isSynced);
  assert.notEqual(await stage.get('ConfigMap', target, 'one'), undefined);
});

test('a commit without a signature, or with that of another key, stops everything, and what was there stays', async () => {
  for (const [name, key, told] of [
    ['two', undefined, /is not signed/],
    ['three', theirs, /a key that is not permitted/],
  ] as const) {
    commit(name, key);
    await controller.poll(repository.url);
    await untilApp(stage, plane, 'shop', (app) => told.test(comparisonError(app)));
    assert.equal(await stage.get('ConfigMap', target, name), undefined);
    assert.notEqual(await stage.get('ConfigMap', target, 'one'), undefined);
  }
});

test('the next signed commit goes on', async () => {
  commit('four', ours);
  await controller.poll(repository.url);
  await untilApp(stage, plane, 'shop', isSynced);
  assert.notEqual(await stage.get('ConfigMap', target, 'four'), undefined);
  assert.equal(comparisonError(await appView(stage, plane, 'shop')), '');
});

test('a key that an admin takes away counts no more', async () => {
  await stage.patch('ConfigMap', plane, 'argocd-gpg-keys-cm', { data: null });
  await untilApp(stage, plane, 'shop', (app) => /argocd-gpg-keys-cm/.test(comparisonError(app)));
});
