import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hook, job, object, Story, wave } from './testdata/story.ts';

test('48: waves run in order, each after the one before is healthy', () => {
  const story = new Story(object('c', wave(-1)) + object('d', wave(0), 'Deployment', 'apps/v1') + job('j', wave(1)));
  story.health.set('d', 'Progressing');
  const waiting = story.run();
  assert.deepEqual(story.log, ['apply c', 'apply d']);
  assert.equal(waiting.next === 'wait' && waiting.message, 'waiting for healthy state of apps/Deployment/d');
  story.health.set('d', 'Healthy');
  assert.equal(story.run().next, 'end');
  assert.deepEqual(story.log, ['apply c', 'apply d', 'apply j']);
});

test('49: a single wave without hooks succeeds without waiting for health', () => {
  const story = new Story(object('d', '', 'Deployment', 'apps/v1'));
  story.health.set('d', 'Progressing');
  const end = story.run();
  assert.deepEqual(end.next === 'end' && [end.phase, end.message], [
    'Succeeded',
    'successfully synced (all tasks run)',
  ]);
});

test('51: a degraded object fails the sync before the next wave', () => {
  const story = new Story(object('d', wave(0), 'Deployment', 'apps/v1') + object('c', wave(1)));
  story.health.set('d', 'Degraded');
  const end = story.run();
  assert.equal(end.next === 'end' && end.phase, 'Failed');
  assert.deepEqual(story.log, ['apply d']);
});

test('52: an object without health counts as done', () => {
  const story = new Story(object('a', wave(0)) + object('b', wave(1)));
  assert.equal(story.run().next, 'end');
  assert.deepEqual(story.log, ['apply a', 'apply b']);
});

test('65: a Helm weight on an ordinary object is its wave', () => {
  const story = new Story(object('late', 'helm.sh/hook-weight: "5"') + object('z'));
  story.run();
  assert.deepEqual(story.log, ['apply z', 'apply late']);
});

test('81: a CRD is applied before its first object, whatever the waves say', () => {
  const crd = `---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.io, annotations: {${wave(4)}}}\nspec: {group: example.io, names: {kind: Widget}}\n`;
  const story = new Story(object('w', wave(1), 'Widget', 'example.io/v1') + crd);
  story.run();
  assert.deepEqual(story.log, ['apply widgets.example.io', 'apply w']);
});

test('83: a Namespace is applied before the first object in it, in its wave', () => {
  const story = new Story(object('c', wave(0)) + object('ns', wave(5), 'Namespace'));
  story.run();
  assert.deepEqual(story.log, ['apply ns', 'apply c']);
});

test('the order of manifests does not change the plan', () => {
  const parts = [
    object('a', wave(1)),
    object('b'),
    job('pre', hook('PreSync')),
    object('ns2', '', 'Namespace'),
    object('s', '', 'Secret'),
  ];
  const reference = names(new Story(parts.join('')));
  fc.assert(
    fc.property(fc.shuffledSubarray(parts, { minLength: parts.length }), (shuffled) => {
      assert.deepEqual(names(new Story(shuffled.join(''))), reference);
    }),
  );
});

function names(story: Story): string[] {
  story.health.set('pre', 'Healthy');
  story.run();
  return story.log;
}
