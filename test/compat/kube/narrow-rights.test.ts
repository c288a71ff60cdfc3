import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { items, type RawClient, text } from '../../support/raw-client.ts';
import { admin, configMap, configMaps, eventually, namespace, ok, refused, unique } from './cluster.ts';
import { core, grant } from './identities.ts';

/** Somebody who may see one ConfigMap of a namespace, and a Secret, by name; others stand beside them. */
async function narrow(): Promise<{ me: RawClient; ns: string; secrets: string }> {
  const [api, ns, user] = [await admin(), await namespace(), unique('user')];
  const secrets = `/api/v1/namespaces/${ns}/secrets`;
  for (const name of ['mine', 'theirs']) {
    ok(await api.create(configMaps(ns), configMap(name)), 201);
    ok(await api.create(secrets, { metadata: { name }, type: 'example.com/kind' }), 201);
  }
  await grant(ns, user, [core(['get', 'list', 'watch', 'deletecollection'], ['configmaps', 'secrets'], ['mine'])]);
  const me = api.as(user);
  await eventually(async () => ok(await me.get(configMaps(ns, 'mine'))));
  return { me, ns, secrets };
}

test('a name inside the value of another field does not count as the name asked for', async () => {
  const { me, secrets } = await narrow();
  for (const fieldSelector of [
    String.raw`type!=a\,metadata.name=mine`,
    String.raw`type=example.com/kind\,metadata.name=mine`,
    String.raw`type!=a\\\,metadata.name=mine`,
  ])
    refused(await me.get(secrets, { query: { fieldSelector } }), 403, 'Forbidden', /cannot list resource "secrets"/);
  const both = { fieldSelector: String.raw`type!=a\\,metadata.name=mine` };
  const list = ok(await me.get(secrets, { query: both }));
  assert.deepEqual(
    items(list.items).map((item) => text(item.metadata?.name)),
    ['mine'],
  );
});

test('a value of a field selector is unescaped, and a bad one refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const ask = async (fieldSelector: string): Promise<[number, string]> => {
    const answer = await api.get(configMaps(ns), { query: { fieldSelector } });
    return [answer.status, text(answer.body.message)];
  };
  assert.deepEqual(await ask(String.raw`metadata.name=a\,b`), [200, '']);
  assert.deepEqual(await ask('metadata.name=a=b'), [400, 'invalid field selector: unescaped character in value: 61']);
  const odd = String.raw`metadata.name=a\q`;
  assert.deepEqual(await ask(odd), [400, String.raw`invalid field selector: invalid escape sequence: \q`]);
});

test('a watch of one name through the old path tells of that name only', async () => {
  const { me, ns } = await narrow();
  const api = await admin();
  const watch = await me.watch(`/api/v1/watch/namespaces/${ns}/configmaps/mine`);
  assert.equal(text((await watch.next())?.object.metadata?.name), 'mine');
  ok(await api.mergePatch(configMaps(ns, 'theirs'), { data: { k: 'v' } }));
  await sleep(50);
  ok(await api.mergePatch(configMaps(ns, 'mine'), { data: { k: 'v' } }));
  const event = await watch.next();
  watch.close();
  assert.deepEqual([event?.type, text(event?.object.metadata?.name)], ['MODIFIED', 'mine']);
  const query = { fieldSelector: 'metadata.name=theirs' };
  refused(
    await me.get(`/api/v1/watch/namespaces/${ns}/configmaps/mine`, { query }),
    400,
    'BadRequest',
    "fieldSelector metadata.name doesn't match requested name",
  );
});

test('who may do everything in a namespace reaches no other namespace through it', async () => {
  const [api, ns, user] = [await admin(), await namespace(), unique('user')];
  await grant(ns, user, [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]);
  const me = api.as(user);
  await eventually(async () => ok(await me.get(`/api/v1/namespaces/${ns}`)));
  const [other, made] = [await namespace(), unique('made')];
  const inside = `/api/v1/namespaces/${ns}/namespaces`;
  for (const answer of [
    await me.get(inside),
    await me.get(`${inside}/${other}`),
    await me.create(inside, { metadata: { name: made } }),
    await me.delete(`${inside}/${other}`),
    await me.mergePatch(`${inside}/${other}/status`, {}),
    await me.put(`${inside}/${other}/finalize`, { metadata: { name: other }, spec: {} }),
  ])
    assert.equal(answer.status, 404, answer.text);
  ok(await api.get(`/api/v1/namespaces/${other}`));
  assert.equal((await api.get(`/api/v1/namespaces/${made}`)).status, 404);
});

test('a name in another script is impersonated as it is written', async () => {
  const [api, ns] = [await admin(), await namespace()];
  await grant(ns, 'zoë', [core(['list'], ['configmaps'])]);
  const bytes = Buffer.from('zoë', 'utf8').toString('latin1'); // a header's value is bytes to Node
  await eventually(async () => ok(await api.as(bytes).get(configMaps(ns))));
  const review = await api.as(bytes).create('/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
  assert.equal(text(ok(review, 201).status?.userInfo?.username), 'zoë');
});
