import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application, OperationState } from '../../core/api/index.ts';
import type { Comparison, Live } from '../../core/diff/index.ts';
import type { KubeObject } from '../../core/objects/index.ts';
import type { Sources } from './gather.ts';
import { namespaceItems, withNamespaceStatus } from './namespace.ts';

const create = ['CreateNamespace=true'];
const appWith = (syncPolicy: object): Application =>
  ({ spec: { destination: { namespace: 'shop' }, syncPolicy } }) as unknown as Application; // what is not read is left out
const synced: Comparison = { status: 'Synced', objects: [], errors: [] };
const after = (managedNamespaceMetadata?: object): OperationState =>
  ({ phase: 'Succeeded', operation: {}, syncResult: { managedNamespaceMetadata } }) as OperationState; // as a sync leaves it

test('85, 86: changed metadata of a namespace that is ours to create puts the Application out of sync', () => {
  const wanted = { labels: { a: 'b' } };
  const status = (policy: object, last?: OperationState): string =>
    withNamespaceStatus(synced, appWith(policy), last).status;
  const policy = { managedNamespaceMetadata: wanted, syncOptions: create };
  assert.equal(status(policy, after({ labels: { a: 'c' } })), 'OutOfSync');
  assert.equal(status(policy, after()), 'OutOfSync');
  assert.equal(status(policy, after({ labels: { a: 'b' } })), 'Synced');
  assert.equal(status(policy), 'Synced');
  assert.equal(status({ managedNamespaceMetadata: wanted }, after()), 'Synced');
  assert.equal(status({ syncOptions: create }, after()), 'Synced');
});

test('84: the namespace is made where it is not there, and sent again only where its metadata differs', () => {
  const sources = { targets: [] } as unknown as Sources; // nothing else is read
  const live = (object?: KubeObject): Live => ({
    objects: new Map(
      object === undefined
        ? []
        : [['Namespace:/shop', { key: { group: '', kind: 'Namespace', namespace: '', name: 'shop' }, object }]],
    ),
    unknown: new Map(),
  });
  const there = (labels?: Record<string, string>): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: labels === undefined ? { name: 'shop' } : { name: 'shop', labels },
  });
  const sent = (app: Application, found?: KubeObject): readonly boolean[] =>
    namespaceItems(app, sources, live(found), create).map(({ modified }) => modified);
  assert.deepEqual(sent(appWith({})), [true]);
  assert.deepEqual(sent(appWith({}), there()), []);
  const managed = appWith({ managedNamespaceMetadata: { labels: { a: 'b' } } });
  assert.deepEqual(sent(managed, there()), [true]);
  assert.deepEqual(sent(managed, there({ a: 'b', other: 'c' })), [false]);
});
