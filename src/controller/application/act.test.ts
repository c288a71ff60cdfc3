import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ArgosyError, isArgosyError } from '../../core/errors/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import type { DeleteTask, Outcome, Task } from '../../core/sync/index.ts';
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

test('tasks are begun in their order', async () => {
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

/** Carries tasks out through a door, for an Application that nobody stops. */
function carryAll(tasks: readonly Task[], door: object): Promise<Outcome[]> {
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
  return act(actor, tasks, world);
}

test('a server that does not answer is asked three times, not once for each of a thousand tasks', async () => {
  let asked = 0;
  const door = {
    delete: async () => {
      asked++;
      throw new ArgosyError('kube-timeout', 'no answer');
    },
  };
  const tasks = Array.from({ length: 1000 }, (_, i) => task(`t${i}`));
  const outcomes = await carryAll(tasks, door);
  assert.equal(asked, 3);
  assert.deepEqual(
    outcomes.map((outcome) => outcome.task),
    tasks,
  );
  assert.ok(outcomes.every(({ passing }) => passing === true));
});

test('a server that goes away in the middle is asked no more than what was under way', async () => {
  let asked = 0;
  const door = {
    delete: async () => {
      await sleep(20);
      if (++asked > 100) throw new ArgosyError('kube-timeout', 'no answer');
    },
  };
  const tasks = Array.from({ length: 1000 }, (_, i) => task(`t${i}`));
  const outcomes = await carryAll(tasks, door);
  assert.ok(asked <= 100 + 3 + 8, String(asked));
  assert.equal(outcomes.filter(({ passing }) => passing !== true).length, 100);
});

/** A server that takes its time, and what was under way at once. */
function slowServer(): { door: object; together: Set<string>[]; most: () => number } {
  const together: Set<string>[] = [];
  let now: string[] = [];
  let most = 0;
  const call = async (name: string): Promise<void> => {
    now = [...now, name];
    most = Math.max(most, now.length);
    together.push(new Set(now));
    await sleep(20);
    now = now.filter((each) => each !== name);
  };
  const door = { delete: (_kind: unknown, _namespace: string, name: string) => call(name) };
  return { door, together, most: () => most };
}

test('objects of one kind are under way at once, and kinds one after the other', async () => {
  const { door, together, most } = slowServer();
  const of = (kind: string): DeleteTask[] =>
    Array.from({ length: 40 }, (_, i) => {
      const { key, ...rest } = task(`${kind}-${i}`);
      return { ...rest, key: { ...key, kind } };
    });
  const tasks = [...of('ServiceAccount'), ...of('Secret'), ...of('ConfigMap')];
  const outcomes = await carryAll(tasks, door);
  assert.equal(most(), 8);
  for (const names of together) assert.equal(new Set([...names].map((name) => name.split('-')[0])).size, 1);
  assert.deepEqual(
    outcomes.map((outcome) => outcome.task.key.name),
    tasks.map(({ key }) => key.name),
  );
});

test('waves and phases are never under way at once, nor is one object twice', async () => {
  const rows: readonly (readonly [string, DeleteTask])[] = [
    ['another wave', { ...task('b'), wave: 1 }],
    ['another phase', { ...task('b'), phase: 'PostSync' }],
    ['the same object', task('a')],
  ];
  for (const [what, second] of rows) {
    const { door, most } = slowServer();
    await carryAll([task('a'), second], door);
    assert.equal(most(), 1, what);
  }
});

test('a deletion takes all kinds of a wave at once', async () => {
  const { door, most } = slowServer();
  const tasks = ['Service', 'Secret', 'ConfigMap'].map((kind): DeleteTask => {
    const { key, ...rest } = task(kind);
    return { ...rest, key: { ...key, kind }, why: 'cascade' };
  });
  await carryAll(tasks, door);
  assert.equal(most(), 3);
});
