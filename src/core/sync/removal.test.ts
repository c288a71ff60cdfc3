import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadAll } from 'js-yaml';
import type { LiveObject } from '../diff/index.ts';
import { type KubeObject, objectKey } from '../objects/index.ts';
import { planRemoval, type Removal, syncOptionsOf } from './index.ts';

function objects(yaml: string): LiveObject[] {
  return (loadAll(yaml) as KubeObject[]).map((object, i) => {
    const stored = { ...object, metadata: { ...object.metadata, uid: `u${i}`, resourceVersion: '1' } };
    return { key: objectKey(stored), object: stored };
  });
}

const one = (name: string, annotations = '', more = ''): string =>
  `---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ns, annotations: {${annotations}}${more}}\n`;
const finalizer = 'resources-finalizer.argocd.argoproj.io';

function run(yaml: string, { words = [] as string[], approved = false, finalizers = [finalizer] } = {}): Removal {
  return planRemoval({ finalizers, objects: objects(yaml), options: syncOptionsOf(words), approved });
}

function names(removal: Removal): string[] {
  return removal.next === 'delete' ? removal.tasks.map(({ key }) => key.name) : [];
}

test('115: without a finalizer of ours nothing is removed', () =>
  assert.deepEqual(run(one('a'), { finalizers: ['other'] }), { next: 'none' }));

test('116: the highest wave goes first, with preconditions, and the next waits until it has gone', () => {
  const wave = (n: number): string => `argocd.argoproj.io/sync-wave: "${n}"`;
  const first = run(one('a') + one('b', wave(2)) + one('c', wave(2)));
  assert.deepEqual(names(first), ['b', 'c']);
  assert.ok(
    first.next === 'delete' && first.tasks.every(({ uid, resourceVersion }) => uid !== '' && resourceVersion !== ''),
  );
  const going = run(one('a') + one('b', wave(2), ', deletionTimestamp: "2026-01-01T00:00:00Z"'));
  assert.deepEqual(going, { next: 'wait', message: 'waiting for deletion of /ConfigMap/b' });
  assert.deepEqual(names(run(one('a'))), ['a']);
  assert.deepEqual(run(''), { next: 'release', finalizer });
});

test('117: Delete=false keeps an object, and its own word wins over the Application', () => {
  const keep = 'argocd.argoproj.io/sync-options: Delete=false';
  assert.deepEqual(names(run(one('a') + one('pvc', keep))), ['a']);
  assert.deepEqual(run(one('pvc', keep)), { next: 'release', finalizer });
  assert.deepEqual(
    names(run(one('a', 'argocd.argoproj.io/sync-options: Delete=true') + one('b'), { words: ['Delete=false'] })),
    ['a'],
  );
  assert.deepEqual(run(one('a', 'helm.sh/resource-policy: keep')), { next: 'release', finalizer });
});

test('118: Delete=confirm waits for approval', () => {
  const ask = one('db', 'argocd.argoproj.io/sync-options: Delete=confirm');
  assert.deepEqual(run(one('a') + ask), {
    next: 'wait',
    message: 'waiting for deletion confirmation of /ConfigMap/db',
  });
  assert.deepEqual(names(run(one('a') + ask, { approved: true })), ['a', 'db']);
});

test('CRDs outlive their Application', () => {
  const crd =
    '---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.io}\n';
  assert.deepEqual(run(crd), { next: 'release', finalizer });
});

test('the finalizer names the propagation', () => {
  const background = run(one('a'), { finalizers: [`${finalizer}/background`] });
  assert.equal(background.next === 'delete' && background.tasks[0]?.propagation, 'Background');
});
