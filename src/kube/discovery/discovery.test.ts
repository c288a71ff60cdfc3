import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { answer, type Handler, listOf, type Scripted, startScripted, status } from '../testdata/scripted-server.ts';
import type { Discovery } from '../types.ts';
import { watchDiscovery } from './watch-discovery.ts';

const servers: Scripted[] = [];
after(async () => {
  for (const server of servers) await server.close();
});
const serve = async (handler: Handler): Promise<Scripted> => {
  const server = await startScripted(handler);
  servers.push(server);
  return server;
};

const legacy: { readonly [path: string]: object } = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': {
    kind: 'APIGroupList',
    groups: [
      { name: 'apps', versions: [{ version: 'v1beta1' }, { version: 'v1' }], preferredVersion: { version: 'v1' } },
      { name: 'metrics.k8s.io', versions: [{ version: 'v1' }], preferredVersion: { version: 'v1' } },
    ],
  },
  '/api/v1': {
    kind: 'APIResourceList',
    resources: [
      { name: 'pods', kind: 'Pod', namespaced: true, verbs: ['list'], shortNames: ['po'] },
      { name: 'pods/log', kind: 'Pod', namespaced: true, verbs: ['get'] },
    ],
  },
  '/apis/apps/v1': {
    kind: 'APIResourceList',
    resources: [{ name: 'deployments', kind: 'Deployment', namespaced: true, verbs: ['list'], categories: ['all'] }],
  },
  '/apis/apps/v1beta1': {
    kind: 'APIResourceList',
    resources: [{ name: 'deployments', kind: 'Deployment', namespaced: true, verbs: ['list'] }],
  },
};

test('a server that knows only the old form is asked group by group; one that fails is unknown, not absent', async () => {
  const server = await serve((request, response) => {
    const known = legacy[request.url];
    if (known === undefined) answer(response, 500, status(500, 'InternalError', 'the server is sick'));
    else answer(response, 200, JSON.stringify(known));
  });
  const found = await server.connect().discover();
  assert.deepEqual(
    found.resources.map((one) => `${one.group}/${one.version}/${one.plural}`),
    ['/v1/pods', 'apps/v1/deployments', 'apps/v1beta1/deployments'],
  );
  assert.deepEqual(found.resources[0], {
    group: '',
    version: 'v1',
    kind: 'Pod',
    plural: 'pods',
    namespaced: true,
    verbs: ['list'],
    shortNames: ['po'],
    categories: [],
    subresources: ['log'],
  });
  assert.deepEqual([...found.unknown.keys()], ['metrics.k8s.io/v1']);
  assert.match(found.unknown.get('metrics.k8s.io/v1') ?? '', /the server is sick/);
});

const group = (name: string, version: object): object => ({
  metadata: { name },
  versions: [{ version: 'v1', ...version }],
});
const widgets = {
  resources: [
    {
      resource: 'widgets',
      responseKind: { group: 'x', version: 'v1', kind: 'Widget' },
      scope: 'Cluster',
      verbs: ['list'],
      subresources: [{ subresource: 'status' }],
    },
  ],
};
const aggregated = (...items: object[]): string =>
  JSON.stringify({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items });

test('the one-call form is understood; a stale group is unknown, whatever it lists', async () => {
  let asked = 0;
  const server = await serve((request, response) => {
    asked++;
    answer(
      response,
      200,
      request.url === '/api'
        ? aggregated()
        : aggregated(group('x', widgets), group('y', { ...widgets, freshness: 'Stale' })),
    );
  });
  const connection = server.connect();
  const found = await connection.discover();
  assert.deepEqual(found.resources, [
    {
      group: 'x',
      version: 'v1',
      kind: 'Widget',
      plural: 'widgets',
      namespaced: false,
      verbs: ['list'],
      shortNames: [],
      categories: [],
      subresources: ['status'],
    },
  ]);
  assert.deepEqual([...found.unknown.keys()], ['y/v1']);
  await Promise.all([connection.discover(), connection.discover()]);
  assert.equal(asked, 2, 'it is kept');
  connection.invalidateDiscovery();
  await Promise.all([connection.discover(), connection.discover()]);
  assert.equal(asked, 4, 'and asked anew once it was invalidated');
});

test('an answer that says nothing is an error, not a server that serves nothing', async () => {
  const server = await serve((_, response) => answer(response, 200, '{"kind":"APIGroupDiscoveryList"}'));
  await assert.rejects(server.connect().discover(), { code: 'kube-malformed' });
});

test('a change of the definitions brings a new discovery, told only if it differs', async () => {
  let kinds = aggregated(group('x', widgets));
  const changed: Discovery[] = [];
  const push: ((text: string) => void)[] = [];
  const server = await serve((request, response) => {
    if (request.url.startsWith('/apis/apiextensions.k8s.io')) {
      if (!request.url.includes('watch=true')) return answer(response, 200, listOf([]));
      response.writeHead(200);
      push.push((text) => response.write(text));
      response.write('\n');
      return undefined;
    }
    if (request.url.startsWith('/apis/apiregistration')) return answer(response, 404, '404 page not found');
    return answer(response, 200, request.url === '/api' ? aggregated() : kinds);
  });
  const following = watchDiscovery(
    server.connect(),
    { changed: (found) => changed.push(found), failed: () => undefined },
    { settleMs: 10, againMs: 30, everyMs: 60_000 },
  );
  const until = async (count: number): Promise<void> => {
    while (changed.length < count || push.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await until(1);
  kinds = aggregated(group('x', widgets), group('z', widgets));
  const event = {
    type: 'ADDED',
    object: { apiVersion: 'x/v1', kind: 'X', metadata: { name: 'z', resourceVersion: '11' } },
  };
  push[0]?.(`${JSON.stringify(event)}\n`);
  await until(2);
  assert.deepEqual(
    changed.map((found) => found.resources.length),
    [1, 2],
  );
  following.stop();
  await following.done;
});

test('definitions that may not be watched are asked for once, and again only after long', async () => {
  const asked: string[] = [];
  const server = await serve((request, response) => {
    if (!/apiextensions|apiregistration/.test(request.url))
      return answer(response, 200, request.url === '/api' ? aggregated() : aggregated(group('x', widgets)));
    asked.push(request.url.includes('apiextensions') ? 'definitions' : 'services');
    return answer(response, 403, status(403, 'Forbidden'));
  });
  const sink = { changed: () => undefined, failed: () => undefined };
  const rhythm = { settleMs: 10, againMs: 30, everyMs: 60_000 };
  const patient = watchDiscovery(server.connect(), sink, rhythm);
  const until = async (count: number): Promise<void> => {
    while (asked.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await until(2);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  assert.deepEqual(asked.toSorted(), ['definitions', 'services']);
  patient.stop();
  await patient.done;
  const eager = watchDiscovery(server.connect(), sink, { ...rhythm, forbiddenMs: 20 });
  await until(6);
  eager.stop();
  await eager.done;
});
