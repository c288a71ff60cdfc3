import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Controller } from '../../src/controller/index.ts';
import { createTestRepository, type TestRepository } from '../support/git-repository.ts';
import { application, comparisonError, configMap, integrityPlatform } from '../support/integrity-platform.ts';
import { appView, openStage, type Stage, untilApp } from '../support/story.ts';

const plane = 'unsigned-argocd';
const target = 'unsigned-shop';
let stage: Stage;
let controller: Controller;
let repository: TestRepository;

before(async () => {
  stage = await openStage();
  repository = createTestRepository({ 'shop/one.yaml': configMap('one') });
  const keys = 'signatureKeys: [{keyID: 4AEE18F83AFDEB23}]';
  await stage.apply(integrityPlatform({ plane, target, policy: keys, keys: {} }));
  controller = await stage.start({ controlPlane: plane });
});

after(async () => {
  await stage?.stop();
  repository?.remove();
});

test('a project that asks for signatures gets nothing out of an unsigned commit', async () => {
  await stage.apply(application({ plane, target, name: 'shop', url: repository.url }));
  const app = await untilApp(stage, plane, 'shop', (each) => comparisonError(each) !== '');
  // With gpg the commit is named, without it the tool.
  assert.match(comparisonError(app), /GIT\/GPG: commit [0-9a-f]{12} is not signed|gpg is not installed/);
  assert.equal(app?.status?.sync?.status, 'Unknown');
  assert.equal(await stage.get('ConfigMap', target, 'one'), undefined);
});

test('a sync of that very commit, which somebody asks for, does not get around it', async () => {
  const revision = repository.git('rev-parse', 'HEAD');
  await stage.patch('Application', plane, 'shop', { operation: { sync: { revision } } });
  const app = await untilApp(stage, plane, 'shop', (each) =>
    ['Failed', 'Error'].includes(each?.status?.operationState?.phase ?? ''),
  );
  assert.match(app.status?.operationState?.message ?? '', /GIT\/GPG|gpg is not installed/);
  assert.equal(await stage.get('ConfigMap', target, 'one'), undefined);
});

test('another commit without a signature changes nothing', async () => {
  repository.commit({ 'shop/two.yaml': configMap('two') });
  await controller.poll(repository.url);
  assert.notEqual(comparisonError(await appView(stage, plane, 'shop')), '');
  assert.equal(await stage.get('ConfigMap', target, 'two'), undefined);
});
