import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RawClient, text } from '../../support/raw-client.ts';
import { startRealCluster } from '../../support/real-cluster.ts';
import { type TestCluster, testCluster } from '../../support/test-cluster.ts';
import { configMap, configMaps, ok, refused } from './cluster.ts';

let cluster: TestCluster;
let api: RawClient;
/** The version of a list made before everything was forgotten, and a token to read it further. */
let before410: { readonly version: string; readonly token: string };

// A server of its own, whatever the suite runs on: it is made to forget, for itself and for all who use it.
before(async () => {
  const forgetting = await open();
  cluster = forgetting.cluster;
  api = new RawClient({ url: cluster.url, ca: cluster.ca, token: cluster.adminToken });
  for (const name of ['a', 'b', 'c']) ok(await api.create(configMaps('default'), configMap(name)), 201);
  const list = ok(await api.get(configMaps('default'), { query: { limit: '1' } }));
  before410 = { version: text(list.metadata?.resourceVersion), token: text(list.metadata?.continue) };
  for (const name of ['d', 'e']) ok(await api.create(configMaps('default'), configMap(name)), 201);
  await forgetting.forget();
});

after(async () => {
  api?.close();
  await cluster?.stop();
});

/** The real API server remembers in memory what etcd has forgotten, until it starts anew. */
async function open(): Promise<{ cluster: TestCluster; forget(): Promise<void> }> {
  if (process.env['ARGOSY_TEST_CLUSTER'] !== 'real') {
    const embedded = await testCluster('embedded');
    return { cluster: embedded, forget: () => embedded.compact() };
  }
  const real = await startRealCluster({ own: true, controllers: false });
  const forget = async (): Promise<void> => {
    await real.compact();
    await real.restartApiServer();
  };
  return { cluster: { flavour: 'real', ...real }, forget };
}

for (const [what, version] of [
  ['the first resourceVersion', () => '1'],
  ['a forgotten resourceVersion', () => before410.version],
] as const) {
  test(`a watch from ${what} tells 410 in the stream, and ends`, async () => {
    const watch = await api.watch(configMaps('default'), { resourceVersion: version() });
    const event = await watch.next();
    assert.equal(event?.type, 'ERROR');
    assert.equal(await watch.next(), undefined);
    const { kind, code, reason, message } = event?.object ?? {};
    assert.deepEqual([kind, code, reason], ['Status', 410, 'Expired']);
    assert.match(text(message), new RegExp(`^too old resource version: ${version()} \\(\\d+\\)$`));
  });
}

test('a continue token of a forgotten version is refused with 410 and one to go on with', async () => {
  const answer = await api.get(configMaps('default'), { query: { limit: '1', continue: before410.token } });
  refused(answer, 410, 'Expired');
  assert.notEqual(text(answer.body.metadata?.continue), '');
});

test('a list of now, and a watch from it, know nothing of all that', async () => {
  const list = ok(await api.get(configMaps('default')));
  const watch = await api.watch(configMaps('default'), { resourceVersion: text(list.metadata?.resourceVersion) });
  ok(await api.create(configMaps('default'), configMap('f')), 201);
  const event = await watch.next();
  watch.close();
  assert.deepEqual([event?.type, text(event?.object.metadata?.name)], ['ADDED', 'f']);
});
