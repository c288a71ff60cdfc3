import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Doc, items, text } from '../../support/raw-client.ts';
import { admin, configMap, configMaps, namespace, ok, refused } from './cluster.ts';

const nameOf = (object: Doc): string => text(object.metadata?.name);
const rvOf = (object: Doc): string => text(object.metadata?.resourceVersion);
const mine = { labelSelector: 'mine' };
const labels = { labels: { mine: 'yes' } };

async function start(): Promise<{ api: Awaited<ReturnType<typeof admin>>; ns: string; rv: string }> {
  const [api, ns] = [await admin(), await namespace()];
  const list = ok(await api.get(configMaps(ns)));
  return { api, ns, rv: rvOf(list) };
}

test('a watch tells what is added, modified and deleted, in order', async () => {
  const { api, ns, rv } = await start();
  const watch = await api.watch(configMaps(ns), { ...mine, resourceVersion: rv });
  const made = ok(await api.create(configMaps(ns), configMap('a', {}, labels)), 201);
  const changed = ok(await api.mergePatch(configMaps(ns, 'a'), { data: { k: 'v' } }));
  ok(await api.delete(configMaps(ns, 'a')));
  const events = await watch.until((event) => event.type === 'DELETED');
  watch.close();
  assert.deepEqual(
    events.map((event) => event.type),
    ['ADDED', 'MODIFIED', 'DELETED'],
  );
  assert.deepEqual(events[0]?.object, made);
  assert.deepEqual(events[1]?.object, changed);
  assert.ok(Number(rvOf(events[2]?.object ?? {})) > Number(rvOf(changed)));
  assert.deepEqual(events[2]?.object.data, { k: 'v' });
});

test('a watch from a resourceVersion tells what came after it', async () => {
  const { api, ns } = await start();
  const one = ok(await api.create(configMaps(ns), configMap('a', {}, labels)), 201);
  ok(await api.create(configMaps(ns), configMap('b', {}, labels)), 201);
  const watch = await api.watch(configMaps(ns), { ...mine, resourceVersion: rvOf(one) });
  const event = await watch.next();
  watch.close();
  assert.equal(event?.type, 'ADDED');
  assert.equal(nameOf(event?.object ?? {}), 'b');
});

test('a watch taken up at the last event loses and repeats nothing', async () => {
  const { api, ns, rv } = await start();
  const first = await api.watch(configMaps(ns), { ...mine, resourceVersion: rv });
  for (const name of ['a', 'b', 'c']) ok(await api.create(configMaps(ns), configMap(name, {}, labels)), 201);
  const seen = await first.until((event) => nameOf(event.object) === 'b');
  first.close();
  const second = await api.watch(configMaps(ns), { ...mine, resourceVersion: rvOf(seen.at(-1)?.object ?? {}) });
  ok(await api.create(configMaps(ns), configMap('d', {}, labels)), 201);
  const rest = await second.until((event) => nameOf(event.object) === 'd');
  second.close();
  assert.deepEqual(
    [...seen, ...rest].map((event) => nameOf(event.object)),
    ['a', 'b', 'c', 'd'],
  );
});

test('a watch without a resourceVersion begins with what is there', async () => {
  const { api, ns } = await start();
  ok(await api.create(configMaps(ns), configMap('a', {}, labels)), 201);
  const watch = await api.watch(configMaps(ns), mine);
  const first = await watch.next();
  watch.close();
  assert.deepEqual([first?.type, nameOf(first?.object ?? {})], ['ADDED', 'a']);
});

test('a watch by a label tells when an object comes to match and stops matching', async () => {
  const { api, ns, rv } = await start();
  const watch = await api.watch(configMaps(ns), { labelSelector: 'on=yes', resourceVersion: rv });
  ok(await api.create(configMaps(ns), configMap('a')), 201);
  ok(await api.mergePatch(configMaps(ns, 'a'), { metadata: { labels: { on: 'yes' } } }));
  ok(await api.mergePatch(configMaps(ns, 'a'), { data: { x: 'y' } }));
  const off = ok(await api.mergePatch(configMaps(ns, 'a'), { metadata: { labels: { on: 'no' } } }));
  const events = await watch.until((event) => event.type === 'DELETED');
  watch.close();
  assert.deepEqual(
    events.map((event) => event.type),
    ['ADDED', 'MODIFIED', 'DELETED'],
  );
  assert.equal(rvOf(events[2]?.object ?? {}), rvOf(off));
  assert.deepEqual(events[2]?.object.metadata?.labels, { on: 'yes' });
});

test('a watch by name tells of that object alone', async () => {
  const { api, ns, rv } = await start();
  const watch = await api.watch(configMaps(ns), { fieldSelector: 'metadata.name=b', resourceVersion: rv });
  for (const name of ['a', 'b']) ok(await api.create(configMaps(ns), configMap(name)), 201);
  assert.equal(nameOf((await watch.next())?.object ?? {}), 'b');
  watch.close();
});

test('a watch over all namespaces tells of each', async () => {
  const { api, ns, rv } = await start();
  const watch = await api.watch('/api/v1/configmaps', { labelSelector: `in=${ns}`, resourceVersion: rv });
  const other = await namespace();
  for (const space of [ns, other])
    ok(await api.create(configMaps(space), configMap('a', {}, { labels: { in: ns } })), 201);
  const events = await watch.until((event) => event.object.metadata?.namespace === (other as unknown)); // a leaf
  watch.close();
  assert.deepEqual(
    events.map((event) => event.object.metadata?.namespace),
    [ns, other],
  );
});

test('sendInitialEvents lists first and marks the end with a bookmark', async () => {
  const { api, ns } = await start();
  for (const name of ['a', 'b']) ok(await api.create(configMaps(ns), configMap(name, {}, labels)), 201);
  const watch = await api.watch(configMaps(ns), {
    ...mine,
    sendInitialEvents: 'true',
    resourceVersionMatch: 'NotOlderThan',
    allowWatchBookmarks: 'true',
  });
  const events = await watch.until((event) => event.type === 'BOOKMARK');
  watch.close();
  assert.deepEqual(
    events.map((event) => [event.type, nameOf(event.object)]),
    [
      ['ADDED', 'a'],
      ['ADDED', 'b'],
      ['BOOKMARK', ''],
    ],
  );
  const mark = events.at(-1)?.object;
  assert.equal(mark?.kind, 'ConfigMap');
  assert.deepEqual(mark?.metadata?.annotations, { 'k8s.io/initial-events-end': 'true' });
  assert.match(text(mark?.metadata?.resourceVersion), /^\d+$/);
});

test('sendInitialEvents without resourceVersionMatch is refused', async () => {
  const { api, ns } = await start();
  const answer = await api.get(configMaps(ns), { query: { watch: 'true', sendInitialEvents: 'true' } });
  refused(answer, 422, 'Invalid', /sendInitialEvents requires setting resourceVersionMatch to NotOlderThan/);
});

test('a watch with timeoutSeconds ends by itself', async () => {
  const { api, ns, rv } = await start();
  const watch = await api.watch(configMaps(ns), { resourceVersion: rv, timeoutSeconds: '2', ...mine });
  assert.equal(await watch.next(20_000), undefined);
});

test('a watch with a resourceVersion that is no number is refused', async () => {
  const { api, ns } = await start();
  const answer = await api.get(configMaps(ns), { query: { watch: 'true', resourceVersion: 'x' } });
  refused(
    answer,
    500,
    undefined,
    'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
  );
});

test('a watch of one named object by its path is a watch of a list of one', async () => {
  const { api, ns } = await start();
  ok(await api.create(configMaps(ns), configMap('a', {}, labels)), 201);
  const watch = await api.watch(`/api/v1/watch/namespaces/${ns}/configmaps/a`);
  assert.equal(nameOf((await watch.next())?.object ?? {}), 'a');
  watch.close();
});

test('a watch can be asked for metadata only', async () => {
  const { api, ns } = await start();
  ok(await api.create(configMaps(ns), configMap('a', { k: 'v' }, labels)), 201);
  const accept = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' };
  const watch = await api.watch(configMaps(ns), mine, { headers: accept });
  const event = await watch.next();
  watch.close();
  assert.equal(event?.object.kind, 'PartialObjectMetadata');
  assert.equal(event?.object.apiVersion, 'meta.k8s.io/v1');
  assert.equal(event?.object.data, undefined);
  assert.equal(nameOf(event?.object ?? {}), 'a');
});

test('a list and a watch from its resourceVersion leave no gap under concurrent writes', async () => {
  const { api, ns } = await start();
  const writes = (async () => {
    for (let n = 0; n < 40; n++) ok(await api.create(configMaps(ns), configMap(`w${n}`, {}, labels)), 201);
  })();
  const list = ok(await api.get(configMaps(ns), { query: mine }));
  const known = new Set(items(list.items).map(nameOf));
  const watch = await api.watch(configMaps(ns), { ...mine, resourceVersion: rvOf(list) });
  while (known.size < 40) {
    const event = await watch.next();
    assert.equal(event?.type, 'ADDED');
    assert.ok(!known.has(nameOf(event?.object ?? {})), 'told twice');
    known.add(nameOf(event?.object ?? {}));
  }
  watch.close();
  await writes;
});

test('events of one watch have growing resourceVersions', async () => {
  const { api, ns, rv } = await start();
  const watch = await api.watch(configMaps(ns), { ...mine, resourceVersion: rv });
  await Promise.all(
    [1, 2, 3, 4, 5, 6].map(async (n) => ok(await api.create(configMaps(ns), configMap(`c${n}`, {}, labels)), 201)),
  );
  let last = 0;
  for (let n = 0; n < 6; n++) {
    const now = Number(rvOf((await watch.next())?.object ?? {}));
    assert.ok(now > last);
    last = now;
  }
  watch.close();
});
