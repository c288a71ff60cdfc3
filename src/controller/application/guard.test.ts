import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Application, parseApplication } from '../../core/api/index.ts';
import { ArgosyError, type ErrorCode, isArgosyError } from '../../core/errors/index.ts';
import { at, type Json, type JsonObject } from '../../core/json/index.ts';
import { mergePatch } from '../../core/merge/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import { type ApplicationDoor, type Guard, patchGuarded } from './guard.ts';

const operation = { sync: { revision: 'abc' }, initiatedBy: { automated: true } };
const running = { operation, phase: 'Running', startedAt: '2026-01-01T00:00:00Z', syncResult: { resources: [] } };

const stored: JsonObject = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'team', uid: 'u', resourceVersion: '5', finalizers: ['a', 'b'] },
  spec: { project: 'p', source: { repoURL: 'https://git.example.com/x', path: '.' }, destination: { name: 'c' } },
  operation,
  status: { operationState: running },
};

function read(object: Json): Application {
  const parsed = parseApplication(object);
  assert.ok(parsed.ok);
  return parsed.value;
}

interface House {
  readonly door: ApplicationDoor;
  readonly calls: string[];
  now(): Json;
}

/** An API server with one Application. `meanwhile` is what happens at each patch that comes: to it, or before it. */
function house(...meanwhile: (JsonObject | ErrorCode | 'lost' | undefined)[]): House {
  let object: Json = stored;
  const calls: string[] = [];
  const change = (patch: Json): void => {
    const version = Number(at(object, 'metadata', 'resourceVersion')) + 1;
    object = mergePatch(mergePatch(object, patch), { metadata: { resourceVersion: String(version) } });
  };
  const answer = (): KubeObject => object as unknown as KubeObject; // an object as JSON
  return {
    calls,
    now: () => object,
    door: {
      get: async () => {
        calls.push('get');
        return answer();
      },
      patch: async (patch) => {
        calls.push('patch');
        const before = meanwhile.shift();
        if (typeof before === 'object') change(before);
        else if (before !== undefined && before !== 'lost') throw new ArgosyError(before, 'no');
        if (at(patch, 'metadata', 'resourceVersion') !== at(object, 'metadata', 'resourceVersion'))
          throw new ArgosyError('kube-conflict', 'the object has been modified');
        change(patch);
        if (before === 'lost') throw new ArgosyError('kube-unreachable', 'the connection was reset');
        return answer();
      },
    },
  };
}

const ending = { operation: null, status: { operationState: { phase: 'Succeeded' } } };
const send = ({ door }: House, patch: JsonObject = ending, guard: Guard = 'operation'): Promise<KubeObject> =>
  patchGuarded(read(stored), patch, guard, door);
const code = (error: unknown): string => (isArgosyError(error) ? error.code : String(error));

test('where nobody else writes it is one call', async () => {
  const one = house();
  await send(one);
  assert.deepEqual(one.calls, ['patch']);
  assert.equal(at(one.now(), 'status', 'operationState', 'phase'), 'Succeeded');
});

test('what somebody else changes of the rest stays, and the patch is made on top of it', async () => {
  const edits: JsonObject[] = [
    { metadata: { labels: { a: 'b' } } },
    { spec: { source: { path: 'other' } } },
    { metadata: { annotations: { note: 'x' } }, status: { sync: { status: 'OutOfSync' } } },
  ];
  const one = house(...edits);
  await send(one);
  assert.deepEqual(one.calls, ['patch', 'get', 'patch', 'get', 'patch', 'get', 'patch']);
  assert.equal(at(one.now(), 'status', 'operationState', 'phase'), 'Succeeded');
  for (const path of [
    ['metadata', 'labels', 'a'],
    ['metadata', 'annotations', 'note'],
    ['spec', 'source', 'path'],
  ])
    assert.notEqual(at(one.now(), ...path), undefined, path.join('.'));
});

test('an operation that somebody else took further, ended or replaced is theirs', async () => {
  const taken: JsonObject[] = [
    { status: { operationState: { message: 'waiting' } } },
    { operation: null, status: { operationState: { phase: 'Succeeded' } } },
    { operation: { sync: { revision: 'def' } } },
    { status: { operationState: { phase: 'Terminating' } } },
    { metadata: { uid: 'another' } },
  ];
  for (const patch of taken) {
    const one = house(patch);
    const left = mergePatch(stored, patch);
    assert.equal(await send(one).catch(code), 'kube-conflict');
    assert.deepEqual(one.calls, ['patch', 'get']);
    for (const path of [['operation'], ['status']]) assert.deepEqual(at(one.now(), ...path), at(left, ...path));
  }
});

test('a write whose answer was lost is found, one that was not made is made, neither twice', async () => {
  const lost = house('lost');
  assert.equal((await send(lost)).metadata.resourceVersion, '6');
  assert.deepEqual(lost.calls, ['patch', 'get']);
  const never = house('kube-unavailable', 'kube-timeout');
  assert.equal((await send(never)).metadata.resourceVersion, '6');
  assert.deepEqual(never.calls, ['patch', 'get', 'patch', 'get', 'patch']);
  assert.equal(await send(house('kube-forbidden')).catch(code), 'kube-forbidden');
});

test('who writes without end is given up on', async () => {
  const label = { metadata: { labels: { a: 'b' } } };
  assert.equal(await send(house(label, label, label, label, label, label)).catch(code), 'kube-conflict');
});

test('a deletion is guarded by its finalizers: another stage is another controller at work, a label is not', async () => {
  const release = { metadata: { finalizers: ['b'] } };
  const labelled = house({ metadata: { labels: { a: 'b' } } });
  await send(labelled, release, 'finalizers');
  assert.deepEqual(at(labelled.now(), 'metadata', 'finalizers'), ['b']);
  for (const patch of [{ metadata: { finalizers: ['a', 'b', 'c'] } }, release]) {
    const staged = house(patch);
    assert.equal(await send(staged, {}, 'finalizers').catch(code), 'kube-conflict');
    assert.deepEqual(at(staged.now(), 'metadata', 'finalizers'), patch.metadata.finalizers);
  }
  const moved = house({ status: { operationState: { message: 'other' } } });
  await send(moved, release, 'finalizers');
});
