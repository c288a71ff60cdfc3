import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admin, configMap, configMaps, namespace, ok, refused } from './cluster.ts';
import { customKind, open } from './crds.ts';

const kib = 1024;
const text = (length: number): string => 'x'.repeat(length);

test('an object that is larger than the store takes is refused whole, by every way to write it', async () => {
  const [kind, api, ns] = [await customKind(open), await admin(), await namespace()];
  const path = kind.path(ns, 'fits');
  const before = ok(await api.create(kind.path(ns), kind.object('fits', { text: text(1400 * kib) })), 201);
  const refusals = [
    await api.create(kind.path(ns), kind.object('large', { text: text(1600 * kib) })),
    await api.mergePatch(path, { more: text(300 * kib) }),
    await api.apply(path, 'somebody', kind.object('fits', { more: text(300 * kib) })),
    await api.put(path, kind.object('fits', { metadata: before.metadata, text: text(1600 * kib) })),
  ];
  for (const answer of refusals) refused(answer, 500, undefined, 'etcdserver: request is too large');
  refused(await api.get(kind.path(ns, 'large')), 404, 'NotFound');
  const after = ok(await api.get(path));
  assert.equal(after.metadata?.resourceVersion, before.metadata?.resourceVersion);
});

test('the store takes a mebibyte and a half, the bookkeeping of the object included', async () => {
  const [kind, api, ns] = [await customKind(open), await admin(), await namespace()];
  const withLength = (name: string, length: number): object => {
    const bare = kind.object(name, { text: '' });
    return { ...bare, text: text(length - JSON.stringify(bare).length) };
  };
  ok(await api.create(kind.path(ns), withLength('under', 1536 * kib - 2 * kib)), 201);
  refused(await api.create(kind.path(ns), withLength('over', 1536 * kib - 64)), 500, undefined);
});

test('a mebibyte of data, and a quarter of annotations, is what a ConfigMap may have', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const annotations = { note: text(200 * kib) };
  ok(await api.create(configMaps(ns), configMap('full', { text: text(1020 * kib) }, { annotations })), 201);
  refused(await api.create(configMaps(ns), configMap('more', { text: text(1025 * kib) })), 422, 'Invalid');
  const noted = configMap('noted', {}, { annotations: { note: text(257 * kib) } });
  refused(await api.create(configMaps(ns), noted), 422, 'Invalid');
});
