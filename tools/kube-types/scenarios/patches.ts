import type { JsonObject } from '../../../src/core/json/index.ts';
import { deployment, map, type Scenario, scenario } from './scenario.ts';

const patched = { spec: { template: { spec: {} } } };
const pod = (spec: JsonObject): JsonObject => ({ spec: { template: { ...patched.spec.template, spec } } });

/** JSON, merge and strategic patches. */
export const patches: readonly Scenario[] = [
  scenario('strategic merge patches', 'deployments', 'patched', [
    {
      verb: 'create',
      manager: 'u',
      body: deployment(
        'patched',
        {},
        [
          { name: 'one', image: 'a' },
          {
            name: 'two',
            image: 'b',
            args: ['x', 'y'],
            env: [
              { name: 'A', value: '1' },
              { name: 'B', value: '2' },
            ],
            ports: [{ containerPort: 80 }],
          },
        ],
        { finalizers: ['example.com/a', 'example.com/b'] },
      ),
    },
    {
      verb: 'strategic',
      body: pod({
        containers: [
          {
            name: 'two',
            args: ['z'],
            env: [
              { name: 'C', value: '3' },
              { name: 'A', value: '9' },
            ],
          },
        ],
      }),
    },
    {
      verb: 'strategic',
      body: pod({
        containers: [{ name: 'three', image: 'c' }],
        '$setElementOrder/containers': [{ name: 'three' }, { name: 'two' }, { name: 'one' }],
      }),
    },
    { verb: 'strategic', body: pod({ containers: [{ name: 'one', $patch: 'delete' }] }) },
    {
      verb: 'strategic',
      body: pod({ containers: [{ name: 'two', env: [{ $patch: 'replace' }, { name: 'Z', value: '0' }] }] }),
    },
    {
      verb: 'strategic',
      body: pod({ volumes: [{ name: 'v', emptyDir: {} }], tolerations: [{ key: 'a', operator: 'Exists' }] }),
    },
    {
      verb: 'strategic',
      body: pod({
        volumes: [{ $retainKeys: ['name', 'configMap'], name: 'v', configMap: { name: 'c' } }],
        tolerations: [{ key: 'b', operator: 'Exists' }],
      }),
    },
    { verb: 'strategic', body: { metadata: { finalizers: ['example.com/c'], labels: { a: 'b' } } } },
    {
      verb: 'strategic',
      body: {
        metadata: {
          '$deleteFromPrimitiveList/finalizers': ['example.com/a'],
          '$setElementOrder/finalizers': ['example.com/c', 'example.com/b'],
        },
      },
    },
    {
      verb: 'strategic',
      body: {
        metadata: { labels: { a: null, c: 'd', e: null } },
        spec: { strategy: { $patch: 'replace', type: 'Recreate' } },
      },
    },
    { verb: 'strategic', body: pod({ containers: [{ image: 'x' }] }) },
    { verb: 'strategic', body: pod({ containers: [{ name: 'two', $patch: 'merge' }] }) },
    { verb: 'strategic', body: pod({ containers: [{ name: 'two', $patch: 'frob' }] }) },
    { verb: 'strategic', body: { spec: { $patch: 'frob' } } },
    {
      verb: 'strategic',
      body: pod({
        containers: [
          { name: 'two', image: 'q' },
          { name: 'three', image: 'r' },
        ],
        '$setElementOrder/containers': [{ name: 'three' }, { name: 'two' }],
      }),
    },
    { verb: 'strategic', body: [1] },
    { verb: 'strategic', body: { metadata: { $retainKeys: ['name'], labels: { x: 'y' } } } },
    { verb: 'merge', body: { metadata: { finalizers: null } } },
  ]),
  scenario('JSON patches', 'configmaps', 'jsonpatch', [
    {
      verb: 'create',
      manager: 'u',
      body: map('jsonpatch', { a: '1', b: '2' }, { finalizers: ['example.com/a', 'example.com/b'] }),
    },
    {
      verb: 'json',
      body: [
        { op: 'add', path: '/data/c', value: '3' },
        { op: 'test', path: '/data/c', value: '3' },
      ],
    },
    { verb: 'json', body: [{ op: 'replace', path: '/data/missing', value: 'x' }] },
    { verb: 'json', body: [{ op: 'test', path: '/data/a', value: '9' }] },
    { verb: 'json', body: [{ op: 'test', path: '/data/absent', value: null }] },
    { verb: 'json', body: [{ op: 'remove', path: '/data/absent' }] },
    { verb: 'json', body: [{ op: 'add', path: '/nope/deep', value: 1 }] },
    {
      verb: 'json',
      body: [
        { op: 'move', from: '/data/a', path: '/data/z' },
        { op: 'copy', from: '/data/z', path: '/data/y' },
      ],
    },
    { verb: 'json', body: [{ op: 'move', from: '/data/none', path: '/data/z' }] },
    { verb: 'json', body: [{ op: 'copy', from: '/nope/none', path: '/data/z' }] },
    {
      verb: 'json',
      body: [
        { op: 'add', path: '/metadata/finalizers/-', value: 'example.com/c' },
        { op: 'add', path: '/metadata/finalizers/0', value: 'example.com/0' },
      ],
    },
    { verb: 'json', body: [{ op: 'remove', path: '/metadata/finalizers/-1' }] },
    { verb: 'json', body: [{ op: 'remove', path: '/metadata/finalizers/9' }] },
    { verb: 'json', body: [{ op: 'add', path: '/metadata/finalizers/x', value: 'y' }] },
    { verb: 'json', body: [{ op: 'frob', path: '/data/a' }] },
    { verb: 'json', body: [{ op: 'add', value: 1 }] },
    { verb: 'json', body: [{ op: 'add', path: '', value: {} }] },
    {
      verb: 'json',
      body: [
        { op: 'add', path: '/metadata/annotations', value: { 'a~b/c': '1' } },
        { op: 'replace', path: '/metadata/annotations/a~0b~1c', value: '2' },
      ],
    },
    { verb: 'json', body: { op: 'add' } },
    { verb: 'json', body: [1] },
    { verb: 'merge', body: { data: { a: null, b: '5' }, metadata: { finalizers: null } } },
    { verb: 'merge', body: [1] },
    { verb: 'delete', body: null },
  ]),
];
