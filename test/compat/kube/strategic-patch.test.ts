import assert from 'node:assert/strict';
import { test } from 'node:test';
import { items, text } from '../../support/raw-client.ts';
import { admin, configMap, configMaps, namespace, ok, refused } from './cluster.ts';

type Api = Awaited<ReturnType<typeof admin>>;

async function deployment(): Promise<{ api: Api; path: string }> {
  const [api, ns] = [await admin(), await namespace()];
  const base = `/apis/apps/v1/namespaces/${ns}/deployments`;
  const body = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'd' } },
      template: {
        metadata: { labels: { app: 'd' } },
        spec: {
          containers: [
            {
              name: 'one',
              image: 'one:1',
              env: [
                { name: 'A', value: '1' },
                { name: 'B', value: '2' },
              ],
              ports: [{ containerPort: 80 }],
              args: ['x', 'y'],
            },
            { name: 'two', image: 'two:1' },
          ],
          volumes: [{ name: 'v', emptyDir: {} }],
        },
      },
    },
  };
  ok(await api.create(base, body), 201);
  return { api, path: `${base}/d` };
}

const template = (spec: object): object => ({ spec: { template: { spec } } });

test('strategic patch: lists with a merge key are merged by it', async () => {
  const { api, path } = await deployment();
  const patched = ok(await api.strategicPatch(path, template({ containers: [{ name: 'two', image: 'two:2' }] })));
  const containers = items(patched.spec?.template?.spec?.containers);
  assert.deepEqual(
    containers.map((c) => [c.name, c.image]),
    [
      ['one', 'one:1'],
      ['two', 'two:2'],
    ],
  );
});

test('strategic patch: a new element goes before those that are there', async () => {
  const { api, path } = await deployment();
  const patched = ok(await api.strategicPatch(path, template({ containers: [{ name: 'new', image: 'n' }] })));
  const names = items(patched.spec?.template?.spec?.containers).map((c) => c.name);
  assert.deepEqual(names, ['new', 'one', 'two']);
});

test('strategic patch: nested lists merge by their own keys', async () => {
  const { api, path } = await deployment();
  const env = [
    { name: 'B', value: '3' },
    { name: 'C', value: '4' },
  ];
  const patched = ok(await api.strategicPatch(path, template({ containers: [{ name: 'one', env }] })));
  const result = items(items(patched.spec?.template?.spec?.containers).find((c) => c.name === ('one' as unknown))?.env); // a leaf
  assert.deepEqual(Object.fromEntries(result.map((e) => [e.name, e.value])), { A: '1', B: '3', C: '4' });
});

test('strategic patch: $patch delete removes an element', async () => {
  const { api, path } = await deployment();
  const patch = template({ containers: [{ name: 'two', $patch: 'delete' }] });
  const patched = ok(await api.strategicPatch(path, patch));
  assert.deepEqual(
    items(patched.spec?.template?.spec?.containers).map((c) => c.name),
    ['one'],
  );
});

test('strategic patch: $patch replace replaces the whole list', async () => {
  const { api, path } = await deployment();
  const patch = template({ containers: [{ $patch: 'replace' }, { name: 'only', image: 'o' }] });
  const patched = ok(await api.strategicPatch(path, patch));
  assert.deepEqual(
    items(patched.spec?.template?.spec?.containers).map((c) => c.name),
    ['only'],
  );
});

test('strategic patch: $patch replace on a map replaces the map', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('m', { a: '1', b: '2' })), 201);
  const patched = ok(await api.strategicPatch(configMaps(ns, 'm'), { data: { $patch: 'replace', c: '3' } }));
  assert.deepEqual(patched.data, { c: '3' });
});

test('strategic patch: $retainKeys drops the other keys', async () => {
  const { api, path } = await deployment();
  const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };
  const patched = ok(await api.strategicPatch(path, patch));
  assert.deepEqual(patched.spec?.strategy, { type: 'Recreate' });
});

test('strategic patch: without $retainKeys a leftover makes the object invalid', async () => {
  const { api, path } = await deployment();
  const answer = await api.strategicPatch(path, { spec: { strategy: { type: 'Recreate' } } });
  refused(
    answer,
    422,
    'Invalid',
    'Deployment.apps "d" is invalid: spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is \'Recreate\'',
  );
});

test('strategic patch: $setElementOrder orders the merged list', async () => {
  const { api, path } = await deployment();
  const patch = template({
    '$setElementOrder/containers': [{ name: 'two' }, { name: 'new' }, { name: 'one' }],
    containers: [{ name: 'new', image: 'n' }],
  });
  const patched = ok(await api.strategicPatch(path, patch));
  assert.deepEqual(
    items(patched.spec?.template?.spec?.containers).map((c) => c.name),
    ['two', 'new', 'one'],
  );
});

test('strategic patch: lists without a merge key are replaced', async () => {
  const { api, path } = await deployment();
  const patched = ok(await api.strategicPatch(path, template({ containers: [{ name: 'one', args: ['z'] }] })));
  assert.deepEqual(items(patched.spec?.template?.spec?.containers)[0]?.args, ['z']);
});

test('strategic patch: $deleteFromPrimitiveList takes values out of a list of scalars', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('m', {}, { finalizers: ['e.com/a', 'e.com/b'] })), 201);
  const patch = { metadata: { '$deleteFromPrimitiveList/finalizers': ['e.com/a'] } };
  const patched = ok(await api.strategicPatch(configMaps(ns, 'm'), patch));
  assert.deepEqual(patched.metadata?.finalizers, ['e.com/b']);
});

test('strategic patch: finalizers are a merged set', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('m', {}, { finalizers: ['e.com/a'] })), 201);
  const patched = ok(await api.strategicPatch(configMaps(ns, 'm'), { metadata: { finalizers: ['e.com/b'] } }));
  assert.deepEqual(items(patched.metadata?.finalizers).map(text).sort(), ['e.com/a', 'e.com/b']);
});

test('strategic patch: null removes a field', async () => {
  const { api, path } = await deployment();
  const patched = ok(await api.strategicPatch(path, template({ volumes: null })));
  assert.equal(patched.spec?.template?.spec?.volumes, undefined);
});

test('strategic patch: an element without its merge key is refused', async () => {
  const { api, path } = await deployment();
  const answer = await api.strategicPatch(path, template({ containers: [{ image: 'x' }] }));
  refused(answer, 500, undefined, 'map: map[image:x] does not contain declared merge key: name');
});

test('strategic patch: an unknown $patch directive is refused', async () => {
  const { api, path } = await deployment();
  const answer = await api.strategicPatch(path, { spec: { $patch: 'explode' } });
  assert.ok(answer.status === 400 || answer.status === 422 || answer.status === 500, answer.text);
  assert.match(text(answer.body.message), /unknown patch type/i);
});

test('strategic patch: service ports merge by port', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const base = `/api/v1/namespaces/${ns}/services`;
  const ports = [
    { name: 'a', port: 80 },
    { name: 'b', port: 81 },
  ];
  ok(await api.create(base, { metadata: { name: 's' }, spec: { ports } }), 201);
  const patched = ok(await api.strategicPatch(`${base}/s`, { spec: { ports: [{ port: 81, targetPort: 9 }] } }));
  assert.deepEqual(
    items(patched.spec?.ports).map((p) => [p.name, p.port, p.targetPort]),
    [
      ['a', 80, 80],
      ['b', 81, 9],
    ],
  );
});

test('strategic patch: a resource of a CRD answers 415', async () => {
  const api = await admin();
  const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const name = `straws.s${Date.now().toString(36)}.example.com`;
  const group = name.slice('straws.'.length);
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const spec = {
    group,
    scope: 'Cluster',
    names: { plural: 'straws', kind: 'Straw' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  };
  ok(
    await api.create(crd, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name },
      spec,
    }),
    201,
  );
  const { eventually } = await import('./cluster.ts');
  await eventually(async () => ok(await api.get(`/apis/${group}/v1/straws`)));
  ok(
    await api.create(`/apis/${group}/v1/straws`, { apiVersion: `${group}/v1`, kind: 'Straw', metadata: { name: 'a' } }),
    201,
  );
  const answer = await api.strategicPatch(`/apis/${group}/v1/straws/a`, { metadata: { labels: { a: 'b' } } });
  refused(
    answer,
    415,
    'UnsupportedMediaType',
    /the body of the request was in an unknown format - accepted media types include: application\/json-patch\+json, application\/merge-patch\+json, application\/apply-patch\+yaml/,
  );
  ok(await api.delete(`${crd}/${name}`));
});
