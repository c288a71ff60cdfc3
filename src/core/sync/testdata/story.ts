import assert from 'node:assert/strict';
import { loadAll } from 'js-yaml';
import type { ResourceResult, SyncOperation } from '../../api/index.ts';
import { compare, type Live, type LiveObject, targetsOf } from '../../diff/index.ts';
import type { HealthCode } from '../../health/index.ts';
import { type KubeObject, objectKey, printKey, roleOf } from '../../objects/index.ts';
import { Course, hookFinalizer, itemsOf, type Outcome, resultsFound, type Step, syncOptionsOf, type Task } from '../index.ts';

/** A cluster small enough to think about: it carries tasks out and lets a test say how objects fare. */
export class Story {
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

  /** What would be done now, by whoever begins a pass. */
  plan(): Step {
    return this.#course().next();
  }

  #course(): Course {
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
    return new Course({
      items,
      before: resultsFound(this.results, (key) => !this.live.has(printKey(key))),
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

  /** Steps until the sync waits or ends, in one pass or in a pass for each step; the answer is the last step. */
  run(passes: 'one pass' | 'a pass for each step' = 'one pass'): Step {
    let course = this.#course();
    for (let i = 0; i < 1000; i++) {
      if (passes === 'a pass for each step') course = this.#course();
      const step = course.next();
      const outcomes = step.tasks.map((task) => this.#carryOut(task));
      course.after(outcomes);
      this.results = course.results();
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

  #carryOut(task: Task): Outcome {
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

/** The YAML of an object that only has a name. */
export function object(name: string, annotations = '', kind = 'ConfigMap', apiVersion = 'v1'): string {
  return `---\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}, annotations: {${annotations}}}\n`;
}
/** Annotations of an object. */
export const wave = (n: number): string => `argocd.argoproj.io/sync-wave: "${n}"`;
export const hook = (words: string, policy?: string): string =>
  `argocd.argoproj.io/hook: "${words}"${policy === undefined ? '' : `, argocd.argoproj.io/hook-delete-policy: ${policy}`}`;
/** A Job, for hooks. */
export const job = (name: string, annotations: string): string => object(name, annotations, 'Job', 'batch/v1');
export const opts = (...words: string[]): string => `argocd.argoproj.io/sync-options: "${words.join(',')}"`;

