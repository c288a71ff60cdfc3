import type { Json, JsonObject } from '../../src/core/json/index.ts';

/** One request about the object of a scenario. */
export interface Step {
  readonly verb: 'create' | 'update' | 'apply' | 'json' | 'merge' | 'strategic' | 'delete';
  readonly manager?: string;
  readonly force?: boolean;
  readonly subresource?: string;
  /** The body; for `update` a change laid over the stored object (a merge patch the recorder applies itself). */
  readonly body: Json;
}

export interface Scenario {
  readonly title: string;
  readonly resource: 'configmaps' | 'deployments' | 'services' | 'widgets';
  readonly name: string;
  readonly steps: readonly Step[];
}

const kinds = {
  configmaps: { apiVersion: 'v1', kind: 'ConfigMap' },
  deployments: { apiVersion: 'apps/v1', kind: 'Deployment' },
  services: { apiVersion: 'v1', kind: 'Service' },
  widgets: { apiVersion: 'example.com/v1', kind: 'Widget' },
};

function of(resource: Scenario['resource'], name: string, rest: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { ...kinds[resource], metadata: { name, namespace: 'default', ...metadata }, ...rest };
}

function scenario(title: string, resource: Scenario['resource'], name: string, steps: readonly Step[]): Scenario {
  return { title, resource, name, steps };
}

const map = (name: string, data: JsonObject, metadata?: JsonObject): JsonObject =>
  of('configmaps', name, { data }, metadata);
const widget = (name: string, spec: JsonObject, metadata?: JsonObject): JsonObject =>
  of('widgets', name, { spec: { replicas: 1, ...spec } }, metadata);
const selector = { matchLabels: { app: 'a' } };
const deployment = (
  name: string,
  spec: JsonObject,
  containers: JsonObject[] = [{ name: 'main', image: 'nginx' }],
  metadata?: JsonObject,
): JsonObject =>
  of(
    'deployments',
    name,
    { spec: { selector, template: { metadata: { labels: { app: 'a' } }, spec: { containers } }, ...spec } },
    metadata,
  );

const ownership: readonly Scenario[] = [
  scenario('one applier owns what it applies and removes what it applies no more', 'configmaps', 'own', [
    {
      verb: 'apply',
      manager: 'a',
      body: map('own', { one: '1', two: '2' }, { labels: { x: '1' }, annotations: { n: 'm' } }),
    },
    {
      verb: 'apply',
      manager: 'a',
      body: map('own', { one: '1', two: '2' }, { labels: { x: '1' }, annotations: { n: 'm' } }),
    },
    { verb: 'apply', manager: 'a', body: map('own', { one: '1' }) },
    { verb: 'apply', manager: 'a', body: of('configmaps', 'own', {}) },
  ]),
  scenario('two appliers share what they agree on and conflict on the rest', 'configmaps', 'share', [
    { verb: 'apply', manager: 'a', body: map('share', { one: '1', two: '2' }) },
    { verb: 'apply', manager: 'b', body: map('share', { one: '1', three: '3' }) },
    { verb: 'apply', manager: 'b', body: map('share', { one: '9', two: '8', three: '3' }) },
    { verb: 'apply', manager: 'a', body: map('share', { two: '2' }) },
    { verb: 'apply', manager: 'b', force: true, body: map('share', { one: '9', two: '8', three: '3' }) },
    { verb: 'apply', manager: 'a', body: map('share', {}) },
    { verb: 'apply', manager: 'b', body: of('configmaps', 'share', {}) },
  ]),
  scenario('updaters own what they change', 'configmaps', 'update', [
    { verb: 'create', manager: 'u', body: map('update', { one: '1', two: '2' }, { labels: { x: '1' } }) },
    { verb: 'update', manager: 'v', body: { data: { two: '3', four: '4' }, metadata: { labels: { y: '2' } } } },
    { verb: 'merge', manager: 'u', body: { data: { four: null, five: '5' } } },
    { verb: 'merge', manager: 'u', body: { data: { five: '5' } } },
    { verb: 'apply', manager: 'a', body: map('update', { one: '7', two: '3' }) },
    { verb: 'apply', manager: 'a', force: true, body: map('update', { one: '7', two: '3' }) },
    { verb: 'json', manager: 'w', body: [{ op: 'remove', path: '/data' }] },
    { verb: 'merge', manager: 'w', body: { metadata: { managedFields: [{}] } } },
    { verb: 'merge', manager: 'w', body: { data: { q: '1' } } },
    { verb: 'apply', manager: 'a', body: map('update', { q: '2', r: '1' }) },
    { verb: 'apply', manager: 'a', body: map('update', { r: '1' }) },
  ]),
  scenario('more than ten updaters are folded', 'configmaps', 'many', [
    { verb: 'create', manager: 'm0', body: map('many', { k0: '0' }) },
    ...Array.from(
      { length: 12 },
      (_, i): Step => ({ verb: 'merge', manager: `m${i + 1}`, body: { data: { [`k${i + 1}`]: '1' } } }),
    ),
  ]),
  scenario('kubectl takes over what its client-side apply set', 'configmaps', 'csa', [
    {
      verb: 'create',
      manager: 'kubectl-client-side-apply',
      body: map(
        'csa',
        { one: '1', two: '2' },
        {
          annotations: {
            'kubectl.kubernetes.io/last-applied-configuration':
              '{"apiVersion":"v1","data":{"one":"1","two":"2"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"csa","namespace":"default"}}\n',
          },
        },
      ),
    },
    { verb: 'apply', manager: 'kubectl', body: map('csa', { one: '5', two: '2' }) },
    { verb: 'apply', manager: 'other', body: map('csa', { one: '6' }) },
  ]),
];

const lists: readonly Scenario[] = [
  scenario('keyed lists merge by item', 'widgets', 'keyed', [
    {
      verb: 'apply',
      manager: 'a',
      body: widget('keyed', {
        items: [
          { name: 'a', value: 1 },
          { name: 'b', value: 2 },
        ],
        tags: ['x', 'y'],
        args: ['1', '2'],
      }),
    },
    {
      verb: 'apply',
      manager: 'b',
      body: widget('keyed', {
        items: [
          { name: 'c', value: 3 },
          { name: 'b', note: 'n' },
        ],
        tags: ['z', 'y'],
      }),
    },
    { verb: 'apply', manager: 'b', body: widget('keyed', { items: [{ name: 'b', value: 9 }], args: ['3'] }) },
    { verb: 'apply', manager: 'a', body: widget('keyed', { items: [{ name: 'b', value: 2 }], tags: ['x'] }) },
    {
      verb: 'apply',
      manager: 'b',
      body: widget('keyed', {
        items: [
          { name: 'd', value: 1 },
          { name: 'c', value: 3 },
        ],
      }),
    },
    { verb: 'apply', manager: 'a', body: widget('keyed', {}) },
  ]),
  scenario('keys have defaults', 'widgets', 'ports', [
    { verb: 'apply', manager: 'a', body: widget('ports', { ports: [{ port: 80, name: 'http' }] }) },
    {
      verb: 'apply',
      manager: 'b',
      body: widget('ports', {
        ports: [
          { port: 80, protocol: 'TCP', name: 'web' },
          { port: 80, protocol: 'UDP' },
        ],
      }),
    },
    {
      verb: 'apply',
      manager: 'b',
      force: true,
      body: widget('ports', {
        ports: [
          { port: 80, protocol: 'UDP' },
          { port: 80, protocol: 'TCP', name: 'web' },
        ],
      }),
    },
    { verb: 'apply', manager: 'a', body: widget('ports', {}) },
  ]),
  scenario('maps, whole and in parts', 'widgets', 'maps', [
    {
      verb: 'apply',
      manager: 'a',
      body: widget('maps', {
        labels: { a: '1' },
        whole: { a: '1', b: '2' },
        anything: { p: { q: 1 }, l: [1, 2] },
        nested: {},
      }),
    },
    {
      verb: 'apply',
      manager: 'b',
      body: widget('maps', { labels: { b: '2' }, whole: { a: '1' }, anything: { p: { r: 2 } } }),
    },
    {
      verb: 'apply',
      manager: 'b',
      force: true,
      body: widget('maps', { labels: { b: '2' }, whole: { a: '1' }, anything: { p: { r: 2 } } }),
    },
    { verb: 'apply', manager: 'a', body: widget('maps', { labels: { c: '1' }, anything: { l: [1] } }) },
    { verb: 'merge', manager: 'u', body: { spec: { anything: { p: null, z: { y: 1 } }, nested: { deep: 7 } } } },
    { verb: 'apply', manager: 'b', body: widget('maps', {}) },
  ]),
  scenario('what one manager empties another may still own', 'widgets', 'emptied', [
    {
      verb: 'apply',
      manager: 'a',
      body: widget('emptied', { counts: {}, items: [], nested: {}, anything: { p: {} } }),
    },
    {
      verb: 'apply',
      manager: 'b',
      body: widget('emptied', {
        counts: { x: 1 },
        items: [{ name: 'i' }],
        nested: { other: 'o' },
        anything: { p: { q: 1 }, n: null },
      }),
    },
    { verb: 'apply', manager: 'b', body: widget('emptied', {}) },
    { verb: 'apply', manager: 'a', body: widget('emptied', {}) },
  ]),
  scenario('duplicates and unknown fields are no configuration', 'widgets', 'bad', [
    { verb: 'apply', manager: 'a', body: widget('bad', { items: [{ name: 'a' }, { name: 'a' }] }) },
    { verb: 'apply', manager: 'a', body: widget('bad', { items: [{ value: 1 }] }) },
    { verb: 'apply', manager: 'a', body: widget('bad', { foo: 1 }) },
    { verb: 'apply', manager: 'a', body: widget('bad', { tags: ['x', 'x'] }) },
    { verb: 'apply', manager: 'a', body: widget('bad', { items: 'x' }) },
  ]),
  scenario('status has its own managers', 'widgets', 'status', [
    { verb: 'create', manager: 'u', body: widget('status', { mode: 'x' }) },
    {
      verb: 'merge',
      manager: 's',
      subresource: 'status',
      body: { status: { ready: 1, conditions: [{ type: 'A', status: 'True' }] } },
    },
    {
      verb: 'apply',
      manager: 's2',
      subresource: 'status',
      body: of('widgets', 'status', {
        status: {
          conditions: [
            { type: 'B', status: 'True' },
            { type: 'A', status: 'False' },
          ],
        },
      }),
    },
    {
      verb: 'apply',
      manager: 's2',
      subresource: 'status',
      force: true,
      body: of('widgets', 'status', {
        status: {
          conditions: [
            { type: 'B', status: 'True' },
            { type: 'A', status: 'False' },
          ],
        },
      }),
    },
    { verb: 'apply', manager: 'a', body: widget('status', { mode: 'x' }) },
  ]),
];

const builtins: readonly Scenario[] = [
  scenario('a deployment: containers merge by name, defaults belong to nobody', 'deployments', 'web', [
    {
      verb: 'apply',
      manager: 'a',
      body: deployment('web', { replicas: 1 }, [
        { name: 'main', image: 'nginx', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: '1' }] },
      ]),
    },
    { verb: 'merge', manager: 'scaler', body: { spec: { replicas: 3 } } },
    { verb: 'apply', manager: 'a', body: deployment('web', { replicas: 1 }) },
    { verb: 'apply', manager: 'a', body: deployment('web', {}) },
    {
      verb: 'strategic',
      manager: 's',
      body: {
        spec: {
          template: {
            spec: {
              containers: [
                { name: 'side', image: 'busybox' },
                { name: 'main', env: [{ name: 'B', value: '2' }] },
              ],
            },
          },
        },
      },
    },
    {
      verb: 'apply',
      manager: 'a',
      body: deployment('web', {}, [{ name: 'main', image: 'nginx:2', env: [{ name: 'B', value: '3' }] }]),
    },
    {
      verb: 'apply',
      manager: 'a',
      force: true,
      body: deployment('web', { strategy: { type: 'Recreate' } }, [
        { name: 'main', image: 'nginx:2', env: [{ name: 'B', value: '3' }] },
      ]),
    },
    {
      verb: 'strategic',
      manager: 's',
      body: {
        spec: {
          strategy: { $retainKeys: ['type'], type: 'Recreate' },
          template: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } },
        },
      },
    },
  ]),
  scenario('a service: ports by number and protocol', 'services', 'svc', [
    {
      verb: 'apply',
      manager: 'a',
      body: of('services', 'svc', { spec: { selector: { app: 'a' }, ports: [{ port: 80, name: 'a' }] } }),
    },
    {
      verb: 'apply',
      manager: 'b',
      body: of('services', 'svc', {
        spec: {
          ports: [
            { port: 80, name: 'a', targetPort: 8080 },
            { port: 81, name: 'b' },
          ],
        },
      }),
    },
    {
      verb: 'apply',
      manager: 'b',
      force: true,
      body: of('services', 'svc', {
        spec: {
          ports: [
            { port: 80, name: 'a', targetPort: 8080 },
            { port: 81, name: 'b' },
          ],
        },
      }),
    },
    {
      verb: 'apply',
      manager: 'a',
      body: of('services', 'svc', { spec: { selector: { app: 'b' }, ports: [{ port: 81, name: 'b' }] } }),
    },
  ]),
];

const owner = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid: `00000000-0000-0000-0000-00000000000${name}`,
});

const corners: readonly Scenario[] = [
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

const patched = { spec: { template: { spec: {} } } };
const pod = (spec: JsonObject): JsonObject => ({ spec: { template: { ...patched.spec.template, spec } } });

const patches: readonly Scenario[] = [
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

/** What is recorded from a real API server, request by request. */
export const scenarios: readonly Scenario[] = [...ownership, ...lists, ...builtins, ...corners, ...patches];
