import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cacheDoor, controlDoor, tenantDoor } from './doors.ts';
import { answer, configMap, configMaps, type Scripted, startScripted } from './testdata/scripted-server.ts';

let server: Scripted;
const users: (string | string[] | undefined)[] = [];
before(async () => {
  server = await startScripted((request, response) => {
    users.push(request.headers['impersonate-user']);
    answer(response, 200, JSON.stringify(configMap('a')));
  });
});
after(() => server.close());

test('the cache door can change nothing, at run time too', () => {
  assert.deepEqual(Object.keys(cacheDoor(server.connect())).toSorted(), [
    'discover',
    'follow',
    'list',
    'mayI',
    'watch',
  ]);
});

test('no door leads to another identity', () => {
  const connection = server.connect();
  for (const door of [
    controlDoor(connection),
    cacheDoor(connection),
    tenantDoor(connection, { as: 'impersonate', user: 'a' }),
  ])
    assert.ok(!('as' in door) && !('close' in door));
});

test('every verb of a tenant door is made as the tenant', async () => {
  const door = tenantDoor(server.connect(), { as: 'impersonate', user: 'system:serviceaccount:a:b' });
  users.length = 0;
  await door.get(configMaps, 'default', 'a');
  await door.create(configMaps, configMap('a'));
  await door.update(configMaps, configMap('a'));
  await door.patch(configMaps, 'default', 'a', 'merge', {});
  await door.apply(configMaps, configMap('a'), { fieldManager: 'x' });
  await door.delete(configMaps, 'default', 'a');
  await door.logs('default', 'a', {}, () => undefined);
  await door.watch(configMaps, { resourceVersion: '1' }, () => undefined).catch(() => undefined);
  await door.list(configMaps, {}, () => undefined).catch(() => undefined);
  await door.version().catch(() => undefined);
  await door.discover().catch(() => undefined);
  await door.mayI({ group: '', resource: 'pods', verb: 'get' }).catch(() => undefined);
  assert.equal(users.length >= 12, true);
  assert.deepEqual([...new Set(users)], ['system:serviceaccount:a:b']);
});

test('a tenant without identity gets no door, and nothing is sent', () => {
  users.length = 0;
  for (const identity of [
    { as: 'impersonate', user: '' },
    { as: 'impersonate', user: ' ' },
    { as: 'cluster', because: '' },
    { as: 'other' },
    {},
  ])
    assert.throws(() => tenantDoor(server.connect(), identity as never), { code: 'identity-empty' });
  assert.equal(users.length, 0);
});

test('the cluster credential is used only where somebody says why', async () => {
  users.length = 0;
  await tenantDoor(server.connect(), { as: 'cluster', because: 'impersonation is off' }).get(
    configMaps,
    'default',
    'a',
  );
  assert.deepEqual(users, [undefined]);
});

test('a followed log comes piece by piece until the caller has enough', async () => {
  const scripted = await startScripted((request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write(`${new URL(request.url, 'https://h').search}\n`);
    response.write(Buffer.from('grü').subarray(0, 3)); // half a letter
    setTimeout(() => response.write(Buffer.from('grüß\n').subarray(3)), 10);
  });
  const stop = new AbortController();
  let text = '';
  const following = scripted
    .connect()
    .logs('team-a', 'web', { follow: true, container: 'c', tailLines: 5, signal: stop.signal }, (piece) => {
      text += piece;
      if (text.endsWith('ß\n')) stop.abort();
    });
  await assert.rejects(following, { code: 'cancelled' });
  assert.equal(text, '?container=c&follow=true&tailLines=5\ngrüß\n');
  await scripted.close();
});
