import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Doc, text } from '../../support/raw-client.ts';
import type { AuditEvent } from '../../support/real-audit.ts';
import { admin, cluster, configMap, configMaps, eventually, namespace, ok, refused } from './cluster.ts';

/** The events about one namespace, once there are at least `count`. */
async function audited(ns: string, match: (event: AuditEvent) => boolean, count = 1): Promise<AuditEvent[]> {
  const log = await cluster();
  return eventually(async () => {
    const found = log.audit().filter((event) => event.objectRef?.namespace === ns && match(event));
    assert.ok(found.length >= count, `${found.length} audit events in ${ns}`);
    return found;
  });
}

async function begin(): Promise<{ api: Awaited<ReturnType<typeof admin>>; ns: string }> {
  await cluster();
  return { api: await admin(), ns: await namespace() };
}

test('a create is told with who, what, the answer and both bodies', async () => {
  const { api, ns } = await begin();
  const made = ok(await api.create(configMaps(ns), configMap('a', { k: 'v' })), 201);
  const [event] = await audited(ns, (e) => e.verb === 'create' && e.objectRef?.name === 'a');
  assert.equal(event?.kind, 'Event');
  assert.equal(event?.apiVersion, 'audit.k8s.io/v1');
  assert.equal(event?.level, 'RequestResponse');
  assert.equal(event?.stage, 'ResponseComplete');
  assert.equal(event?.requestURI, configMaps(ns));
  assert.equal(event?.user.username, 'kubernetes-admin');
  assert.ok(event?.user.groups?.includes('system:masters'));
  assert.equal(event?.userAgent, 'argosy-raw');
  assert.deepEqual(event?.sourceIPs, ['127.0.0.1']);
  assert.deepEqual(event?.objectRef, { resource: 'configmaps', namespace: ns, name: 'a', apiVersion: 'v1' });
  assert.equal(event?.responseStatus?.code, 201);
  const [sent, answered] = [event?.requestObject as Doc | undefined, event?.responseObject as Doc | undefined]; // bodies
  assert.deepEqual(sent?.data, { k: 'v' });
  assert.equal(answered?.metadata?.uid, made.metadata?.uid);
  assert.equal(event?.annotations?.['authorization.k8s.io/decision'], 'allow');
  assert.match(event?.requestReceivedTimestamp ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
});

test('an impersonated request tells both identities', async () => {
  const { api, ns } = await begin();
  ok(await api.as('alice', 'system:masters').create(configMaps(ns), configMap('b')), 201);
  const [event] = await audited(ns, (e) => e.objectRef?.name === 'b');
  assert.equal(event?.user.username, 'kubernetes-admin');
  assert.equal(event?.impersonatedUser?.username, 'alice');
  assert.deepEqual(event?.impersonatedUser?.groups, ['system:masters', 'system:authenticated']);
});

test('a refused request is told with its code and reason', async () => {
  const { api, ns } = await begin();
  refused(await api.as('nobody').create(configMaps(ns), configMap('c')), 403, 'Forbidden');
  const [event] = await audited(ns, (e) => e.responseStatus?.code === 403);
  assert.equal(event?.annotations?.['authorization.k8s.io/decision'], 'forbid');
  assert.equal(event?.responseStatus?.reason, 'Forbidden');
  assert.match(event?.responseStatus?.message ?? '', /User "nobody" cannot create resource "configmaps"/);
});

test('a patch and a delete are told with their verbs', async () => {
  const { api, ns } = await begin();
  ok(await api.create(configMaps(ns), configMap('d')), 201);
  ok(await api.mergePatch(configMaps(ns, 'd'), { data: { k: 'v' } }));
  ok(await api.apply(configMaps(ns, 'e'), 'm', configMap('e')), 201);
  ok(await api.delete(configMaps(ns, 'd')));
  ok(await api.delete(configMaps(ns), { query: { labelSelector: 'none' } }));
  const events = await audited(
    ns,
    (e) =>
      e.objectRef?.resource === 'configmaps' && e.user.username === 'kubernetes-admin' && e.userAgent === 'argosy-raw',
    5,
  );
  assert.deepEqual(
    events.map((e) => [e.verb, e.objectRef?.name]),
    [
      ['create', 'd'],
      ['patch', 'd'],
      ['patch', 'e'],
      ['delete', 'd'],
      ['deletecollection', undefined],
    ],
  );
});

test('reads are told by metadata only', async () => {
  const { api, ns } = await begin();
  ok(await api.get(configMaps(ns), { query: { limit: '3' } }));
  const [event] = await audited(ns, (e) => e.verb === 'list' && e.userAgent === 'argosy-raw');
  assert.equal(event?.level, 'Metadata');
  assert.equal(event?.requestURI, `${configMaps(ns)}?limit=3`);
  assert.equal(event?.requestObject, undefined);
  assert.equal(event?.responseObject, undefined);
});

test('a secret’s data never reaches the log', async () => {
  const { api, ns } = await begin();
  ok(
    await api.create(`/api/v1/namespaces/${ns}/secrets`, {
      metadata: { name: 's' },
      stringData: { p: 'hunter2-secret' },
    }),
    201,
  );
  const [event] = await audited(ns, (e) => e.objectRef?.resource === 'secrets');
  assert.equal(event?.level, 'Metadata');
  const log = await cluster();
  assert.ok(!JSON.stringify(log.audit()).includes('hunter2-secret'));
  assert.ok(!JSON.stringify(log.audit()).includes(Buffer.from('hunter2-secret').toString('base64')));
});

test('a token never reaches the log', async () => {
  const { api, ns } = await begin();
  ok(await api.create(`/api/v1/namespaces/${ns}/serviceaccounts`, { metadata: { name: 'sa' } }), 201);
  const made = ok(await api.create(`/api/v1/namespaces/${ns}/serviceaccounts/sa/token`, { spec: {} }), 201);
  const [event] = await audited(ns, (e) => e.objectRef?.subresource === 'token');
  assert.equal(event?.level, 'Metadata');
  assert.ok(!JSON.stringify((await cluster()).audit()).includes(text(made.status?.token)));
});

test('a watch is told when it starts and when it ends', async () => {
  const { api, ns } = await begin();
  const watch = await api.watch(configMaps(ns), { timeoutSeconds: '1', labelSelector: 'none' });
  assert.equal(await watch.next(20_000), undefined);
  const events = await audited(ns, (e) => e.verb === 'watch' && e.userAgent === 'argosy-raw', 2);
  assert.deepEqual(
    events.map((e) => e.stage),
    ['ResponseStarted', 'ResponseComplete'],
  );
  assert.equal(events[0]?.auditID, events[1]?.auditID);
});

test('an audit id in a request header is taken and given back', async () => {
  const { api, ns } = await begin();
  const answer = await api.create(configMaps(ns), configMap('f'), { headers: { 'Audit-ID': `id-${ns}` } });
  assert.equal(answer.headers['audit-id'], `id-${ns}`);
  const [event] = await audited(ns, (e) => e.objectRef?.name === 'f');
  assert.equal(event?.auditID, `id-${ns}`);
});
