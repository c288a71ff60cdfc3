import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hook, job, object, Story, wave } from './testdata/story.ts';

const kept = (type: string): string =>
  job('pre', hook(type)).replace('metadata: {', 'metadata: {finalizers: [argocd.argoproj.io/hook-finalizer], ');

test('a dry run does not wait for a hook of the last sync to go, and keeps what holds it', () => {
  const story = new Story(job('pre', hook('PreSync')) + object('c'), { dryRun: true }).deployed(kept('PreSync'));
  const end = story.run();
  assert.equal(end.next === 'end' && end.phase, 'Succeeded');
  assert.deepEqual(story.log, ['apply c']);
  assert.deepEqual(
    story.results.map(({ name, message, hookType }) => [name, message, hookType]),
    [
      ['pre', 'batch/Job/pre is to be made anew', 'PreSync'],
      ['c', 'applied', undefined],
    ],
  );
});

test('a dry run waits for nobody’s health', () => {
  const [a, b] = [object('a', wave(1), 'Deployment', 'apps/v1'), object('b', wave(2))];
  const story = new Story(a + b, { dryRun: true }).deployed(a);
  story.health.set('a', 'Progressing');
  assert.equal(story.run().next, 'end');
  assert.deepEqual(story.log, ['apply b']);
});
