import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SyncOperation } from '../api/index.ts';
import { resultsAfter } from './index.ts';
import { object, opts, Story, wave } from './testdata/story.ts';

test('68, 69: without prune or with Prune=false an extra object stays, and says why', () => {
  const rows: [SyncOperation, string, string][] = [
    [{}, '', 'ignored (requires pruning)'],
    [{ prune: true }, opts('Prune=false'), 'ignored (no prune)'],
    [{ prune: true, syncOptions: ['Prune=false'] }, '', 'ignored (no prune)'],
  ];
  for (const [sync, annotations, message] of rows) {
    const story = new Story(object('c'), sync).deployed(object('extra', annotations));
    const end = story.run();
    assert.equal(end.next === 'end' && end.phase, 'Succeeded');
    assert.deepEqual(story.results.find(({ name }) => name === 'extra')?.message, message);
    assert.ok(story.live.has('ConfigMap:ns/extra'));
  }
});

test('71: Prune=confirm waits for approval', () => {
  const story = new Story(object('c'), { prune: true }).deployed(object('extra', opts('Prune=confirm')));
  const waiting = story.run();
  assert.equal(waiting.next === 'wait' && waiting.message, 'waiting for pruning confirmation of /ConfigMap/extra');
  story.approved = true;
  story.run();
  assert.deepEqual(story.log, ['apply c', 'delete extra']);
});

test('72: PruneLast prunes after all waves are healthy', () => {
  const story = new Story(object('d', wave(3), 'Deployment', 'apps/v1'), {
    prune: true,
    syncOptions: ['PruneLast=true'],
  }).deployed(object('extra'));
  story.health.set('d', 'Progressing');
  assert.equal(story.run().next, 'wait');
  assert.deepEqual(story.log, ['apply d']);
  story.health.set('d', 'Healthy');
  story.run();
  assert.deepEqual(story.log, ['apply d', 'delete extra']);
});

test('73: prunes go in reversed waves', () => {
  const extras = [1, 2, 3].map((n) => object(`e${n}`, wave(n))).join('');
  const story = new Story('', { prune: true }).deployed(extras);
  story.run();
  assert.deepEqual(story.log, ['delete e3', 'delete e2', 'delete e1']);
});

test('74: the propagation policy is handed on', () => {
  const story = new Story('', { prune: true, syncOptions: ['PrunePropagationPolicy=orphan'] }).deployed(
    object('extra'),
  );
  const step = story.plan();
  assert.deepEqual(
    step.tasks.map((task) => task.act === 'delete' && task.propagation),
    ['Orphan'],
  );
});

test('a pruned object that is still going holds the next wave', () => {
  const story = new Story(object('c', wave(2)), { prune: true }).deployed(object('extra', wave(1)));
  const extra = story.live.get('ConfigMap:ns/extra');
  assert.ok(extra);
  const step = story.plan();
  const [task] = step.tasks;
  assert.ok(task);
  story.results = resultsAfter(step.results, [{ task, status: 'Pruned', message: 'pruned' }]);
  story.live.set('ConfigMap:ns/extra', {
    ...extra,
    object: { ...extra.object, metadata: { ...extra.object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
  });
  const waiting = story.plan();
  assert.equal(waiting.next === 'wait' && waiting.message, 'waiting for deletion of /ConfigMap/extra');
});
