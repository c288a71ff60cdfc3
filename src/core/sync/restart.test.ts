import assert from 'node:assert/strict';
import { test } from 'node:test';
import { announce } from './index.ts';
import { hook, job, object, Story, wave } from './testdata/story.ts';

test('42: terminating removes running hooks and ends in Failed', () => {
  const story = new Story(job('pre', hook('PreSync')) + object('c'));
  story.health.set('pre', 'Progressing');
  story.run();
  story.terminating = true;
  const end = story.run();
  assert.deepEqual(end.next === 'end' && [end.phase, end.message], ['Failed', 'Operation terminated']);
  assert.deepEqual(story.log, ['apply pre', 'delete pre']);
});

test('41: killed right before or right after a hook was asked for, it is asked for exactly once', () => {
  for (const arrived of [false, true]) {
    const story = new Story(object('pre', hook('PreSync')) + object('one'));
    const step = story.plan();
    const [task] = step.tasks;
    assert.ok(task?.act === 'apply');
    story.results = announce(step.results, step.tasks);
    if (arrived) story.deployed(object('pre', hook('PreSync')));
    assert.equal(story.run().next, 'end');
    assert.deepEqual(story.log, arrived ? ['apply one'] : ['apply pre', 'apply one']);
  }
});

test('41: killed right before or right after an object was pruned, it is pruned once and told', () => {
  for (const arrived of [false, true]) {
    const story = new Story(object('c', wave(2)), { prune: true }).deployed(object('extra', wave(1)));
    const step = story.plan();
    assert.deepEqual(
      step.tasks.map(({ act, key }) => `${act} ${key.name}`),
      ['delete extra'],
    );
    story.results = announce(step.results, step.tasks);
    if (arrived) story.live.delete('ConfigMap:ns/extra');
    assert.equal(story.run().next, 'end');
    assert.deepEqual(story.log, arrived ? ['apply c'] : ['delete extra', 'apply c']);
    assert.deepEqual(
      story.results.map(({ name, status, hookPhase }) => `${name} ${status} ${hookPhase}`),
      ['extra Pruned Succeeded', 'c Synced Running'],
    );
  }
});

test('41: a restart between any two steps continues and repeats no hook', () => {
  const story = new Story(
    job('pre', hook('PreSync')) + object('a', wave(1)) + object('b', wave(2)) + job('post', hook('PostSync')),
  );
  for (const name of ['pre', 'post']) story.health.set(name, 'Healthy');
  for (let i = 0; i < 20; i++) {
    // Everything a step needs is in results and live objects: the plan made twice is the plan made once.
    assert.deepEqual(story.plan(), story.plan());
    if (story.run().next === 'end') break;
  }
  assert.deepEqual(story.log, ['apply pre', 'apply a', 'apply b', 'apply post']);
});

test('a running object that vanished fails the sync', () => {
  const story = new Story(object('d', wave(0), 'Deployment', 'apps/v1') + object('c', wave(1)));
  story.health.set('d', 'Progressing');
  story.run();
  story.live.clear();
  const end = story.run();
  assert.match((end.next === 'end' && end.message) || '', /Deployment\/d is missing, it might have been deleted/);
});
