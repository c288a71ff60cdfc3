import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { loadAll } from 'js-yaml';
import type { ResourceResult, SyncOperation } from '../api/index.ts';
import { compare, isOurs, type Live, type LiveObject, targetsOf } from '../diff/index.ts';
import type { HealthCode } from '../health/index.ts';
import { type KubeObject, objectKey, printKey, roleOf } from '../objects/index.ts';
import {
  announce,
  hookFinalizer,
  itemsOf,
  nextStep,
  resultsAfter,
  type Step,
  syncOptionsOf,
  type Task,
} from './index.ts';

/** A cluster small enough to think about: it carries tasks out and lets a test say how objects fare. */
class Story {
  readonly live = new Map<string, LiveObject>();
  readonly health = new Map<string, HealthCode>();
  readonly log: string[] = [];
  /** Names whose apply the API server refuses. */
  readonly refused = new Set<string>();
  results: ResourceResult[] = [];
  approved = false;
  terminating = false;
  #uid = 0;
  readonly sync: SyncOperation;
  #objects: KubeObject[];

  constructor(yaml: string, sync: SyncOperation = {}) {
    this.#objects = loadAll(yaml) as KubeObject[];
    this.sync = sync;
  }

  /** Puts objects of ours into the cluster, as a former sync did. */
  deployed(yaml: string, bare = false): this {
    const objects = loadAll(yaml) as KubeObject[];
    for (const { object } of targetsOf(
      objects.map((each) => ({ object: each, source: 0 })),
      options,
    )) {
      this.#put(bare ? ({ ...object, metadata: { ...object.metadata, annotations: {} } } as KubeObject) : object);
    }
    return this;
  }

  #put(object: KubeObject): KubeObject {
    const known = this.live.get(printKey(objectKey(object)));
    const uid = known?.object.metadata.uid ?? `uid-${++this.#uid}`;
    const stored = { ...object, metadata: { ...object.metadata, uid, resourceVersion: String(++this.#uid) } };
    this.live.set(printKey(objectKey(object)), { key: objectKey(object), object: stored });
    return stored;
  }

  plan(): Step {
    const targets = targetsOf(
      this.#objects.map((object) => ({ object, source: 0 })),
      options,
    );
    const managed = targets.filter(({ object }) => roleOf(object).role === 'managed');
    const live: Live = { objects: this.live, unknown: new Map() };
    const hooks = new Set(
      targets.filter(({ object }) => roleOf(object).role !== 'managed').map(({ key }) => printKey(key)),
    );
    const comparison = compare(managed, live, { instance: 'app' });
    const syncOptions = syncOptionsOf(this.sync.syncOptions ?? []);
    const items = itemsOf({
      objects: comparison.objects.filter(
        ({ key, live: there }) => !hooks.has(printKey(key)) && roleOf(there?.object ?? managedDummy).role === 'managed',
      ),
      hooks: targets.filter(({ object }) => roleOf(object).role === 'hook'),
      liveOf: (key) => this.live.get(key),
      sync: this.sync,
      options: syncOptions,
      results: this.results,
      revision: 'abcdef1234',
      startedAt: 1700000000,
    });
    return nextStep({
      items,
      prune: this.sync.prune === true,
      options: syncOptions,
      force: false,
      dryRun: this.sync.dryRun === true,
      migrationManager: 'kubectl-client-side-apply',
      health: (object) => {
        const status = this.health.get(object.metadata.name ?? '');
        return status === undefined ? undefined : { status };
      },
      approved: this.approved,
      terminating: this.terminating,
      applyAll: false,
    });
  }

  /** Steps until the sync waits or ends; the answer is the last step. */
  run(): Step {
    for (let i = 0; i < 100; i++) {
      const step = this.plan();
      const outcomes = step.tasks.map((task) => this.#carryOut(task));
      this.results = resultsAfter(step.results, outcomes);
      if (step.next !== 'run') return step;
      const failed = outcomes.some(({ status }) => status === 'SyncFailed');
      if (step.final && !failed)
        return {
          next: 'end',
          phase: 'Succeeded',
          message: 'successfully synced (all tasks run)',
          tasks: [],
          results: this.results,
        };
    }
    assert.fail('the sync does not end');
  }

  #carryOut(task: Task): Parameters<typeof resultsAfter>[1][number] {
    const { name } = task.key;
    if (task.act === 'release') {
      const finalizers = (task.live.metadata.finalizers ?? []).filter((finalizer) => finalizer !== hookFinalizer);
      const object = this.#put({ ...task.live, metadata: { ...task.live.metadata, finalizers } });
      return { task, status: 'Synced', message: '', object };
    }
    this.log.push(`${task.act} ${name}`);
    if (task.act === 'delete') {
      this.live.delete(printKey(task.key));
      return { task, status: 'Pruned', message: 'pruned' };
    }
    if (this.refused.has(name)) return { task, status: 'SyncFailed', message: `${name} is forbidden` };
    return { task, status: 'Synced', message: 'applied', object: this.#put(task.object) };
  }
}

const options = {
  instance: 'app',
  destinationNamespace: 'ns',
  namespaced: (_group: string, kind: string) => kind !== 'Namespace' && kind !== 'CustomResourceDefinition',
};
const managedDummy: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };

function object(name: string, annotations = '', kind = 'ConfigMap', apiVersion = 'v1'): string {
  return `---\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}, annotations: {${annotations}}}\n`;
}
const wave = (n: number): string => `argocd.argoproj.io/sync-wave: "${n}"`;
const hook = (words: string, policy?: string): string =>
  `argocd.argoproj.io/hook: "${words}"${policy === undefined ? '' : `, argocd.argoproj.io/hook-delete-policy: ${policy}`}`;
const job = (name: string, annotations: string): string => object(name, annotations, 'Job', 'batch/v1');
const opts = (...words: string[]): string => `argocd.argoproj.io/sync-options: "${words.join(',')}"`;

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

test('50: a PostSync hook waits for health, and does not start before', () => {
  const story = new Story(object('d', '', 'Deployment', 'apps/v1') + job('after', hook('PostSync')));
  story.health.set('d', 'Progressing');
  assert.equal(story.run().next, 'wait');
  assert.deepEqual(story.log, ['apply d']);
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

test('65: a Helm weight on an ordinary object is its wave', () => {
  const story = new Story(object('late', 'helm.sh/hook-weight: "5"') + object('z'));
  story.run();
  assert.deepEqual(story.log, ['apply z', 'apply late']);
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
