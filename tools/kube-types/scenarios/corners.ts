import type { JsonObject } from '../../../src/core/json/index.ts';
import { deployment, map, of, type Scenario, scenario, widget } from './scenario.ts';

const owner = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid: `00000000-0000-0000-0000-00000000000${name}`,
});

/** Null, empty, unknown and doubled things. */
export const corners: readonly Scenario[] = [
  scenario('duplicates that an update left behind', 'deployments', 'twice', [
    {
      verb: 'create',
      manager: 'u',
      body: deployment('twice', {}, [
        {
          name: 'main',
          image: 'nginx',
          env: [
            { name: 'A', value: '1' },
            { name: 'B', value: '2' },
            { name: 'A', value: '3' },
          ],
        },
      ]),
    },
    {
      verb: 'apply',
      manager: 'a',
      body: deployment('twice', {}, [{ name: 'main', image: 'nginx', env: [{ name: 'B', value: '2' }] }]),
    },
    {
      verb: 'apply',
      manager: 'a',
      force: true,
      body: deployment('twice', {}, [{ name: 'main', image: 'nginx', env: [{ name: 'A', value: '4' }] }]),
    },
    { verb: 'apply', manager: 'a', body: deployment('twice', {}) },
  ]),
  scenario('finalizers, owners and labels', 'configmaps', 'meta', [
    {
      verb: 'apply',
      manager: 'a',
      body: map('meta', {}, { finalizers: ['example.com/a'], ownerReferences: [owner('1')], labels: { a: '1' } }),
    },
    {
      verb: 'apply',
      manager: 'b',
      body: map('meta', {}, { finalizers: ['example.com/b'], ownerReferences: [owner('2')], labels: { b: '2' } }),
    },
    { verb: 'apply', manager: 'a', body: map('meta', {}, { labels: { b: '3' } }) },
    { verb: 'apply', manager: 'a', body: of('configmaps', 'meta', {}) },
    { verb: 'merge', manager: 'u', body: { metadata: { finalizers: null } } },
  ]),
  scenario('a client that writes managed fields itself', 'configmaps', 'selfmade', [
    { verb: 'create', manager: 'u', body: map('selfmade', { one: '1', two: '2' }) },
    {
      verb: 'merge',
      manager: 'v',
      body: {
        metadata: {
          managedFields: [
            {
              manager: 'mine',
              operation: 'Apply',
              apiVersion: 'v1',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:one': {} } },
            },
          ],
        },
        data: { three: '3' },
      },
    },
    { verb: 'apply', manager: 'mine', body: map('selfmade', {}) },
    { verb: 'merge', manager: 'v', body: { metadata: { managedFields: [{ manager: 'bad', operation: 'Frob' }] } } },
    { verb: 'merge', manager: 'v', body: { metadata: { managedFields: [] } } },
  ]),
  scenario('an order of one’s own in a keyed list', 'widgets', 'order', [
    {
      verb: 'apply',
      manager: 'a',
      body: widget('order', { items: ['a', 'b', 'c'].map((name) => ({ name })), tags: ['1', '2', '3'] }),
    },
    {
      verb: 'apply',
      manager: 'b',
      body: widget('order', { items: ['c', 'd', 'a'].map((name) => ({ name })), tags: ['3', '0', '1'] }),
    },
    {
      verb: 'apply',
      manager: 'a',
      body: widget('order', { items: ['b', 'a'].map((name) => ({ name })), tags: ['2', '1', '9'] }),
    },
    { verb: 'apply', manager: 'b', body: widget('order', { tags: ['9', '8', '2'] }) },
  ]),
  scenario('a deployment’s status', 'deployments', 'state', [
    { verb: 'create', manager: 'u', body: deployment('state', {}) },
    {
      verb: 'merge',
      manager: 'controller',
      subresource: 'status',
      body: {
        status: {
          replicas: 1,
          conditions: [
            {
              type: 'Available',
              status: 'True',
              lastUpdateTime: '2026-01-01T00:00:00Z',
              lastTransitionTime: '2026-01-01T00:00:00Z',
            },
          ],
        },
      },
    },
    { verb: 'merge', manager: 'u', body: { metadata: { annotations: { a: 'b' } } } },
    { verb: 'apply', manager: 'a', body: deployment('state', { replicas: 1, paused: true }) },
    { verb: 'merge', manager: 'u', body: { spec: { paused: null, minReadySeconds: 3 } } },
  ]),
];
