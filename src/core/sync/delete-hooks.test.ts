import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadAll } from 'js-yaml';
import { isOurs, type LiveObject, targetsOf } from '../diff/index.ts';
import type { HealthCode } from '../health/index.ts';
import { type KubeObject, objectKey, printKey } from '../objects/index.ts';
import {
  cleanDeleteHooks,
  type DeleteHookInput,
  planDeleteHooks,
  withDeleteHookFinalizers,
  withDeleteHookNames,
} from './index.ts';

const hook = (name: string, type: string, policy = ''): string =>
  `---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: ${name}, annotations: {argocd.argoproj.io/hook: ${type}${policy === '' ? '' : `, argocd.argoproj.io/hook-delete-policy: ${policy}`}}}\n`;

function input(yaml: string, live: Record<string, HealthCode | undefined>): DeleteHookInput {
  const objects = loadAll(yaml) as KubeObject[];
  const targets = targetsOf(
    objects.map((object) => ({ object, source: 0 })),
    { instance: 'app', destinationNamespace: 'ns', namespaced: () => true },
  );
  const there = new Map<string, LiveObject>(
    targets
      .filter(({ key }) => Object.hasOwn(live, key.name))
      .map(({ object }) => {
        const stored = {
          ...object,
          metadata: { ...object.metadata, uid: `u-${object.metadata.name}`, resourceVersion: '1' },
        };
        return [printKey(objectKey(stored)), { key: objectKey(stored), object: stored }];
      }),
  );
  const status = (object: KubeObject): { status: HealthCode } | undefined => {
    const found = live[object.metadata.name ?? ''];
    return found === undefined ? undefined : { status: found };
  };
  return { type: 'PostDelete', targets, liveOf: (key) => there.get(key), health: status };
}

test('121: PostDelete hooks are made, awaited, and a failed one is removed and told', () => {
  const yaml = hook('bye', 'PostDelete') + hook('early', 'PreDelete');
  const first = planDeleteHooks(input(yaml, {}));
  assert.deepEqual(first.next === 'run' && first.tasks.map(({ key }) => key.name), ['bye']);
  assert.deepEqual(planDeleteHooks(input(yaml, { bye: 'Progressing' })), {
    next: 'wait',
    message: 'waiting for completion of hook batch/Job/bye',
  });
  const failed = planDeleteHooks(input(yaml, { bye: 'Degraded' }));
  assert.deepEqual(failed.next === 'failed' && [failed.message, failed.tasks.map(({ key }) => key.name)], [
    'PostDelete hook(s) failed: ns/bye',
    ['bye'],
  ]);
  assert.deepEqual(planDeleteHooks(input(yaml, { bye: 'Healthy' })), { next: 'done' });
});

test('delete hooks are cleaned up only where their policy asks for it', () => {
  const yaml =
    hook('kept', 'PostDelete') + hook('gone', 'PostDelete', 'HookSucceeded') + hook('bad', 'PostDelete', 'HookFailed');
  const cleaned = cleanDeleteHooks(input(yaml, { kept: 'Healthy', gone: 'Healthy', bad: 'Healthy' }));
  assert.deepEqual(
    cleaned.map(({ key }) => key.name),
    ['gone'],
  );
});

test('an Application gets the finalizers of the delete hooks it has, and loses those of hooks it has no more', () => {
  const { targets } = input(hook('bye', 'PostDelete'), {});
  const run = ['post-delete-finalizer.argocd.argoproj.io', 'post-delete-finalizer.argocd.argoproj.io/cleanup'];
  assert.deepEqual(withDeleteHookFinalizers(['other'], targets), ['other', ...run]);
  assert.deepEqual(withDeleteHookFinalizers(['other', ...run], []), ['other']);
});

test('a delete hook that leaves its name to us has one, the same in every pass, and its mark is for that name', () => {
  const yaml = hook('x', 'PreDelete').replace('name: x', 'generateName: bye-') + hook('kept', 'PostDelete');
  const { targets } = input(yaml, {});
  const [named, other] = withDeleteHookNames(targets, 'abcdef1234', 1_700_000_000);
  assert.equal(named?.key.name, 'bye-abcdef1-predelete-1700000000');
  assert.equal(named.object.metadata.generateName, undefined);
  assert.ok(isOurs({ key: named.key, object: named.object }, 'app'));
  assert.equal(other, targets[1]);
});
