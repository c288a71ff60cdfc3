import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { items, text } from '../../support/raw-client.ts';
import { admin, configMap, configMaps, namespace, ok, refused } from './cluster.ts';

const partial = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' };
const partialList = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };
const table = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
let ns = '';

before(async () => {
  const api = await admin();
  ns = await namespace();
  ok(await api.create(configMaps(ns), configMap('a', { k: 'v', l: 'w' }, { labels: { t: 'x' } })), 201);
  ok(await api.create(configMaps(ns), configMap('b', {}, { labels: { t: 'x' } })), 201);
});

test('an object can be asked for as metadata alone', async () => {
  const answer = await (await admin()).get(configMaps(ns, 'a'), { headers: partial });
  const got = ok(answer);
  assert.deepEqual([got.kind, got.apiVersion], ['PartialObjectMetadata', 'meta.k8s.io/v1']);
  assert.equal(got.metadata?.name, 'a');
  assert.deepEqual(got.metadata?.labels, { t: 'x' });
  assert.equal(got.data, undefined);
});

test('a list can be asked for as metadata alone, with paging', async () => {
  const api = await admin();
  const got = ok(await api.get(configMaps(ns), { headers: partialList, query: { labelSelector: 't', limit: '1' } }));
  assert.deepEqual([got.kind, got.apiVersion], ['PartialObjectMetadataList', 'meta.k8s.io/v1']);
  assert.deepEqual(
    items(got.items).map((item) => [item.metadata?.name, item.data]),
    [['a', undefined]],
  );
  assert.notEqual(text(got.metadata?.continue), '');
});

test('a created object can be answered as metadata alone', async () => {
  const got = ok(await (await admin()).create(configMaps(ns), configMap('c', { k: 'v' }), { headers: partial }), 201);
  assert.equal(got.kind, 'PartialObjectMetadata');
  assert.equal(got.metadata?.name, 'c');
});

test('the first media type the server knows is taken', async () => {
  const accept = { accept: 'application/vnd.unknown, application/json' };
  assert.equal(ok(await (await admin()).get(configMaps(ns, 'a'), { headers: accept })).kind, 'ConfigMap');
});

test('only unknown media types answer 406', async () => {
  const answer = await (await admin()).get(configMaps(ns, 'a'), { headers: { accept: 'text/html' } });
  refused(answer, 406, 'NotAcceptable', /^406: Not Acceptable\n\nAvailable representations: application\/json/);
});

test('yaml can be asked for', async () => {
  const answer = await (await admin()).get(configMaps(ns, 'a'), { headers: { accept: 'application/yaml' } });
  assert.equal(answer.status, 200);
  assert.match(String(answer.headers['content-type']), /^application\/yaml/);
  assert.match(answer.text, /^kind: ConfigMap$/m);
});

test('yaml can be sent', async () => {
  const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yy\ndata:\n  k: "1"\n';
  const got = ok(await (await admin()).create(configMaps(ns), yaml, { type: 'application/yaml' }), 201);
  assert.deepEqual(got.data, { k: '1' });
});

test('pretty answers are indented', async () => {
  const answer = await (await admin()).get(configMaps(ns, 'a'), { query: { pretty: 'true' } });
  assert.match(answer.text, /^\{\n {2}"kind": "ConfigMap",\n/);
});

test('a list as a table has columns, rows and metadata of the objects', async () => {
  const got = ok(await (await admin()).get(configMaps(ns), { headers: table, query: { labelSelector: 't' } }));
  assert.deepEqual([got.kind, got.apiVersion], ['Table', 'meta.k8s.io/v1']);
  assert.deepEqual(
    items(got.columnDefinitions).map((column) => [column.name, column.type]),
    [
      ['Name', 'string'],
      ['Data', 'string'],
      ['Age', 'string'],
    ],
  );
  assert.deepEqual(
    items(got.rows).map((row) => [...items(row.cells)].slice(0, 2)),
    [
      ['a', 2],
      ['b', 0],
    ],
  );
  assert.equal(items(got.rows)[0]?.object?.kind, 'PartialObjectMetadata');
  assert.equal(items(got.rows)[0]?.object?.metadata?.name, 'a');
});

test('a table can carry whole objects or none', async () => {
  const api = await admin();
  const whole = ok(await api.get(configMaps(ns, 'a'), { headers: table, query: { includeObject: 'Object' } }));
  assert.equal(items(whole.rows)[0]?.object?.kind, 'ConfigMap');
  const none = ok(await api.get(configMaps(ns, 'a'), { headers: table, query: { includeObject: 'None' } }));
  assert.equal(items(none.rows)[0]?.object, null);
});

const columns: [string, string[]][] = [
  ['/api/v1/namespaces', ['Name', 'Status', 'Age']],
  ['/api/v1/secrets', ['Name', 'Type', 'Data', 'Age']],
  ['/api/v1/services', ['Name', 'Type', 'Cluster-IP', 'External-IP', 'Port(s)', 'Age', 'Selector']],
  ['/api/v1/pods', ['Name', 'Ready', 'Status', 'Restarts', 'Age', 'IP', 'Node', 'Nominated Node', 'Readiness Gates']],
  [
    '/apis/apps/v1/deployments',
    ['Name', 'Ready', 'Up-to-date', 'Available', 'Age', 'Containers', 'Images', 'Selector'],
  ],
  ['/apis/rbac.authorization.k8s.io/v1/roles', ['Name', 'Created At']],
];
for (const [path, names] of columns)
  test(`a table of ${path} has the columns kubectl shows`, async () => {
    const got = ok(await (await admin()).get(path, { headers: table }));
    assert.deepEqual(
      items(got.columnDefinitions).map((column) => column.name),
      names,
    );
  });

test('a watch can be asked for as tables: columns come with the first event only', async () => {
  const api = await admin();
  const watch = await api.watch(configMaps(ns), { labelSelector: 't' }, { headers: table });
  const first = await watch.next();
  const second = await watch.next();
  watch.close();
  assert.equal(first?.object.kind, 'Table');
  assert.equal(items(first?.object.columnDefinitions).length, 3);
  assert.equal(second?.object.kind, 'Table');
  assert.equal(items(second?.object.columnDefinitions).length, 0);
  assert.deepEqual([first, second].map((event) => text(items(items(event?.object.rows)[0]?.cells)[0])).sort(), [
    'a',
    'b',
  ]);
});
