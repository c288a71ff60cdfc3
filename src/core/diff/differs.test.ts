import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../json/index.ts';
import { applyObject, type Schema } from '../merge/index.ts';
import { asJson, type KubeObject } from '../objects/index.ts';
import { type DiffersOptions, differenceOf, differs } from './index.ts';
import { fieldsOf, object, owned } from './testdata/objects.ts';

const deployment = object(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: prod, labels: {app: web}}
spec:
  replicas: 2
  template:
    spec:
      containers: [{name: web, image: nginx, resources: {limits: {cpu: 500m}}}]
`);

const change = (base: KubeObject, spec: JsonObject): KubeObject => ({
  ...base,
  spec: { ...(base['spec'] as JsonObject), ...spec },
});

const ours = (live: KubeObject, applied = live): KubeObject => {
  const { apiVersion: _v, kind: _k, metadata, ...rest } = asJson(applied);
  const { labels } = metadata as { labels?: Json };
  return owned(live, { 'argocd-controller': fieldsOf({ ...rest, metadata: { labels: labels ?? {} } }) });
};

const lastApplied = (live: KubeObject, last: KubeObject): KubeObject => ({
  ...live,
  metadata: {
    ...live.metadata,
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(last) },
  },
});

test('101: a field removed from Git that we applied is a difference, by managed fields and by the last applied text', () => {
  const { replicas: _, ...without } = deployment['spec'] as JsonObject;
  const wanted = { ...deployment, spec: without };
  assert.deepEqual(differenceOf(wanted, ours(deployment)), ['f:spec', 'f:replicas']);
  assert.deepEqual(differenceOf(wanted, lastApplied(deployment, deployment)), ['f:spec', 'f:replicas']);
});

test('101: so is an item of a keyed list, a label, and one that a former client-side apply set', () => {
  const two = change(deployment, {
    template: {
      spec: {
        containers: [
          { name: 'web', image: 'nginx' },
          { name: 'side', image: 'x' },
        ],
      },
    },
  });
  const one = change(deployment, { template: { spec: { containers: [{ name: 'web', image: 'nginx' }] } } });
  const keyed = owned(two, {
    'argocd-controller': {
      'f:spec': {
        'f:replicas': {},
        'f:template': {
          'f:spec': {
            'f:containers': {
              'k:{"name":"web"}': { '.': {}, 'f:name': {}, 'f:image': {} },
              'k:{"name":"side"}': { '.': {}, 'f:name': {}, 'f:image': {} },
            },
          },
        },
      },
      'f:metadata': { 'f:labels': { 'f:app': {} } },
    },
  });
  assert.equal(differenceOf(one, keyed)?.at(-1), 'k:{"name":"side"}');
  assert.equal(differs(two, keyed), false);
  assert.equal(differs(one, lastApplied(two, two)), true);
  const bare = { ...deployment, metadata: { name: 'web', namespace: 'prod' } };
  assert.deepEqual(differenceOf(bare, ours(deployment)), ['f:metadata', 'f:labels']);
});

test('102: a field removed from Git of an object that we never applied is none', () => {
  const { replicas: _, ...without } = deployment['spec'] as JsonObject;
  assert.equal(differs({ ...deployment, spec: without }, deployment), false);
});

test('103: an extra field that somebody else set is no difference', () => {
  const more = change(deployment, { paused: true, revisionHistoryLimit: 10 });
  assert.equal(differs(deployment, ours(more, deployment)), false);
  assert.equal(differs(deployment, more), false);
});

test('a field that we no longer want and somebody else owns, too, would stay, so it is none', () => {
  const { replicas: _, ...without } = deployment['spec'] as JsonObject;
  const shared = ours(deployment);
  const both = {
    ...shared,
    metadata: {
      ...shared.metadata,
      managedFields: [
        ...(shared.metadata.managedFields ?? []),
        { manager: 'hpa', operation: 'Update', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
      ],
    },
  };
  assert.equal(differs({ ...deployment, spec: without }, both), false);
});

test('104: a Secret with stringData is compared as data', () => {
  const wanted = object(
    '{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {a: hällo, b: ""}, data: {a: eA==}}',
  );
  const live = object('{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: aMOkbGxv, b: ""}, type: Opaque}');
  assert.equal(differs(wanted, live), false);
  assert.equal(
    differs(wanted, object('{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: eA==, b: ""}}')),
    true,
  );
  assert.equal(
    differs(wanted, object('{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: aMOkbGxv}}')),
    true,
  );
});

test('109: an aggregated ClusterRole is compared without its rules if the settings say so', () => {
  const head = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r}\n';
  const wanted = object(`${head}aggregationRule: {clusterRoleSelectors: [{}]}\nrules: [{verbs: [get]}]`);
  const live = object(`${head}aggregationRule: {clusterRoleSelectors: [{}]}\nrules: [{verbs: [list]}]`);
  assert.equal(differs(wanted, live), true);
  assert.equal(differs(wanted, live, { ignoreAggregatedRoles: true }), false);
});

const alike: readonly [string, string, string][] = [
  [
    'quantities of a container',
    'resources: {limits: {cpu: 0.5, memory: 1024Mi}}',
    'resources: {limits: {cpu: 500m, memory: 1Gi}}',
  ],
  ['a number for a text quantity', 'resources: {requests: {cpu: 1}}', 'resources: {requests: {cpu: "1"}}'],
  ['an empty map', 'securityContext: {}', ''],
  ['an empty list', 'args: []', ''],
  ['an empty text', 'workingDir: ""', ''],
  ['false', 'stdin: false', ''],
  ['null', 'command: null', ''],
  ['a default asked for by nothing', 'imagePullPolicy: ""', 'imagePullPolicy: Always'],
  [
    'the default protocol of a port',
    'ports: [{containerPort: 53}, {containerPort: 53, protocol: UDP}]',
    'ports: [{containerPort: 53, protocol: UDP}, {containerPort: 53, protocol: TCP}]',
  ],
];

for (const [title, wanted, there] of alike) {
  test(`not a difference before the first apply: ${title}`, () => {
    const pod = (more: string): KubeObject =>
      object(`apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n    - name: a\n      ${more}\n`);
    assert.equal(differenceOf(pod(wanted), pod(there)), undefined);
  });
}

const unlike: readonly [string, string, string][] = [
  [
    'a quantity in a ConfigMap',
    '{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {cpu: "0.5"}}',
    '{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {cpu: 500m}}',
  ],
  [
    'an empty key of a ConfigMap',
    '{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: ""}}',
    '{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {}}',
  ],
  [
    'a quantity of a custom kind',
    '{apiVersion: x.io/v1, kind: X, metadata: {name: c}, limits: {cpu: "0.5"}}',
    '{apiVersion: x.io/v1, kind: X, metadata: {name: c}, limits: {cpu: 500m}}',
  ],
  [
    'false in a custom kind',
    '{apiVersion: x.io/v1, kind: X, metadata: {name: c}, on: false}',
    '{apiVersion: x.io/v1, kind: X, metadata: {name: c}}',
  ],
  [
    'the order of a list',
    '{apiVersion: x.io/v1, kind: X, metadata: {name: c}, l: [a, b]}',
    '{apiVersion: x.io/v1, kind: X, metadata: {name: c}, l: [b, a]}',
  ],
  [
    'an item more in a list that is replaced whole',
    '{apiVersion: v1, kind: Pod, metadata: {name: c}, spec: {tolerations: []}}',
    '{apiVersion: v1, kind: Pod, metadata: {name: c}, spec: {tolerations: [{}]}}',
  ],
  [
    'a key that JavaScript knows',
    '{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {constructor: x}}',
    '{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {}}',
  ],
];

for (const [title, wanted, there] of unlike) {
  test(`a difference: ${title}`, () => assert.equal(differs(object(wanted), object(there)), true));
}

test('status counts only where the settings say so', () => {
  const wanted = object('{apiVersion: x.io/v1, kind: X, metadata: {name: c}, status: {a: 1}}');
  const live = object('{apiVersion: x.io/v1, kind: X, metadata: {name: c}, status: {a: 2}}');
  const with_ = (ignoreStatus: DiffersOptions['ignoreStatus']): boolean => differs(wanted, live, { ignoreStatus });
  assert.deepEqual([with_(undefined), with_('all'), with_('crd'), with_('none')], [false, false, true, true]);
});

test('applied client-side, what we own server-side is no reason to remove it', () => {
  const { replicas: _, ...without } = deployment['spec'] as JsonObject;
  assert.equal(differs({ ...deployment, spec: without }, ours(deployment), { clientSide: true }), false);
});

test('a deep or odd object is judged, not crashed on', () => {
  const odd = {
    ...deployment,
    metadata: {
      ...deployment.metadata,
      managedFields: [null, 1, { fieldsV1: 'x', manager: 'argocd-controller', operation: 'Apply' }],
    },
  };
  assert.equal(differs(deployment, odd as unknown as KubeObject), false);
  const wrong = owned(deployment, { 'argocd-controller': { 'f:spec': { 'k:nonsense': {}, 'v:[': {}, 'i:0': {} } } });
  assert.equal(differs(deployment, wrong), false);
});

// Laws, with the merge room's server-side apply standing in for a server.

const schema: Schema = {
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: {
      type: 'object',
      properties: { name: { type: 'string' }, labels: { type: 'object', additionalProperties: { type: 'string' } } },
    },
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        on: { type: 'boolean' },
        whole: { type: 'array', items: { type: 'string' } },
        set: { type: 'array', listType: 'set', items: { type: 'string' } },
        atomic: { type: 'object', mapType: 'atomic', additionalProperties: { type: 'string' } },
        keyed: {
          type: 'array',
          listType: 'map',
          listMapKeys: ['id'],
          items: {
            type: 'object',
            properties: { id: { type: 'string' }, v: { type: 'integer' }, w: { type: 'string' } },
          },
        },
      },
    },
  },
};

const word = fc.constantFrom('a', 'b', 'c', 'd');
const spec = fc.record(
  {
    size: fc.nat(3),
    on: fc.boolean(),
    whole: fc.array(word, { maxLength: 3 }),
    set: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
    atomic: fc.dictionary(word, word, { minKeys: 1, maxKeys: 2 }),
    keyed: fc.uniqueArray(fc.record({ id: word, v: fc.nat(2), w: word }, { requiredKeys: ['id'] }), {
      minLength: 1,
      maxLength: 3,
      selector: ({ id }) => id,
    }),
  },
  { requiredKeys: [] },
);
const widget = fc.tuple(spec, fc.dictionary(word, word, { maxKeys: 2 })).map(
  ([content, labels]): JsonObject => ({
    apiVersion: 'x.io/v1',
    kind: 'X',
    metadata: { name: 'w', labels },
    spec: content as JsonObject,
  }),
);

function applied(config: JsonObject, live: JsonObject | undefined, manager = 'argocd-controller'): JsonObject {
  const result = applyObject({
    live,
    applied: config,
    manager,
    apiVersion: 'x.io/v1',
    force: true,
    now: new Date(0),
    schema,
    resolve: () => undefined,
  });
  assert.ok(result.outcome === 'applied');
  return result.object;
}

const kube = (json: JsonObject): KubeObject => json as unknown as KubeObject; // it has a kind and a name

test('law: an object compared with itself is Synced, whatever the order of its keys', () => {
  const shuffled = (value: Json): Json =>
    Array.isArray(value)
      ? value.map(shuffled)
      : value !== null && typeof value === 'object'
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([key, each]) => [key, shuffled(each as Json)]),
          )
        : value;
  fc.assert(
    fc.property(widget, (config) => {
      assert.equal(differs(kube(config), kube(shuffled(config) as JsonObject)), false);
    }),
  );
});

test('law: what was just applied is Synced, over whatever was there and whoever else applied', () => {
  fc.assert(
    fc.property(widget, widget, widget, (first, foreign, config) => {
      const before = applied(foreign, applied(first, undefined), 'somebody');
      const after = applied(config, before);
      assert.equal(differenceOf(kube(config), kube(after)), undefined);
    }),
    { numRuns: 500 },
  );
});

test('law: where applying would change the object, it differs', () => {
  fc.assert(
    fc.property(widget, widget, widget, (first, foreign, config) => {
      const live = applied(foreign, applied(first, undefined), 'somebody');
      const next = applied(config, live);
      // The members of a set have no order: an apply may write them in another one, and nothing has changed.
      const byText = (a: Json, b: Json): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
      const strip = ({ metadata, ...rest }: JsonObject): string => {
        const { managedFields: _, ...kept } = metadata as JsonObject;
        return JSON.stringify([rest, kept], (key, value) => (key === 'set' ? [...value].sort(byText) : value));
      };
      if (strip(live) !== strip(next)) assert.equal(differs(kube(config), kube(live)), true);
    }),
    { numRuns: 500 },
  );
});
