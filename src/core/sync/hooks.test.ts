import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOurs } from '../diff/index.ts';
import { hook, job, object, Story } from './testdata/story.ts';

test('50: a PostSync hook waits for health, and does not start before', () => {
  const story = new Story(object('d', '', 'Deployment', 'apps/v1') + job('after', hook('PostSync')));
  story.health.set('d', 'Progressing');
  assert.equal(story.run().next, 'wait');
  assert.deepEqual(story.log, ['apply d']);
});

test('54: a failed PreSync hook fails the sync, the Sync phase does not run, SyncFail hooks do', () => {
  const story = new Story(job('pre', hook('PreSync')) + object('c') + job('rescue', hook('SyncFail')));
  story.health.set('pre', 'Degraded').set('rescue', 'Healthy');
  const end = story.run();
  assert.equal(end.next === 'end' && end.phase, 'Failed');
  assert.deepEqual(story.log, ['apply pre', 'apply rescue']);
});

test('56: a generated hook name carries revision, phase and start', () => {
  const story = new Story(
    `apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: mig-, annotations: {${hook('PreSync')}}}\n`,
  );
  story.health.set('mig-abcdef1-presync-1700000000', 'Progressing');
  assert.equal(story.run().next, 'wait');
  assert.deepEqual(story.log, ['apply mig-abcdef1-presync-1700000000']);
  // Marked under that name: by its mark it is found again in the next pass.
  const [made] = story.live.values();
  assert.ok(made !== undefined && isOurs(made, 'app'), JSON.stringify(made));
});

test('58: a hook left from the last sync is deleted, then made again', () => {
  const yaml = job('pre', hook('PreSync'));
  const story = new Story(yaml + object('c')).deployed(yaml);
  story.health.set('pre', 'Healthy');
  assert.equal(story.run().next, 'wait');
  assert.deepEqual(story.log, ['delete pre']);
  assert.equal(story.run().next, 'end');
  assert.deepEqual(story.log, ['delete pre', 'apply pre', 'apply c']);
});

test('59: HookSucceeded does not delete where a later phase fails', () => {
  const story = new Story(job('pre', hook('PreSync', 'HookSucceeded')) + object('c') + job('post', hook('PostSync')));
  story.health.set('pre', 'Healthy').set('post', 'Degraded');
  const end = story.run();
  assert.equal(end.next === 'end' && end.phase, 'Failed');
  assert.ok(story.live.has('batch/Job:ns/pre'));
});

test('60: HookFailed deletes a successful hook where another object fails', () => {
  const story = new Story(job('pre', hook('PreSync', 'HookFailed')) + object('c'));
  story.health.set('pre', 'Healthy');
  story.refused.add('c');
  const end = story.run();
  assert.equal(end.next === 'end' && end.message, 'one or more objects failed to apply, reason: c is forbidden');
  assert.deepEqual(story.log, ['apply pre', 'apply c', 'delete pre']);
});

test('60: a SyncFail hook that has just finished is released once, and then deleted', () => {
  const story = new Story(job('rescue', hook('SyncFail', 'HookFailed')) + object('c'));
  story.health.set('rescue', 'Healthy');
  story.refused.add('c');
  const end = story.run();
  assert.deepEqual(
    end.tasks.map(({ act, key }) => `${act} ${key.name}`),
    ['release rescue', 'delete rescue'],
  );
});

test('61: a hook of two phases runs twice and has two results', () => {
  const story = new Story(job('both', hook('PreSync,PostSync')) + object('c'));
  story.health.set('both', 'Healthy');
  while (story.run().next === 'wait');
  assert.deepEqual(story.log, ['apply both', 'apply c', 'delete both', 'apply both']);
  assert.deepEqual(
    story.results.filter(({ name }) => name === 'both').map(({ syncPhase }) => syncPhase),
    ['PreSync', 'PostSync'],
  );
});

test('62, 63, 66: unknown hook words, Helm tests and Skip leave the object alone', () => {
  for (const annotations of [hook('Presync'), 'helm.sh/hook: test', hook('Skip')]) {
    const story = new Story(job('odd', annotations) + object('c'));
    assert.equal(story.run().next, 'end');
    assert.deepEqual(story.log, ['apply c']);
  }
});

test('64: Helm hooks of install and upgrade are one PreSync run', () => {
  const story = new Story(job('pre', 'helm.sh/hook: "pre-install,pre-upgrade"') + object('c'));
  story.health.set('pre', 'Healthy');
  story.run();
  assert.deepEqual(story.log, ['apply pre', 'apply c']);
});

test('67: all SyncFail hooks run, and the sync fails after they finish', () => {
  const story = new Story(object('c') + job('r1', hook('SyncFail')) + job('r2', hook('SyncFail')));
  story.refused.add('c');
  story.health.set('r1', 'Progressing').set('r2', 'Healthy');
  assert.equal(story.run().next, 'wait');
  assert.deepEqual(story.log, ['apply c', 'apply r1', 'apply r2']);
  story.health.set('r1', 'Healthy');
  const end = story.run();
  assert.equal(end.next === 'end' && end.phase, 'Failed');
});
