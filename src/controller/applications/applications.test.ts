import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArgosyError } from '../../core/errors/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import type { FollowSink } from '../../kube/index.ts';
import { type Applications, watchApplications } from './applications.ts';

interface Stage {
  readonly apps: Applications;
  readonly told: string[];
  /** Versions at which somebody else had taken the operation further. */
  readonly moved: (string | undefined)[];
  /** By namespace; `''` is all. */
  readonly sinks: Map<string, FollowSink>;
}

function stage(): Stage {
  const told: string[] = [];
  const moved: (string | undefined)[] = [];
  const sinks = new Map<string, FollowSink>();
  const apps = watchApplications({
    controlPlane: 'argocd',
    onBroken: ({ message }) => void told.push(message),
    onBack: () => void told.push('back'),
    onChange: (key, app, isMoved) => {
      told.push(`${key} ${app === undefined ? 'gone' : app.metadata.resourceVersion}`);
      if (isMoved) moved.push(app?.metadata.resourceVersion);
    },
    reader: {
      follow: (_, { namespace = '' }, sink) => {
        sinks.set(namespace, sink);
        return { stop: () => void sinks.delete(namespace), done: Promise.resolve() };
      },
    },
  });
  return { apps, told, moved, sinks };
}

function application(namespace: string, name: string, resourceVersion: string): KubeObject {
  const spec = { project: 'p', destination: { server: 'https://example.com' }, source: { repoURL: 'https://e.com/a' } };
  const metadata = { namespace, name, resourceVersion, uid: name };
  return { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata, spec } as KubeObject; // an object has a spec
}

test('an Application that a new list no longer has is gone, and the echo of an own write says nothing', () => {
  const { apps, told, sinks } = stage();
  const sink = sinks.get('argocd');
  sink?.restart();
  sink?.upsert(application('argocd', 'a', '1'));
  sink?.upsert(application('argocd', 'b', '2'));
  sink?.complete('2');
  apps.accept(application('argocd', 'a', '3'));
  sink?.upsert(application('argocd', 'a', '3'));
  assert.deepEqual(told, ['argocd/a 1', 'argocd/b 2']);
  sink?.restart();
  sink?.upsert(application('argocd', 'a', '3'));
  sink?.complete('3');
  assert.deepEqual(told.slice(2), ['argocd/b gone']);
  assert.deepEqual(
    [...apps.all()].map(({ metadata }) => metadata.name),
    ['a'],
  );
});

test('why they cannot be watched is told once, until they can be again, and so is that they can be', () => {
  const { told, sinks } = stage();
  const sink = sinks.get('argocd');
  for (const text of ['no such kind', 'no such kind', 'forbidden']) sink?.broken(new Error(text));
  sink?.complete('1');
  sink?.complete('2');
  sink?.broken(new Error('forbidden'));
  assert.deepEqual(told, ['no such kind', 'forbidden', 'back', 'forbidden']);
});

test('an older version than the one we hold is a reason to look, at the one we hold', () => {
  const { apps, told, sinks } = stage();
  sinks.get('argocd')?.upsert(application('argocd', 'a', '1'));
  apps.accept(application('argocd', 'a', '5'));
  sinks.get('argocd')?.upsert(application('argocd', 'a', '4'));
  assert.deepEqual(told, ['argocd/a 1', 'argocd/a 5']);
  apps.accept(application('argocd', 'never-seen', '6'));
  assert.equal(apps.get('argocd/never-seen'), undefined);
});

test('namespaces by name are watched one by one, patterns all at once, and what no longer counts goes', async () => {
  const { apps, told, sinks } = stage();
  apps.watch(['team-a', 'team-b']);
  assert.deepEqual([...sinks.keys()], ['argocd', 'team-a', 'team-b']);
  sinks.get('team-a')?.upsert(application('team-a', 'x', '1'));
  apps.watch(['team-*']);
  assert.deepEqual([...sinks.keys()], ['']);
  sinks.get('')?.upsert(application('team-b', 'y', '2'));
  sinks.get('')?.upsert(application('kube-system', 'z', '3'));
  apps.watch(['team-b']);
  assert.deepEqual(told, ['team-a/x 1', 'team-b/y 2', 'team-a/x gone']);
  assert.deepEqual([apps.size, [...apps.keys()]], [1, ['team-b/y']]);
  await apps.stop();
  assert.equal(sinks.size, 0);
});

const write = (apps: Applications, send: () => Promise<KubeObject>, tellsOperation = false): Promise<void> =>
  apps.write('argocd/a', { send, tellsOperation });

test('the echo of an own write that comes before its answer says nothing; what others wrote meanwhile is told after it', async () => {
  const { apps, told, sinks } = stage();
  const sink = sinks.get('argocd');
  sink?.upsert(application('argocd', 'a', '1'));
  await write(apps, async () => {
    sink?.upsert(application('argocd', 'a', '2'));
    return application('argocd', 'a', '2');
  });
  assert.deepEqual(told, ['argocd/a 1']);
  await write(apps, async () => {
    sink?.upsert(application('argocd', 'a', '3'));
    sink?.upsert(application('argocd', 'a', '4'));
    assert.deepEqual(told, ['argocd/a 1']);
    return application('argocd', 'a', '4');
  });
  assert.deepEqual(told, ['argocd/a 1', 'argocd/a 4']);
  const failing = write(apps, async () => {
    sink?.upsert(application('argocd', 'a', '5'));
    throw new Error('no answer');
  });
  await assert.rejects(failing);
  assert.deepEqual(told.slice(2), ['argocd/a 5']);
  await write(apps, async () => {
    sink?.upsert(application('argocd', 'a', '6'));
    sink?.remove(application('argocd', 'a', '6'));
    return application('argocd', 'a', '6');
  });
  assert.deepEqual(told.slice(3), ['argocd/a gone']);
});

const at = (version: string, message: string): KubeObject => {
  const operationState = { operation: { sync: {} }, phase: 'Running', message };
  return { ...application('argocd', 'a', version), status: { operationState } } as KubeObject; // an object may have a status
};

test('whoever takes an operation further is told from ourselves, in whatever order answers and echoes come', async () => {
  const { apps, moved, sinks } = stage();
  const sink = sinks.get('argocd');
  sink?.upsert(at('1', 'one'));
  // Our own, its echo first, its answer first, and one whose answer was lost.
  const echoed = async (): Promise<KubeObject> => {
    sink?.upsert(at('2', 'two'));
    return at('2', 'two');
  };
  await write(apps, echoed, true);
  await write(apps, async () => at('3', 'three'), true);
  sink?.upsert(at('3', 'three'));
  await assert.rejects(write(apps, () => Promise.reject(new ArgosyError('kube-unreachable', 'reset')), true));
  sink?.upsert(at('4', 'four'));
  assert.deepEqual(moved, []);
  // Somebody else's: by the watch, before a write of ours that says nothing of it, and in the way of one that does.
  sink?.upsert(at('5', 'five'));
  await write(apps, async () => at('7', 'six'));
  sink?.upsert(at('6', 'six'));
  await assert.rejects(
    write(apps, async () => {
      apps.show(at('8', 'eight'));
      throw new ArgosyError('kube-conflict', 'changed');
    }),
  );
  assert.deepEqual(moved, ['5', '7', '8']);
  sink?.upsert(at('9', 'eight'));
  assert.deepEqual(moved, ['5', '7', '8']);
});
