import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { items, text } from '../../support/raw-client.ts';
import { admin, cluster, configMap, configMaps, eventually, namespace, ok, refused } from './cluster.ts';

let ns = '';
const query = (more: Record<string, string>): { query: Record<string, string> } => ({
  query: { labelSelector: 'page', ...more },
});

before(async () => {
  const api = await admin();
  ns = await namespace();
  for (let n = 0; n < 25; n++)
    ok(
      await api.create(configMaps(ns), configMap(`p${String(n).padStart(2, '0')}`, {}, { labels: { page: 'x' } })),
      201,
    );
});

test('pages together are the whole list, each thing once', async () => {
  const api = await admin();
  const seen: string[] = [];
  let next = '';
  let pages = 0;
  do {
    const page = ok(
      await api.get(configMaps(ns), query(next === '' ? { limit: '10' } : { limit: '10', continue: next })),
    );
    seen.push(...items(page.items).map((item) => text(item.metadata?.name)));
    next = text(page.metadata?.continue);
    pages++;
  } while (next !== '');
  assert.equal(pages, 3);
  assert.equal(seen.length, 25);
  assert.deepEqual(seen, [...new Set(seen)].sort());
});

test('remainingItemCount is told without a selector and not with one', async () => {
  const [api, own] = [await admin(), await namespace()];
  for (const name of ['a', 'b', 'c'])
    ok(await api.create(`/api/v1/namespaces/${own}/secrets`, { metadata: { name } }), 201);
  const plain = ok(await api.get(`/api/v1/namespaces/${own}/secrets`, { query: { limit: '1' } }));
  assert.equal(plain.metadata?.remainingItemCount, 2);
  const selected = ok(await api.get(configMaps(ns), query({ limit: '1' })));
  assert.equal(selected.metadata?.remainingItemCount, undefined);
});

test('later pages have the resourceVersion of the first and do not see later writes', async () => {
  const [api, own] = [await admin(), await namespace()];
  const path = `/api/v1/namespaces/${own}/secrets`;
  for (const name of ['a', 'b', 'c', 'd']) ok(await api.create(path, { metadata: { name } }), 201);
  const first = ok(await api.get(path, { query: { limit: '2' } }));
  ok(await api.create(path, { metadata: { name: 'e' } }), 201);
  ok(await api.delete(`${path}/d`));
  const second = ok(await api.get(path, { query: { limit: '10', continue: text(first.metadata?.continue) } }));
  assert.deepEqual(
    items(second.items).map((item) => item.metadata?.name),
    ['c', 'd'],
  );
  assert.equal(second.metadata?.resourceVersion, first.metadata?.resourceVersion);
  assert.equal(second.metadata?.continue, undefined);
});

test('a page that ends exactly at the end has no continue token', async () => {
  const page = ok(await (await admin()).get(configMaps(ns), query({ limit: '25' })));
  assert.equal(items(page.items).length, 25);
  assert.equal(page.metadata?.continue, undefined);
});

test('a broken continue token is refused', async () => {
  const answer = await (await admin()).get(configMaps(ns), query({ limit: '5', continue: 'garbage!' }));
  refused(answer, 400, 'BadRequest', /^invalid continue token: continue key is not valid: /);
});

test('a continue token with a resourceVersion is refused', async () => {
  const api = await admin();
  const first = ok(await api.get(configMaps(ns), query({ limit: '5' })));
  const more = {
    limit: '5',
    continue: text(first.metadata?.continue),
    resourceVersion: text(first.metadata?.resourceVersion),
  };
  refused(
    await api.get(configMaps(ns), query(more)),
    400,
    'BadRequest',
    /specifying resource version is not allowed when using continue/,
  );
});

test('a negative limit is taken as none', async () => {
  const answer = await (await admin()).get(configMaps(ns), query({ limit: '-1' }));
  assert.equal(items(ok(answer).items).length, 25);
});

test('a limit that is no number is refused', async () => {
  const answer = await (await admin()).get(configMaps(ns), query({ limit: 'many' }));
  refused(answer, 400, 'BadRequest', /strconv.ParseInt: parsing "many": invalid syntax/);
});

test('an expired continue token answers 410 with a new one that goes on inconsistently', async () => {
  const [api, own, server] = [await admin(), await namespace(), await cluster()];
  const path = `/api/v1/namespaces/${own}/secrets`;
  for (const name of ['a', 'b', 'c']) ok(await api.create(path, { metadata: { name } }), 201);
  const first = ok(await api.get(path, { query: { limit: '1' } }));
  ok(await api.create(path, { metadata: { name: 'd' } }), 201);
  await server.compact();
  const token = text(first.metadata?.continue);
  const expired = await eventually(async () => {
    const answer = await api.get(path, { query: { limit: '5', continue: token } });
    assert.equal(answer.status, 410, answer.text);
    return answer;
  });
  refused(
    expired,
    410,
    'Expired',
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  );
  const fresh = text(expired.body.metadata?.continue);
  assert.notEqual(fresh, '');
  const rest = ok(await api.get(path, { query: { limit: '5', continue: fresh } }));
  assert.deepEqual(
    items(rest.items).map((item) => item.metadata?.name),
    ['b', 'c', 'd'],
  );
});

test('a list at exactly a forgotten resourceVersion answers 410', async () => {
  const [api, own, server] = [await admin(), await namespace(), await cluster()];
  const made = ok(await api.create(configMaps(own), configMap('a')), 201);
  ok(await api.create(configMaps(own), configMap('b')), 201);
  await server.compact();
  const ask = { resourceVersion: text(made.metadata?.resourceVersion), resourceVersionMatch: 'Exact' };
  await eventually(async () =>
    refused(
      await api.get(configMaps(own), { query: ask }),
      410,
      'Expired',
      'The resourceVersion for the provided list is too old.',
    ),
  );
});
