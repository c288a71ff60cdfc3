import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text } from '../../support/raw-client.ts';
import { admin, configMap, configMaps, namespace, ok, refused } from './cluster.ts';

const dry = { query: { dryRun: 'All' } };

test('a dry create answers with the object and stores nothing', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const tried = ok(await api.create(configMaps(ns), configMap('a', { k: 'v' }), dry), 201);
  assert.deepEqual(tried.data, { k: 'v' });
  assert.notEqual(text(tried.metadata?.uid), '');
  assert.equal(tried.metadata?.resourceVersion, undefined);
  assert.equal((await api.get(configMaps(ns, 'a'))).status, 404);
});

test('a dry create of what is there is refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('a')), 201);
  refused(await api.create(configMaps(ns), configMap('a'), dry), 409, 'AlreadyExists');
});

test('a dry create is validated and defaulted', async () => {
  const [api, ns] = [await admin(), await namespace()];
  refused(await api.create(configMaps(ns), configMap('Bad'), dry), 422, 'Invalid');
  const spec = { ports: [{ port: 80 }], clusterIP: 'None' };
  const service = ok(
    await api.create(`/api/v1/namespaces/${ns}/services`, { metadata: { name: 's' }, spec }, dry),
    201,
  );
  assert.equal(service.spec?.type, 'ClusterIP');
  assert.equal(service.spec?.sessionAffinity, 'None');
});

test('a dry put answers with the change and stores nothing', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const made = ok(await api.create(configMaps(ns), configMap('a', { k: 'v' })), 201);
  const tried = ok(await api.put(configMaps(ns, 'a'), { ...made, data: { k: 'w' } }, dry));
  assert.deepEqual(tried.data, { k: 'w' });
  assert.equal(tried.metadata?.resourceVersion, made.metadata?.resourceVersion);
  assert.deepEqual(ok(await api.get(configMaps(ns, 'a'))), made);
});

test('a dry put with an old resourceVersion is a conflict', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const made = ok(await api.create(configMaps(ns), configMap('a')), 201);
  ok(await api.mergePatch(configMaps(ns, 'a'), { data: { k: 'v' } }));
  refused(await api.put(configMaps(ns, 'a'), { ...made, data: { k: 'w' } }, dry), 409, 'Conflict');
});

test('a dry patch of each kind stores nothing', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const made = ok(await api.create(configMaps(ns), configMap('a', { k: 'v' })), 201);
  const path = configMaps(ns, 'a');
  assert.deepEqual(ok(await api.mergePatch(path, { data: { l: '1' } }, dry)).data, { k: 'v', l: '1' });
  assert.deepEqual(ok(await api.strategicPatch(path, { data: { l: '1' } }, dry)).data, { k: 'v', l: '1' });
  assert.deepEqual(ok(await api.jsonPatch(path, [{ op: 'remove', path: '/data/k' }], dry)).data, undefined);
  assert.deepEqual(ok(await api.get(path)), made);
});

test('a dry apply of what is not there answers 201 and stores nothing', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const tried = ok(await api.apply(configMaps(ns, 'a'), 'me', configMap('a', { k: 'v' }), { dryRun: 'All' }), 201);
  assert.deepEqual(tried.data, { k: 'v' });
  assert.equal((await api.get(configMaps(ns, 'a'))).status, 404);
});

test('a dry delete leaves the object, whether asked in query or body', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const made = ok(await api.create(configMaps(ns), configMap('a')), 201);
  ok(await api.delete(configMaps(ns, 'a'), dry));
  ok(await api.delete(configMaps(ns, 'a'), { body: { dryRun: ['All'] } }));
  assert.deepEqual(ok(await api.get(configMaps(ns, 'a'))), made);
});

test('a dry deletecollection leaves everything', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('a')), 201);
  ok(await api.delete(configMaps(ns), dry));
  ok(await api.get(configMaps(ns, 'a')));
});

test('an unknown value of dryRun is refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(configMaps(ns), configMap('a'), { query: { dryRun: 'Some' } });
  refused(
    answer,
    422,
    'Invalid',
    'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
  );
});

test('a dry run makes no watch event', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const list = ok(await api.get(configMaps(ns)));
  const watch = await api.watch(configMaps(ns), {
    labelSelector: 'w',
    resourceVersion: text(list.metadata?.resourceVersion),
  });
  const labels = { labels: { w: 'x' } };
  ok(await api.create(configMaps(ns), configMap('dry', {}, labels), dry), 201);
  ok(await api.create(configMaps(ns), configMap('wet', {}, labels)), 201);
  assert.equal((await watch.next())?.object.metadata?.name, 'wet');
  watch.close();
});

test('a dry run needs the same rights', async () => {
  const [api, ns] = [await admin(), await namespace()];
  refused(await api.as('nobody').create(configMaps(ns), configMap('a'), dry), 403, 'Forbidden');
});
