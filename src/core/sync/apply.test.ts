import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SyncOperation } from '../api/index.ts';
import { hook, job, object, opts, Story } from './testdata/story.ts';

test('87: an object the API server refuses fails the sync, the rest of its wave is applied', () => {
  const story = new Story(object('a') + object('b'));
  story.refused.add('a');
  const end = story.run();
  assert.equal(end.next === 'end' && end.phase, 'Failed');
  assert.deepEqual(story.log, ['apply a', 'apply b']);
});

test('91, 92, 93: the way an object is applied follows its options', () => {
  const rows: [string, SyncOperation, string][] = [
    ['', {}, 'server'],
    [opts('ServerSideApply=false'), { syncOptions: ['ServerSideApply=true'] }, 'client'],
    ['', { syncOptions: ['ServerSideApply=false'] }, 'client'],
    [opts('ServerSideApply=true'), { syncOptions: ['ServerSideApply=false'] }, 'server'],
    [opts('Replace=true', 'Force=true'), {}, 'replace force'],
    ['', { syncOptions: ['Replace=true', 'ServerSideApply=true'] }, 'replace'],
  ];
  for (const [annotations, sync, wanted] of rows) {
    const step = new Story(object('a', annotations), sync).plan();
    const [task] = step.tasks;
    assert.equal(task?.act === 'apply' && `${task.mode}${task.force ? ' force' : ''}`, wanted);
  }
});

test('94: ApplyOutOfSyncOnly has only changed objects in its results', () => {
  const story = new Story(object('same') + object('new'), { syncOptions: ['ApplyOutOfSyncOnly=true'] }).deployed(
    object('same'),
  );
  story.run();
  assert.deepEqual(
    story.results.map(({ name }) => name),
    ['new'],
  );
});

test('97: a partial sync runs no hooks and touches nothing else', () => {
  const story = new Story(job('pre', hook('PreSync')) + object('a') + object('b'), {
    resources: [{ kind: 'ConfigMap', name: 'b' }],
  });
  story.run();
  assert.deepEqual(story.log, ['apply b']);
});

test('what matches already is reported and not sent', () => {
  const story = new Story(object('a') + object('b')).deployed(object('a'));
  story.run();
  assert.deepEqual(story.log, ['apply b']);
  assert.deepEqual(story.results.map(({ name, status }) => `${name} ${status}`).toSorted(), ['a Synced', 'b Synced']);
});
