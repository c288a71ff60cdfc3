import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, items, type RawClient } from '../../support/raw-client.ts';
import { admin, eventually, namespace, ok, refused, unique } from './cluster.ts';
import { grantEverywhere, serviceAccountToken } from './identities.ts';

const whoami = (api: RawClient): Promise<Answer> =>
  api.create('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
  });
const headers = (api: RawClient, given: Record<string, string | string[]>): RawClient => api.with({ headers: given });

test('the administrator is in system:masters and system:authenticated', async () => {
  const info = ok(await whoami(await admin()), 201).status?.userInfo;
  assert.ok([...items(info?.groups)].includes('system:masters' as never));
  assert.ok([...items(info?.groups)].includes('system:authenticated' as never));
});

test('an impersonated user is that user, authenticated', async () => {
  const info = ok(await whoami((await admin()).as('alice')), 201).status?.userInfo;
  assert.deepEqual(info, { username: 'alice', groups: ['system:authenticated'] });
});

test('impersonated groups are those given and system:authenticated', async () => {
  const info = ok(await whoami((await admin()).as('alice', 'one', 'two')), 201).status?.userInfo;
  assert.deepEqual(info, { username: 'alice', groups: ['one', 'two', 'system:authenticated'] });
});

test('uid and extra are taken over', async () => {
  const api = headers(await admin(), {
    'Impersonate-User': 'alice',
    'Impersonate-Uid': 'u-1',
    'Impersonate-Extra-Scopes': ['a', 'b'],
    'Impersonate-Extra-E.com%2fkey': 'c',
  });
  const info = ok(await whoami(api), 201).status?.userInfo;
  assert.equal(info?.uid, 'u-1');
  assert.deepEqual(info?.extra, { scopes: ['a', 'b'], 'e.com/key': ['c'] });
});

test('an impersonated service account gets its groups', async () => {
  const info = ok(await whoami((await admin()).as('system:serviceaccount:ns1:sa1')), 201).status?.userInfo;
  assert.deepEqual(info, {
    username: 'system:serviceaccount:ns1:sa1',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:ns1', 'system:authenticated'],
  });
});

test('a service account impersonated with groups has only those and system:authenticated', async () => {
  const info = ok(await whoami((await admin()).as('system:serviceaccount:ns1:sa1', 'mine')), 201).status?.userInfo;
  assert.deepEqual(info?.groups, ['mine', 'system:authenticated']);
});

test('anonymous can be impersonated and is unauthenticated', async () => {
  const answer = await whoami((await admin()).as('system:anonymous'));
  refused(answer, 403, 'Forbidden', /User "system:anonymous" cannot create resource "selfsubjectreviews"/);
});

test('groups without a user are refused', async () => {
  const answer = await whoami(headers(await admin(), { 'Impersonate-Group': 'one' }));
  refused(answer, 400, 'BadRequest', /^requested .* without impersonating a user name$/);
});

test('a uid without a user is refused', async () => {
  const answer = await whoami(headers(await admin(), { 'Impersonate-Uid': 'u-1' }));
  refused(answer, 400, 'BadRequest', /^requested .* without impersonating a user name$/);
});

test('an empty user name impersonates nobody', async () => {
  const info = ok(await whoami(headers(await admin(), { 'Impersonate-User': '' })), 201).status?.userInfo;
  assert.equal(info?.username, 'kubernetes-admin');
});

test('impersonation needs the verb impersonate on the user', async () => {
  const [api, user] = [await admin(), unique('user')];
  const token = await serviceAccountToken(await namespace(), 'sa');
  const sa = api.with({ token, headers: {} });
  const answer = await whoami(sa.as(user));
  refused(answer, 403, 'Forbidden', / is forbidden: User "system:serviceaccount:[^"]+:sa" cannot impersonate/);
});

test('a grant on one name lets that user be impersonated, without groups', async () => {
  const [api, ns, user] = [await admin(), await namespace(), unique('user')];
  const sa = api.with({ token: await serviceAccountToken(ns, 'sa'), headers: {} });
  const subject = { kind: 'ServiceAccount', namespace: ns, name: 'sa' };
  await grantEverywhere(subject, [
    { apiGroups: [''], resources: ['users'], resourceNames: [user], verbs: ['impersonate'] },
  ]);
  const info = await eventually(async () => ok(await whoami(sa.as(user)), 201).status?.userInfo);
  assert.equal(info?.username, user);
  refused(await whoami(sa.as('other')), 403, 'Forbidden');
  refused(
    await whoami(sa.as(user, 'system:masters')),
    403,
    'Forbidden',
    / is forbidden: User "system:serviceaccount:[^"]+:sa" cannot impersonate/,
  );
});

test('a service account is impersonated by a grant on serviceaccounts in its namespace', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const sa = api.with({ token: await serviceAccountToken(ns, 'boss'), headers: {} });
  const { grant } = await import('./identities.ts');
  await grant(ns, { kind: 'ServiceAccount', namespace: ns, name: 'boss' }, [
    { apiGroups: [''], resources: ['serviceaccounts'], resourceNames: ['worker'], verbs: ['impersonate'] },
  ]);
  const info = await eventually(
    async () => ok(await whoami(sa.as(`system:serviceaccount:${ns}:worker`)), 201).status?.userInfo,
  );
  assert.equal(info?.username, `system:serviceaccount:${ns}:worker`);
  refused(await whoami(sa.as(`system:serviceaccount:${ns}:other`)), 403, 'Forbidden', / cannot impersonate/);
  refused(await whoami(sa.as('system:serviceaccount:default:worker')), 403, 'Forbidden');
});

test('extra needs a grant on userextras', async () => {
  const [api, ns, user] = [await admin(), await namespace(), unique('user')];
  const sa = api.with({ token: await serviceAccountToken(ns, 'sa'), headers: {} });
  await grantEverywhere({ kind: 'ServiceAccount', namespace: ns, name: 'sa' }, [
    { apiGroups: [''], resources: ['users'], verbs: ['impersonate'] },
  ]);
  await eventually(async () => ok(await whoami(sa.as(user)), 201));
  const answer = await whoami(sa.with({ headers: { 'Impersonate-User': user, 'Impersonate-Extra-Scopes': 'x' } }));
  refused(answer, 403, 'Forbidden', / cannot impersonate/);
});

test('system:masters may do everything whatever the roles say', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.as('someone', 'system:masters').get(`/api/v1/namespaces/${ns}/secrets`));
  assert.notEqual((await api.as('someone', 'system:masters').get('/logs')).status, 403);
});
