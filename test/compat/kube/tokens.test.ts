import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Doc, items, text } from '../../support/raw-client.ts';
import { admin, configMap, configMaps, eventually, namespace, ok, refused, unique } from './cluster.ts';
import { core, grant, serviceAccountToken } from './identities.ts';

const claims = (token: string): Doc =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Doc; // a JWT's middle
const review = (token: string, spec: object = {}): object => ({
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenReview',
  spec: { token, ...spec },
});
const reviews = '/apis/authentication.k8s.io/v1/tokenreviews';

test('a token of a service account makes its bearer that service account', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const token = await serviceAccountToken(ns, 'sa');
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const info = ok(
    await api.with({ token }).create(path, { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
    201,
  ).status?.userInfo;
  assert.equal(info?.username, `system:serviceaccount:${ns}:sa`);
  assert.deepEqual(info?.groups, ['system:serviceaccounts', `system:serviceaccounts:${ns}`, 'system:authenticated']);
  assert.match(text(info?.uid), /^[0-9a-f-]{36}$/);
});

test('a token says issuer, subject, audience, account and times', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const said = claims(await serviceAccountToken(ns, 'sa'));
  const account = ok(await api.get(`/api/v1/namespaces/${ns}/serviceaccounts/sa`));
  assert.equal(said.sub, `system:serviceaccount:${ns}:sa`);
  assert.equal(said.iss, 'https://kubernetes.default.svc.cluster.local');
  assert.deepEqual(said.aud, ['https://kubernetes.default.svc.cluster.local']);
  assert.deepEqual(said['kubernetes.io']?.serviceaccount, { name: 'sa', uid: account.metadata?.uid });
  assert.equal(said['kubernetes.io']?.namespace, ns);
  assert.equal(Number(said.exp) - Number(said.iat), 3600);
});

test('a token request answers with its expiry', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const path = `/api/v1/namespaces/${ns}/serviceaccounts`;
  ok(await api.create(path, { metadata: { name: 'sa' } }), 201);
  const made = ok(
    await api.create(`${path}/sa/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: 7200 },
    }),
    201,
  );
  assert.equal(made.kind, 'TokenRequest');
  assert.equal(made.spec?.expirationSeconds, 7200);
  assert.match(text(made.status?.expirationTimestamp), /Z$/);
  const said = claims(text(made.status?.token));
  assert.equal(Number(said.exp) - Number(said.iat), 7200);
});

test('a token for less than ten minutes is refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const path = `/api/v1/namespaces/${ns}/serviceaccounts`;
  ok(await api.create(path, { metadata: { name: 'sa' } }), 201);
  const answer = await api.create(`${path}/sa/token`, { spec: { expirationSeconds: 60 } });
  refused(
    answer,
    422,
    'Invalid',
    /spec\.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes$/,
  );
});

test('a token of an account that is not there is refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(`/api/v1/namespaces/${ns}/serviceaccounts/ghost/token`, { spec: {} });
  refused(answer, 404, 'NotFound', 'serviceaccounts "ghost" not found');
});

test('a token for another audience does not open the API', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const token = await serviceAccountToken(ns, 'sa', { audiences: ['vault'] });
  assert.deepEqual(claims(token).aud, ['vault']);
  refused(await api.with({ token }).get('/api'), 401, 'Unauthorized', 'Unauthorized');
});

test('a broken, a foreign and an empty token answer 401', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const token = await serviceAccountToken(ns, 'sa');
  const parts = token.split('.');
  const forged = [
    parts[0],
    Buffer.from(JSON.stringify({ ...claims(token), sub: 'system:serviceaccount:kube-system:x' })).toString('base64url'),
    parts[2],
  ].join('.');
  const unsigned = [Buffer.from('{"alg":"none"}').toString('base64url'), parts[1], ''].join('.');
  for (const bad of ['garbage', `${token.slice(0, -6)}AAAAAA`, forged, unsigned])
    refused(await api.with({ token: bad }).get('/api/v1/namespaces'), 401, 'Unauthorized', 'Unauthorized');
});

test('without a token one is system:anonymous, and refused', async () => {
  const api = (await admin()).with({ token: undefined });
  refused(
    await api.get('/api/v1/namespaces'),
    403,
    'Forbidden',
    'namespaces is forbidden: User "system:anonymous" cannot list resource "namespaces" in API group "" at the cluster scope',
  );
});

test('anonymous may read the version and the health', async () => {
  const api = (await admin()).with({ token: undefined });
  for (const path of ['/version', '/healthz', '/livez', '/readyz'])
    assert.equal((await api.get(path)).status, 200, path);
});

test('a deleted service account takes its tokens with it', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const token = await serviceAccountToken(ns, 'sa');
  assert.equal((await api.with({ token }).get('/api')).status, 200);
  ok(await api.delete(`/api/v1/namespaces/${ns}/serviceaccounts/sa`));
  await eventually(async () => refused(await api.with({ token }).get('/api'), 401, 'Unauthorized'));
  ok(await api.create(`/api/v1/namespaces/${ns}/serviceaccounts`, { metadata: { name: 'sa' } }), 201);
  refused(await api.with({ token }).get('/api'), 401, 'Unauthorized');
});

test('a token bound to a secret dies with it', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const secret = ok(await api.create(`/api/v1/namespaces/${ns}/secrets`, { metadata: { name: 'bound' } }), 201);
  const token = await serviceAccountToken(ns, 'sa', {
    boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'bound', uid: secret.metadata?.uid },
  });
  assert.equal((await api.with({ token }).get('/api')).status, 200);
  ok(await api.delete(`/api/v1/namespaces/${ns}/secrets/bound`));
  await eventually(async () => refused(await api.with({ token }).get('/api'), 401, 'Unauthorized'));
});

test('a token review tells who a token belongs to', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const token = await serviceAccountToken(ns, 'sa');
  const status = ok(await api.create(reviews, review(token)), 201).status;
  assert.equal(status?.authenticated, true);
  assert.equal(status?.user?.username, `system:serviceaccount:${ns}:sa`);
  assert.deepEqual(status?.audiences, ['https://kubernetes.default.svc.cluster.local']);
});

test('a token review of a bad token says so without an error code', async () => {
  const api = await admin();
  const status = ok(await api.create(reviews, review('garbage')), 201).status;
  assert.equal(status?.authenticated, undefined);
  assert.notEqual(text(status?.error), '');
});

test('a token review for other audiences than the token’s fails', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const token = await serviceAccountToken(ns, 'sa', { audiences: ['vault'] });
  assert.equal(ok(await api.create(reviews, review(token, { audiences: ['vault'] })), 201).status?.authenticated, true);
  assert.equal(ok(await api.create(reviews, review(token)), 201).status?.authenticated, undefined);
});

test('a grant to a service account works for its token', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const token = await serviceAccountToken(ns, 'sa');
  const me = api.with({ token });
  refused(
    await me.get(configMaps(ns)),
    403,
    'Forbidden',
    `configmaps is forbidden: User "system:serviceaccount:${ns}:sa" cannot list resource "configmaps" in API group "" in the namespace "${ns}"`,
  );
  await grant(ns, { kind: 'ServiceAccount', name: 'sa', namespace: ns }, [core(['list', 'create'], ['configmaps'])]);
  await eventually(async () => ok(await me.get(configMaps(ns))));
  ok(await me.create(configMaps(ns), configMap('a')), 201);
});

test('a grant to the group of a namespace’s service accounts works for each', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const token = await serviceAccountToken(ns, unique('sa'));
  await grant(ns, { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: `system:serviceaccounts:${ns}` }, [
    core(['list'], ['configmaps']),
  ]);
  await eventually(async () => ok(await api.with({ token }).get(configMaps(ns))));
});

test('a secret of the token type is filled in for its account', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(`/api/v1/namespaces/${ns}/serviceaccounts`, { metadata: { name: 'sa' } }), 201);
  const secret = {
    metadata: { name: 's', annotations: { 'kubernetes.io/service-account.name': 'sa' } },
    type: 'kubernetes.io/service-account-token',
  };
  ok(await api.create(`/api/v1/namespaces/${ns}/secrets`, secret), 201);
  const filled = await eventually(async () => {
    const got = ok(await api.get(`/api/v1/namespaces/${ns}/secrets/s`));
    assert.notEqual(got.data?.token, undefined);
    return got;
  });
  const token = Buffer.from(text(filled.data?.token), 'base64').toString();
  assert.equal((await api.with({ token }).get('/api')).status, 200);
  assert.equal(Buffer.from(text(filled.data?.namespace), 'base64').toString(), ns);
  assert.deepEqual(items(filled.metadata?.ownerReferences), []);
});
