import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { items, text } from '../../support/raw-client.ts';
import { admin, configMap, configMaps, namespace, ok, refused } from './cluster.ts';

let ns = '';

before(async () => {
  const api = await admin();
  ns = await namespace();
  const made: [string, Record<string, string>][] = [
    ['one', { app: 'web', tier: 'front' }],
    ['two', { app: 'web', tier: 'back' }],
    ['three', { app: 'db' }],
    ['four', { app: '' }],
    ['five', {}],
  ];
  for (const [name, labels] of made) ok(await api.create(configMaps(ns), configMap(name, {}, { labels })), 201);
});

const selectors: [string, string[]][] = [
  ['app=web', ['one', 'two']],
  ['app==web', ['one', 'two']],
  ['app!=web', ['five', 'four', 'three']],
  ['app', ['four', 'one', 'three', 'two']],
  ['!app', ['five']],
  ['app in (web,db)', ['one', 'three', 'two']],
  ['app notin (web)', ['five', 'four', 'three']],
  ['app=web,tier=back', ['two']],
  ['app=web, tier in (front, back)', ['one', 'two']],
  ['app=', ['four']],
  ['app in ()', ['four']],
  ['tier,app', ['one', 'two']],
  ['nothing=here', []],
  ['', ['five', 'four', 'one', 'three', 'two']],
];
for (const [selector, expected] of selectors)
  test(`the label selector ${JSON.stringify(selector)} gives ${expected.join(', ') || 'nothing'}`, async () => {
    const answer = await (await admin()).get(configMaps(ns), { query: { labelSelector: selector } });
    const names = items(ok(answer).items).map((item) => text(item.metadata?.name));
    assert.deepEqual(names.filter((name) => name !== 'kube-root-ca.crt').sort(), expected);
  });

for (const selector of ['app=(', 'a b', 'app in web', '=x', 'app=web,,', 'app>x'])
  test(`the label selector ${JSON.stringify(selector)} is refused`, async () => {
    const answer = await (await admin()).get(configMaps(ns), { query: { labelSelector: selector } });
    refused(answer, 400, 'BadRequest', /^unable to parse requirement: |found '|^couldn't parse/);
  });

test('greater and less compare numbers in labels', async () => {
  const [api, own] = [await admin(), await namespace()];
  for (const n of ['5', '10']) ok(await api.create(configMaps(own), configMap(`n${n}`, {}, { labels: { n } })), 201);
  const ask = async (labelSelector: string): Promise<unknown[]> =>
    items(ok(await api.get(configMaps(own), { query: { labelSelector } })).items).map((item) => item.metadata?.name);
  assert.deepEqual(await ask('n>7'), ['n10']);
  assert.deepEqual(await ask('n<7'), ['n5']);
});

test('the field selector metadata.name finds one object', async () => {
  const answer = await (await admin()).get(configMaps(ns), { query: { fieldSelector: 'metadata.name=two' } });
  assert.deepEqual(
    items(ok(answer).items).map((item) => item.metadata?.name),
    ['two'],
  );
});

test('the field selector metadata.name!= leaves one out', async () => {
  const query = { fieldSelector: 'metadata.name!=two', labelSelector: 'app=web' };
  const answer = await (await admin()).get(configMaps(ns), { query });
  assert.deepEqual(
    items(ok(answer).items).map((item) => item.metadata?.name),
    ['one'],
  );
});

test('the field selector metadata.namespace works over all namespaces', async () => {
  const query = { fieldSelector: `metadata.namespace=${ns},metadata.name=one` };
  const answer = await (await admin()).get('/api/v1/configmaps', { query });
  assert.deepEqual(
    items(ok(answer).items).map((item) => item.metadata?.name),
    ['one'],
  );
});

test('an unknown field in a field selector is refused', async () => {
  const answer = await (await admin()).get(configMaps(ns), { query: { fieldSelector: 'data.k=v' } });
  refused(
    answer,
    400,
    'BadRequest',
    '"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"',
  );
});

test('secrets can be selected by type and pods by node', async () => {
  const api = await admin();
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, type: 'example.com/x' };
  ok(await api.create(`/api/v1/namespaces/${ns}/secrets`, secret), 201);
  const found = await api.get(`/api/v1/namespaces/${ns}/secrets`, { query: { fieldSelector: 'type=example.com/x' } });
  assert.equal(items(ok(found).items).length, 1);
  ok(await api.get('/api/v1/pods', { query: { fieldSelector: 'spec.nodeName=none,status.phase!=Running' } }));
});

test('a list has the kind, the version and its own resourceVersion', async () => {
  const list = ok(await (await admin()).get(configMaps(ns)));
  assert.equal(list.kind, 'ConfigMapList');
  assert.equal(list.apiVersion, 'v1');
  assert.match(text(list.metadata?.resourceVersion), /^\d+$/);
});

test('items in a list of a built-in kind carry no kind of their own', async () => {
  const list = ok(await (await admin()).get(configMaps(ns)));
  for (const item of items(list.items)) assert.equal(item.kind, undefined);
});

test('a list is in the order of namespaces and names', async () => {
  const list = ok(await (await admin()).get(configMaps(ns)));
  const names = items(list.items).map((item) => text(item.metadata?.name));
  assert.deepEqual(names, [...names].sort());
});

test('a list of nothing has an empty list of items', async () => {
  const own = await namespace();
  assert.deepEqual(ok(await (await admin()).get(`/api/v1/namespaces/${own}/pods`)).items, []);
});

test('a list in a namespace that is not there is empty', async () => {
  const list = ok(await (await admin()).get(configMaps('never-made')));
  assert.deepEqual(list.items, []);
});

test('resourceVersion=0 gives a list of any age', async () => {
  const list = ok(await (await admin()).get(configMaps(ns), { query: { resourceVersion: '0' } }));
  assert.equal(list.kind, 'ConfigMapList');
});

test('a list not older than a resourceVersion is that new', async () => {
  const api = await admin();
  const made = ok(await api.create(configMaps(ns), configMap('six', {}, { labels: { new: 'yes' } })), 201);
  const resourceVersion = text(made.metadata?.resourceVersion);
  const query = { resourceVersion, resourceVersionMatch: 'NotOlderThan', labelSelector: 'new=yes' };
  const list = ok(await api.get(configMaps(ns), { query }));
  assert.equal(items(list.items).length, 1);
  assert.ok(Number(list.metadata?.resourceVersion) >= Number(resourceVersion));
});

test('a list at exactly a resourceVersion shows what was there then', async () => {
  const [api, own] = [await admin(), await namespace()];
  const made = ok(await api.create(configMaps(own), configMap('a')), 201);
  ok(await api.create(configMaps(own), configMap('b')), 201);
  const query = { resourceVersion: text(made.metadata?.resourceVersion), resourceVersionMatch: 'Exact' };
  const list = ok(await api.get(configMaps(own), { query }));
  const names = items(list.items).map((item) => text(item.metadata?.name));
  assert.deepEqual(
    names.filter((name) => name !== 'kube-root-ca.crt'),
    ['a'],
  );
  assert.equal(list.metadata?.resourceVersion, made.metadata?.resourceVersion);
});

test('resourceVersionMatch without a resourceVersion is refused', async () => {
  const answer = await (await admin()).get(configMaps(ns), { query: { resourceVersionMatch: 'Exact' } });
  refused(
    answer,
    422,
    'Invalid',
    /resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided/,
  );
});

test('a resourceVersion that is no number is refused', async () => {
  const answer = await (await admin()).get(configMaps(ns), { query: { resourceVersion: 'abc' } });
  refused(answer, 400, 'BadRequest', /invalid resource version/i);
});

test('a get at resourceVersion 0 works', async () => {
  const got = ok(await (await admin()).get(configMaps(ns, 'one'), { query: { resourceVersion: '0' } }));
  assert.equal(got.metadata?.name, 'one');
});

test('deletecollection removes what a selector finds and answers with the list', async () => {
  const [api, own] = [await admin(), await namespace()];
  for (const name of ['a', 'b', 'c'])
    ok(await api.create(configMaps(own), configMap(name, {}, { labels: { go: name === 'c' ? 'no' : 'yes' } })), 201);
  const gone = ok(await api.delete(configMaps(own), { query: { labelSelector: 'go=yes' } }));
  assert.equal(gone.kind, 'ConfigMapList');
  assert.deepEqual(
    items(gone.items).map((item) => item.metadata?.name),
    ['a', 'b'],
  );
  const left = ok(await api.get(configMaps(own), { query: { labelSelector: 'go' } }));
  assert.deepEqual(
    items(left.items).map((item) => item.metadata?.name),
    ['c'],
  );
});
