/**
 * The same seeded operations on a real and an embedded cluster: each answer must be the same but for what is a server's
 * own (uids, versions, times, addresses). What nobody thought of writing a case for shows up here.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Answer, type Doc, items, RawClient, text } from '../../support/raw-client.ts';
import { type TestCluster, testCluster } from '../../support/test-cluster.ts';
import { eventually, unique } from './cluster.ts';
import { crdBody, crdPath } from './crds.ts';

const ns = unique('d');
const group = `${unique('g')}.example.com`;
const both: { cluster: TestCluster; api: RawClient }[] = [];

const widgetSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', minimum: 0, maximum: 9, default: 3 },
        color: { type: 'string', enum: ['red', 'blue'] },
        name: { type: 'string', pattern: '^[a-z]*$', maxLength: 5 },
        list: { type: 'array', items: { type: 'string' } },
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        keyed: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['id'],
          items: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, v: { type: 'integer' } } },
        },
        map: { type: 'object', additionalProperties: { type: 'string' } },
        whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    status: { type: 'object', properties: { phase: { type: 'string' } } },
  },
};

before(async () => {
  for (const flavour of ['real', 'embedded'] as const) {
    const cluster = await testCluster(flavour);
    const api = new RawClient({ url: cluster.url, ca: cluster.ca, token: cluster.adminToken });
    both.push({ cluster, api });
    await api.create('/api/v1/namespaces', { metadata: { name: ns } });
    await api.create(crdPath, crdBody(group, widgetSchema, { subresources: { status: {} } }));
    await eventually(async () => assert.equal((await api.get(`/apis/${group}/v1/widgets`)).status, 200));
  }
});

after(async () => {
  for (const { cluster, api } of both) {
    api.close();
    await cluster.stop();
  }
});

type Roll = (sides: number) => number;

function dice(seed: number): Roll {
  let state = Math.imul(seed + 1, 2654435761) >>> 0;
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

const pick = <T>(roll: Roll, from: readonly T[]): T => from[roll(from.length)] as T; // the lists are not empty

/** One request, the same for both. */
interface Step {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: unknown;
  readonly query: Record<string, string>;
}

/** A manager by its names, a cause by its place. */
function rank(entry: unknown): string {
  const { manager, operation, subresource, field, message } = entry as Doc; // members of lists of objects
  return JSON.stringify([manager, operation, subresource, field, message]);
}

/** What is the server's own goes; the order of managers depends on the clock. */
function normal(answer: Answer): unknown {
  const strip = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) {
      let list = value.map((item) => strip(item));
      if (key === 'managedFields') list = list.filter((entry) => !controllers.test(text((entry as Doc).manager))); // objects
      // The order of managers depends on the clock, that of causes on the order of a Go map.
      if (key !== 'managedFields' && key !== 'causes') return list;
      return list.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
    }
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value)
          .filter(([name]) => !own.has(name) && !(name === 'status' && isDeployment(value)))
          .map(([name, member]) => [name, strip(member, name)]),
      );
    return typeof value === 'string' ? words(value) : value;
  };
  return { status: answer.status, body: strip(answer.body) };
}

/** The controllers write in their own time: what they write is judged by cases of its own. */
const controllers = /^(kube-controller-manager|argosy-.*)$/;

function isDeployment(value: object): boolean {
  return 'kind' in value && value.kind === 'Deployment';
}

const own = new Set([
  'deployment.kubernetes.io/revision',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'time',
  'clusterIP',
  'clusterIPs',
  'lastTransitionTime',
  'lastUpdateTime',
]);

function words(value: string): string {
  return (
    value
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
      .replace(/\\?"resourceVersion\\*":\\*"\d+/g, 'RV')
      .replace(/resourceVersion:\d+/g, 'RV')
      // How much is told beside an unknown field depends on the order of a Go map.
      .replace(/errors:\n(?:.*\n)* *(\.\S+: field not declared in schema)$/, '$1')
      .replace(/ is invalid: \[.*\]$/s, ' is invalid: [SEE CAUSES]')
      // The whole object is repeated here, in whatever order its fields have.
      .replace(/^(.*patch: )?Invalid value: "\{.*\}": /s, 'patch: Invalid value: OBJECT: ')
  );
}

/** A random write of one of a few objects of a kind. */
function step(roll: Roll, kind: Kind): Step {
  const name = pick(roll, ['a', 'b']);
  const path = `${kind.path}/${name}`;
  const head = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: metadata(roll, name) };
  const fieldManager = pick(roll, ['one', 'two', 'three']);
  const query: Record<string, string> = { fieldManager, ...(roll(8) === 0 ? { dryRun: 'All' } : {}) };
  const body = (): object => ({
    ...head,
    ...(roll(6) === 0 ? (kind.wrong ?? kind.content)(roll) : kind.content(roll)),
  });
  const how = roll(20);
  if (how < 3) return { method: 'POST', path: kind.path, body: body(), query };
  if (how < 5) return { method: 'PUT', path, body: body(), query };
  if (how < 13) {
    const force: Record<string, string> = roll(3) === 0 ? { force: 'true' } : {};
    return { method: 'PATCH', path, type: 'application/apply-patch+yaml', body: body(), query: { ...query, ...force } };
  }
  if (how < 15)
    return {
      method: 'PATCH',
      path,
      type: 'application/merge-patch+json',
      body: holes(roll, kind.content(roll)),
      query,
    };
  if (how < 17)
    return { method: 'PATCH', path, type: 'application/strategic-merge-patch+json', body: kind.content(roll), query };
  if (how < 18)
    return { method: 'PATCH', path, type: 'application/json-patch+json', body: kind.jsonPatch(roll), query };
  if (how < 19) return { method: 'GET', path, query: {} };
  return { method: 'DELETE', path, query: {}, body: { gracePeriodSeconds: 0 } };
}

function metadata(roll: Roll, name: string): object {
  const labels = roll(2) === 0 ? { labels: { [pick(roll, ['l', 'm'])]: pick(roll, ['x', 'y', '']) } } : {};
  const annotations = roll(3) === 0 ? { annotations: { 'e.com/n': pick(roll, ['1', '2']) } } : {};
  return { name, ...labels, ...annotations };
}

/** Some members become null. */
function holes(roll: Roll, content: object): object {
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => {
      // A service without its spec would become another service; emptied labels are told apart from none in one message.
      if (key !== 'spec' && key !== 'app' && roll(5) === 0) return [key, null];
      return [
        key,
        typeof value === 'object' && value !== null && !Array.isArray(value) ? holes(roll, value as object) : value,
      ]; // seen
    }),
  );
}

interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly path: string;
  readonly content: (roll: Roll) => object;
  /** With a value of the wrong type in it. */
  readonly wrong?: (roll: Roll) => object;
  readonly jsonPatch: (roll: Roll) => object[];
}

const some = (roll: Roll, members: Record<string, () => unknown>): object =>
  Object.fromEntries(
    Object.entries(members)
      .filter(() => roll(2) === 0)
      .map(([key, make]) => [key, make()]),
  );

const configMaps: Kind = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  path: `/api/v1/namespaces/${ns}/configmaps`,
  content: (roll) => ({
    data: some(roll, {
      a: () => pick(roll, ['1', '2']),
      b: () => pick(roll, ['1', '2']),
      c: () => pick(roll, ['1', '']),
      ...(roll(5) === 0 ? { 'bad key': () => 'x' } : {}),
    }),
    ...some(roll, { binaryData: () => ({ z: pick(roll, ['AAA=', 'AAE=']) }) }),
  }),
  wrong: (roll) =>
    pick(roll, [
      { data: { a: 5 } },
      { data: { a: true } },
      { binaryData: { z: '%' } },
      { data: [] },
      { immutable: 'x' },
    ]),
  jsonPatch: (roll) => [
    {
      op: pick(roll, ['add', 'replace', 'remove', 'test']),
      path: pick(roll, ['/data/a', '/data/b', '/metadata/labels/l', '/nothing/x']),
      value: pick(roll, ['1', '2']),
    },
  ],
};

const container = (roll: Roll): object => ({
  name: pick(roll, ['x', 'y']),
  ...some(roll, {
    image: () => pick(roll, ['i:1', 'i:2', 'i']),
    env: () => [{ name: pick(roll, ['A', 'B']), value: pick(roll, ['1', '2']) }],
    ports: () => [
      {
        containerPort: pick(roll, [80, 81]),
        ...some(roll, { name: () => 'web', protocol: () => pick(roll, ['TCP', 'UDP']) }),
      },
    ],
    args: () => [pick(roll, ['p', 'q'])],
    resources: () => ({ limits: { cpu: pick(roll, ['1', '500m', 2, '0.5']), memory: pick(roll, ['1Gi', '1024Mi']) } }),
  }),
});

const deployments: Kind = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  path: `/apis/apps/v1/namespaces/${ns}/deployments`,
  content: (roll) => ({
    spec: {
      // Paused and empty, so that no controller writes between two steps.
      paused: true,
      replicas: 0,
      selector: { matchLabels: { app: 'x' } },
      template: {
        metadata: { labels: { app: pick(roll, ['x', 'x', 'x', 'y']) } },
        spec: {
          containers: [container(roll)],
          ...some(roll, {
            volumes: () => [{ name: 'v', emptyDir: {} }],
            terminationGracePeriodSeconds: () => roll(60),
          }),
        },
      },
      ...some(roll, {
        minReadySeconds: () => roll(5),
        revisionHistoryLimit: () => roll(4) - 1,
        strategy: () => ({ type: pick(roll, ['Recreate', 'RollingUpdate']) }),
      }),
    },
  }),
  jsonPatch: (roll) => [
    {
      op: pick(roll, ['add', 'replace', 'remove']),
      path: pick(roll, [
        '/spec/minReadySeconds',
        '/spec/template/spec/containers/0',
        '/spec/template/spec/containers/-',
      ]),
      value: pick(roll, [1, container(roll)]),
    },
  ],
};

const services: Kind = {
  apiVersion: 'v1',
  kind: 'Service',
  path: `/api/v1/namespaces/${ns}/services`,
  content: (roll) => ({
    spec: {
      clusterIP: 'None',
      ports: [
        {
          port: pick(roll, [80, 81]),
          ...some(roll, {
            name: () => pick(roll, ['w', 'v']),
            targetPort: () => pick(roll, [8080, 'web']),
            protocol: () => 'TCP',
          }),
        },
      ],
      // A headless service without a selector is taken for dual-stack, which no cluster here is configured for.
      selector: { app: pick(roll, ['x', 'y']) },
      ...some(roll, {
        sessionAffinity: () => pick(roll, ['None', 'ClientIP']),
        publishNotReadyAddresses: () => true,
      }),
    },
  }),
  jsonPatch: (roll) => [{ op: 'replace', path: '/spec/ports/0/port', value: pick(roll, [80, 81, 0, 'x']) }],
};

const widgets: Kind = {
  apiVersion: `${group}/v1`,
  kind: 'Widget',
  path: `/apis/${group}/v1/namespaces/${ns}/widgets`,
  content: (roll) => ({
    spec: some(roll, {
      size: () => pick(roll, [1, 2, 10, 'x', null]),
      color: () => pick(roll, ['red', 'blue', 'green']),
      name: () => pick(roll, ['ok', 'NO', 'toolong']),
      list: () => [pick(roll, ['p', 'q'])],
      set: () => [pick(roll, ['p', 'q']), pick(roll, ['r', 's'])],
      keyed: () => [{ id: pick(roll, ['i', 'j']), ...some(roll, { v: () => roll(3) }) }],
      map: () => ({ [pick(roll, ['k', 'l'])]: pick(roll, ['1', '2']) }),
      whole: () => ({ w: roll(3), deep: { x: roll(2) } }),
      unknown: () => 1,
    }),
    ...some(roll, { status: () => ({ phase: pick(roll, ['Up', 'Down']) }) }),
  }),
  jsonPatch: (roll) => [
    {
      op: pick(roll, ['add', 'remove']),
      path: pick(roll, ['/spec/size', '/spec/color', '/spec/list/-']),
      value: pick(roll, [1, 'red']),
    },
  ],
};

const seeds = Number(process.env['ARGOSY_TEST_LONG'] ?? 0) > 0 ? 40 : 6;

describe('the same writes on both clusters are answered the same', () => {
  for (const kind of [configMaps, deployments, services, widgets])
    for (let seed = 0; seed < seeds; seed++)
      test(`${kind.kind}, seed ${seed}`, async () => {
        const roll = dice(seed);
        const done: Step[] = [];
        for (const { api } of both) for (const name of ['a', 'b']) await api.delete(`${kind.path}/${name}`);
        for (let n = 0; n < 25; n++) {
          const next = step(roll, kind);
          done.push(next);
          const ask = {
            query: next.query,
            ...(next.body === undefined ? {} : { body: next.body }),
            ...(next.type === undefined ? {} : { type: next.type }),
          };
          const [real, embedded] = await Promise.all(
            both.map(async ({ api }) => normal(await api.send(next.method, next.path, ask))),
          );
          assert.deepEqual(embedded, real, `after ${done.length} steps: ${JSON.stringify(next)}`);
        }
      });
});

test('both clusters hold the same objects after all writes', async () => {
  for (const kind of [configMaps, deployments, services, widgets]) {
    const names = await Promise.all(
      both.map(async ({ api }) =>
        items((await api.get(kind.path)).body.items).map((item: Doc) => text(item.metadata?.name)),
      ),
    );
    assert.deepEqual(names[1], names[0]);
  }
});
