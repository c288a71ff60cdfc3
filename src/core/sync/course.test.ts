import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Course, type Item, type Outcome, syncOptionsOf, type Task } from './index.ts';
import { hook, job, object, Story, wave } from './testdata/story.ts';

const settings = {
  ...{ prune: false, options: syncOptionsOf([]), force: false, dryRun: false, migrationManager: 'm' },
  ...{ health: () => undefined, approved: false, terminating: false, applyAll: false },
};

/** An object in a wave of its own; `looked` hears of each look at it. */
function itemOf(n: number, looked: () => void): Item {
  const key = { group: '', kind: 'ConfigMap', namespace: 'ns', name: `c${n}` };
  const target = { key, object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: key.name } }, source: 0 };
  const item = { key, version: 'v1', phase: 'Sync', wave: n, target, live: undefined, modified: true } as const;
  return {
    ...item,
    result: undefined,
    get hook() {
      looked();
      return undefined;
    },
  };
}

function applied(task: Task): Outcome {
  const metadata = { name: task.key.name, namespace: 'ns', uid: task.key.name, resourceVersion: '1' };
  return { task, status: 'Synced', message: '', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata } };
}

/** How often the items of a sync are looked at that has so many waves. */
function looksAt(waves: number): number {
  let looks = 0;
  const items = Array.from({ length: waves }, (_, n) => itemOf(n, () => looks++));
  const course = new Course({ ...settings, items });
  for (let steps = 1; ; steps++) {
    const step = course.next();
    assert.equal(step.tasks.length, 1);
    course.after(step.tasks.map(applied));
    if (step.next === 'run' && step.final) {
      assert.equal(steps, waves);
      return looks;
    }
  }
}

test('a step looks at what it touches: twice the waves cost twice the looks', () => {
  const [some, twice] = [looksAt(300), looksAt(600)];
  assert.ok(twice <= 2 * some, `${some} looks at 300 waves, ${twice} at 600`);
});

const words = (pick: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...pick);
const part = fc.record({
  name: words(['a', 'b', 'c', 'd', 'e', 'f']),
  wave: fc.integer({ min: -1, max: 2 }),
  kind: words(['ConfigMap', 'Secret', 'PreSync', 'PostSync', 'PreSync,PostSync', 'SyncFail', 'Namespace']),
  policy: words(['BeforeHookCreation', 'HookSucceeded', 'HookFailed']),
  health: fc.constantFrom('Healthy', 'Degraded', undefined),
  refused: fc.nat({ max: 9 }).map((n) => n === 0),
  deployed: fc.boolean(),
});
type Part = typeof part extends fc.Arbitrary<infer T> ? T : never;

function yamlOf({ name, wave: n, kind, policy }: Part): string {
  if (['ConfigMap', 'Secret', 'Namespace'].includes(kind))
    return object(`${kind.toLowerCase()}-${name}`, wave(n), kind);
  return job(`hook-${name}`, `${wave(n)}, ${hook(kind, policy)}`);
}

function storyOf(parts: readonly Part[]): Story {
  const story = new Story(parts.map(yamlOf).join(''));
  for (const each of parts) {
    const name = `${['ConfigMap', 'Secret', 'Namespace'].includes(each.kind) ? each.kind.toLowerCase() : 'hook'}-${each.name}`;
    if (each.health !== undefined) story.health.set(name, each.health);
    if (each.refused) story.refused.add(name);
    if (each.deployed) story.deployed(yamlOf(each));
  }
  return story;
}

test('in one pass, or in a pass for each step, a sync does the same and comes to the same end', () => {
  const parts = fc.uniqueArray(part, {
    maxLength: 8,
    selector: ({ name, kind }) => `${kind.includes('Sync')} ${name}`,
  });
  fc.assert(
    fc.property(parts, (all) => {
      const [one, many] = [storyOf(all), storyOf(all)];
      for (let passes = 0; passes < 20; passes++) {
        const [here, there] = [one.run(), many.run('a pass for each step')];
        assert.deepEqual(
          [here.next, 'message' in here && here.message],
          [there.next, 'message' in there && there.message],
        );
        assert.deepEqual(one.log, many.log);
        assert.deepEqual(one.results, many.results);
        if (here.next === 'end') return;
      }
    }),
    { numRuns: 300 },
  );
});

test('what was pruned in an earlier wave is still told at the end, also by a later pass', () => {
  for (const passes of ['one pass', 'a pass for each step'] as const) {
    const story = new Story(object('c', wave(2)), { prune: true }).deployed(object('extra', wave(1)));
    assert.equal(story.run(passes).next, 'end');
    assert.deepEqual(
      story.results.map(({ name, status }) => `${name} ${status}`),
      ['extra Pruned', 'c Synced'],
    );
  }
});

test('with ApplyOutOfSyncOnly, too, a wave waits for what the one before has changed', () => {
  const story = new Story(object('d', wave(0), 'Deployment', 'apps/v1') + object('c', wave(1)), {
    syncOptions: ['ApplyOutOfSyncOnly=true'],
  });
  story.health.set('d', 'Progressing');
  for (let passes = 0; passes < 3; passes++) assert.equal(story.run().next, 'wait');
  story.health.set('d', 'Healthy');
  assert.equal(story.run().next, 'end');
  assert.deepEqual(
    story.results.map(({ name }) => name),
    ['d', 'c'],
  );
});

test('a Namespace that a hook needs is applied before it, once, and the sync goes on after the hook', () => {
  const story = new Story(object('ns', '', 'Namespace') + job('pre', hook('PreSync')) + object('c'));
  story.health.set('pre', 'Progressing');
  assert.equal(story.run().next, 'wait');
  story.health.set('pre', 'Healthy');
  assert.equal(story.run().next, 'end');
  assert.deepEqual(story.log, ['apply ns', 'apply pre', 'apply c']);
});

test('an object that a hook of its name has just made is applied, whatever it was before', () => {
  const plain = itemOf(0, () => undefined);
  const live = { key: plain.key, object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c0' } } };
  const items: Item[] = [
    { ...plain, phase: 'PreSync', hook: { policies: [] } },
    { ...plain, live, modified: false },
  ];
  const course = new Course({ ...settings, items });
  const first = course.next();
  course.after(first.tasks.map(applied));
  const done = [...first.tasks, ...course.next().tasks].map(({ act, phase }) => `${act} ${phase}`);
  assert.deepEqual(done, ['apply PreSync', 'apply Sync']);
});
