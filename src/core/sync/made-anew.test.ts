import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectKey } from '../objects/index.ts';
import { Course, type Item, syncOptionsOf, type Task } from './index.ts';

/** What a sync does with an object that is as it should be. */
function tasksFor(options: string, words: readonly string[] = []): readonly Task[] {
  const annotations = { 'argocd.argoproj.io/sync-options': options };
  const object = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j', namespace: 'shop', annotations } };
  const key = objectKey(object);
  const live = { key, object: { ...object, metadata: { ...object.metadata, uid: 'u', resourceVersion: '1' } } };
  const target = { key, object, source: 0 };
  const item = { key, version: 'v1', phase: 'Sync', wave: 0, target, live, modified: false } as const;
  const items: Item[] = [{ ...item, hook: undefined, result: undefined }];
  const course = new Course({
    ...{ items, prune: false, options: syncOptionsOf(words), force: false, dryRun: false, migrationManager: 'm' },
    ...{ health: () => undefined, approved: false, terminating: false, applyAll: false },
  });
  return course.next().tasks;
}

test('91: an object to be replaced by force is made anew by every sync, also where it is as it should be', () => {
  const [task, ...others] = tasksFor('Force=true,Replace=true');
  assert.deepEqual(
    [task?.act, task?.act === 'apply' && [task.mode, task.force], others],
    ['apply', ['replace', true], []],
  );
});

test('all other objects that are as they should be are not sent', () => {
  for (const options of ['', 'Replace=true', 'Force=true']) assert.deepEqual(tasksFor(options), []);
  assert.deepEqual(tasksFor('', ['Replace=true']), []);
});
