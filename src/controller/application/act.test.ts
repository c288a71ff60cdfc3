import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArgosyError, isArgosyError } from '../../core/errors/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import type { DeleteTask } from '../../core/sync/index.ts';
import { act } from './act.ts';
import type { World } from './world.ts';

const task = (name: string): DeleteTask => ({
  act: 'delete',
  key: { group: '', kind: 'ConfigMap', namespace: 'shop', name },
  version: 'v1',
  phase: 'Sync',
  wave: 0,
  hook: false,
  uid: name,
  resourceVersion: '1',
  propagation: 'Foreground',
  why: 'prune',
  dryRun: false,
});

/** Three tasks, of which `then` happens during the second; answers what was deleted, and why it ended if it was stopped. */
async function carried(begins: string, then: (stage: { phase: string; stopping: boolean }) => void) {
  const stage = { phase: begins, stopping: false };
  const deleted: string[] = [];
  const door = {
    delete: async (_kind: unknown, _namespace: string, name: string) => {
      deleted.push(name);
      if (deleted.length === 2) then(stage);
    },
  };
  const metadata = { namespace: 'team', name: 'app' };
  const admitted = { answer: 'admitted', cluster: 'c', identity: { as: 'impersonate', user: 'u' } };
  const permits = () => ({ answer: 'allowed' });
  const object = (): unknown => ({ metadata, status: { operationState: { phase: stage.phase } } });
  const world = {
    controlPlane: 'argocd',
    stopping: () => stage.stopping,
    application: () => object() as KubeObject, // its status is all that is read
    admit: () => ({ ...admitted, permits }),
  } as unknown as World; // as much of the world as tasks touch
  const access = { resource: () => ({ namespaced: true }), as: () => door };
  const actor = { app: object(), access, admitted, sources: { targets: [] } } as unknown as Parameters<typeof act>[0]; // likewise
  const ended = await act(actor, ['a', 'b', 'c'].map(task), world).catch((error: unknown) => error);
  return [deleted.join(''), isArgosyError(ended) ? ended.code : 'done'];
}

test('tasks are carried out one after the other', async () => {
  assert.deepEqual(await carried('Running', () => undefined), ['abc', 'done']);
});

test('an operation that somebody terminates stops between two tasks', async () => {
  const terminate = (stage: { phase: string }): void => {
    stage.phase = 'Terminating';
  };
  assert.deepEqual(await carried('Running', terminate), ['ab', 'cancelled']);
});

test('what cleans up after a terminated operation is carried out', async () => {
  assert.deepEqual(await carried('Terminating', () => undefined), ['abc', 'done']);
});

test('a controller that is being stopped does not first come to the end of a wave', async () => {
  const stop = (stage: { stopping: boolean }): void => {
    stage.stopping = true;
  };
  assert.deepEqual(await carried('Running', stop), ['ab', 'cancelled']);
});

test('a server that does not answer is asked three times, not once for each of a thousand tasks', async () => {
  let asked = 0;
  const door = {
    delete: async () => {
      asked++;
      throw new ArgosyError('kube-timeout', 'no answer');
    },
  };
  const admitted = { answer: 'admitted', cluster: 'c', identity: { as: 'impersonate', user: 'u' } };
  const app = { metadata: { namespace: 'team', name: 'app' }, status: { operationState: { phase: 'Running' } } };
  const world = {
    controlPlane: 'argocd',
    stopping: () => false,
    application: () => app as unknown as KubeObject, // its status is all that is read
    admit: () => ({ ...admitted, permits: () => ({ answer: 'allowed' }) }),
  } as unknown as World; // as much of the world as tasks touch
  const access = { resource: () => ({ namespaced: true }), as: () => door };
  const actor = { app, access, admitted, sources: { targets: [] } } as unknown as Parameters<typeof act>[0]; // likewise
  const tasks = Array.from({ length: 1000 }, (_, i) => task(`t${i}`));
  const outcomes = await act(actor, tasks, world);
  assert.equal(asked, 3);
  assert.deepEqual(
    outcomes.map((outcome) => outcome.task),
    tasks,
  );
  assert.ok(outcomes.every(({ passing }) => passing === true));
});
