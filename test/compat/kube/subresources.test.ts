import assert from 'node:assert/strict';
import { test } from 'node:test';
import { items } from '../../support/raw-client.ts';
import { admin, eventually, namespace, ok, refused } from './cluster.ts';

type Api = Awaited<ReturnType<typeof admin>>;

async function deployment(replicas = 0): Promise<{ api: Api; ns: string; path: string }> {
  const [api, ns] = [await admin(), await namespace()];
  const body = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'd' } },
      template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };
  const base = `/apis/apps/v1/namespaces/${ns}/deployments`;
  ok(await api.create(base, body), 201);
  return { api, ns, path: `${base}/d` };
}

test('scale shows replicas and the selector', async () => {
  const { api, path, ns } = await deployment();
  const scale = ok(await api.get(`${path}/scale`));
  assert.deepEqual([scale.kind, scale.apiVersion], ['Scale', 'autoscaling/v1']);
  assert.equal(scale.metadata?.name, 'd');
  assert.equal(scale.metadata?.namespace, ns);
  assert.deepEqual(scale.spec, {});
  assert.equal(scale.status?.selector, 'app=d');
  assert.equal(scale.status?.replicas, 0);
});

test('put of scale changes the replicas and the generation', async () => {
  const { api, path } = await deployment();
  const scale = ok(await api.get(`${path}/scale`));
  const put = ok(
    await api.put(`${path}/scale`, {
      ...scale,
      metadata: { ...scale.metadata, resourceVersion: undefined },
      spec: { replicas: 3 },
    }),
  );
  assert.deepEqual(put.spec, { replicas: 3 });
  const now = ok(await api.get(path));
  assert.equal(now.spec?.replicas, 3);
  assert.equal(now.metadata?.generation, 2);
});

test('a negative scale is refused', async () => {
  const { api, path } = await deployment();
  refused(
    await api.mergePatch(`${path}/scale`, { spec: { replicas: -1 } }),
    422,
    'Invalid',
    'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
  );
});

test('status is written through its subresource only', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const base = `/api/v1/namespaces/${ns}/services`;
  ok(await api.create(base, { metadata: { name: 's' }, spec: { ports: [{ port: 80 }], clusterIP: 'None' } }), 201);
  const conditions = [
    { type: 'T', status: 'True', reason: 'R', message: '', lastTransitionTime: '2024-01-01T00:00:00Z' },
  ];
  const ignored = ok(await api.mergePatch(`${base}/s`, { status: { conditions } }));
  assert.deepEqual(ignored.status, { loadBalancer: {} });
  const set = ok(await api.mergePatch(`${base}/s/status`, { status: { conditions }, spec: { ports: [{ port: 81 }] } }));
  assert.equal(items(set.status?.conditions).length, 1);
  assert.equal(items(set.spec?.ports)[0]?.port, 80);
  assert.equal(set.metadata?.generation, ok(await api.get(`${base}/s`)).metadata?.generation);
});

test('a write to status may not change labels of custom or built-in objects, finalizers neither', async () => {
  const { api, path } = await deployment();
  const set = ok(
    await api.mergePatch(`${path}/status`, { metadata: { labels: { a: 'b' } }, status: { collisionCount: 1 } }),
  );
  assert.equal(set.status?.collisionCount, 1);
  assert.equal(set.metadata?.labels, undefined);
});

test('a subresource that is not there answers 404', async () => {
  const { api, path, ns } = await deployment();
  refused(await api.get(`${path}/nonsense`), 404, 'NotFound', 'the server could not find the requested resource');
  refused(await api.get(`/api/v1/namespaces/${ns}/configmaps/a/status`), 404, 'NotFound');
});

test('logs of a pod that is not there answer 404', async () => {
  const [api, ns] = [await admin(), await namespace()];
  refused(await api.get(`/api/v1/namespaces/${ns}/pods/none/log`), 404, 'NotFound', 'pods "none" not found');
});

test('a pod can be evicted', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const pods = `/api/v1/namespaces/${ns}/pods`;
  await eventually(async () => ok(await api.get(`/api/v1/namespaces/${ns}/serviceaccounts/default`)));
  const spec = {
    containers: [{ name: 'c', image: 'i' }],
    nodeSelector: { never: 'there' },
    terminationGracePeriodSeconds: 0,
  };
  ok(await api.create(pods, { metadata: { name: 'p' }, spec }), 201);
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p', namespace: ns } };
  const done = ok(await api.create(`${pods}/p/eviction`, body), 201);
  assert.equal(done.status, 'Success');
  await eventually(async () => assert.equal((await api.get(`${pods}/p`)).status, 404));
});
