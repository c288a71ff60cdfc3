import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArgosyError, type ErrorCode } from '../../core/errors/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import type { ApplyTask } from '../../core/sync/index.ts';
import type { Resource } from '../../kube/index.ts';
import { carryOut, type Door, isPassing } from './carry-out.ts';

const cases: readonly [ErrorCode, string, boolean][] = [
  ['kube-unreachable', 'apply configmaps a/b: connect ECONNREFUSED', true],
  ['kube-timeout', 'apply configmaps a/b: no answer', true],
  ['kube-busy', 'apply configmaps a/b: too many requests', true],
  ['kube-unavailable', 'apply configmaps a/b: etcdserver: leader changed', true],
  ['kube-unauthorized', 'apply configmaps a/b: Unauthorized', true],
  ['kube-unavailable', 'apply configmaps a/b: Internal error occurred: failed calling webhook "x"', false],
  ['kube-unavailable', 'apply gears a/b: conversion webhook for g/v1, Kind=Gear failed: Post "https://x"', false],
  ['kube-unreachable', 'apply deployments a/cert-manager-webhook: connect ECONNREFUSED', true],
  ['kube-forbidden', 'apply configmaps a/b: may not', false],
  ['kube-invalid', 'apply configmaps a/b: spec: Required value', false],
  ['kube-conflict', 'apply configmaps a/b: changed meanwhile', false],
];

for (const [code, message, passing] of cases) {
  test(`"${message}" ${passing ? 'passes by itself' : 'is an answer about the object'}`, () => {
    assert.equal(isPassing(new ArgosyError(code, message)), passing);
  });
}

const refused = (): Promise<never> => Promise.reject(new ArgosyError('kube-invalid', 'apply: field is immutable'));
const thing = (kind: string): KubeObject => ({ apiVersion: 'v1', kind, metadata: { name: 'n', uid: 'u' } });

/** Forces an object onto a server that refuses to change it, and answers which calls were made. */
async function forced(kind: string, create: ErrorCode | undefined, live = true): Promise<string[]> {
  const calls: string[] = [];
  const door: Partial<Door> = {
    apply: refused,
    create: (_kind, object, { dryRun = false } = {}) => {
      calls.push(dryRun ? 'try' : 'create');
      if (!dryRun || create === undefined) return Promise.resolve(object);
      return Promise.reject(new ArgosyError(create, `create: ${create}`));
    },
    delete: (_kind, _namespace, _name, options) => {
      calls.push(`delete ${options?.uid ?? 'anything'}`);
      return Promise.resolve(undefined);
    },
  };
  const object = thing(kind);
  const task: ApplyTask = {
    ...{ act: 'apply', key: { group: '', kind, namespace: '', name: 'n' }, version: 'v1', phase: 'Sync', wave: 0 },
    ...{ hook: false, object, mode: 'server', force: true, validate: true, dryRun: false },
    live: live ? object : undefined,
  };
  const resource: Resource = { group: '', version: 'v1', kind, plural: 'things', namespaced: false, verbs: [] };
  const { status } = await carryOut(task, resource, door as Door); // no other call is made
  return [...calls, status];
}

test('what is forced is tried out, removed as the very object that was seen, and made anew', async () => {
  assert.deepEqual(await forced('ConfigMap', 'kube-already-exists'), ['try', 'delete u', 'create', 'Synced']);
});

test('what could not be made anew is not removed', async () => {
  assert.deepEqual(await forced('ConfigMap', 'kube-invalid'), ['try', 'SyncFailed']);
  assert.deepEqual(await forced('ConfigMap', 'kube-forbidden'), ['try', 'SyncFailed']);
});

test('what was not there, and what holds objects of others, is never removed by force', async () => {
  assert.deepEqual(await forced('ConfigMap', 'kube-already-exists', false), ['SyncFailed']);
  assert.deepEqual(await forced('Namespace', 'kube-already-exists'), ['SyncFailed']);
  assert.deepEqual(await forced('CustomResourceDefinition', 'kube-already-exists'), ['SyncFailed']);
});
