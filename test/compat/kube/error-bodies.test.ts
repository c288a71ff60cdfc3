import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Answer, RawClient } from '../../support/raw-client.ts';
import { admin, configMap, configMaps, namespace, ok } from './cluster.ts';
import { rbac } from './identities.ts';

let ns = '';

before(async () => {
  ns = await namespace();
  ok(await (await admin()).create(configMaps(ns), configMap('there', { k: 'v' })), 201);
});

const roles = (): string => `${rbac}/namespaces/${ns}/roles`;
const deployments = (): string => `/apis/apps/v1/namespaces/${ns}/deployments`;

interface Case {
  readonly title: string;
  readonly ask: (api: RawClient) => Promise<Answer>;
  readonly status: () => object;
}

const cases: Case[] = [
  {
    title: 'not found, core group',
    ask: (api) => api.get(configMaps(ns, 'none')),
    status: () => ({
      message: 'configmaps "none" not found',
      reason: 'NotFound',
      details: { name: 'none', kind: 'configmaps' },
      code: 404,
    }),
  },
  {
    title: 'not found, named group',
    ask: (api) => api.get(`${deployments()}/none`),
    status: () => ({
      message: 'deployments.apps "none" not found',
      reason: 'NotFound',
      details: { name: 'none', group: 'apps', kind: 'deployments' },
      code: 404,
    }),
  },
  {
    title: 'not found, cluster scope',
    ask: (api) => api.get('/api/v1/namespaces/never-made'),
    status: () => ({
      message: 'namespaces "never-made" not found',
      reason: 'NotFound',
      details: { name: 'never-made', kind: 'namespaces' },
      code: 404,
    }),
  },
  {
    title: 'not found, by patch, put and delete alike',
    ask: (api) => api.mergePatch(configMaps(ns, 'none'), {}),
    status: () => ({
      message: 'configmaps "none" not found',
      reason: 'NotFound',
      details: { name: 'none', kind: 'configmaps' },
      code: 404,
    }),
  },
  {
    title: 'no such resource',
    ask: (api) => api.get(`/apis/apps/v1/namespaces/${ns}/nosuch`),
    status: () => ({
      message: 'the server could not find the requested resource',
      reason: 'NotFound',
      details: {},
      code: 404,
    }),
  },
  {
    title: 'already exists, named group',
    ask: async (api) => {
      const role = { metadata: { name: 'twice' }, rules: [] };
      await api.create(roles(), role);
      return api.create(roles(), role);
    },
    status: () => ({
      message: 'roles.rbac.authorization.k8s.io "twice" already exists',
      reason: 'AlreadyExists',
      details: { name: 'twice', group: 'rbac.authorization.k8s.io', kind: 'roles' },
      code: 409,
    }),
  },
  {
    title: 'forbidden for a named object',
    ask: (api) => api.as('nobody').delete(configMaps(ns, 'there')),
    status: () => ({
      message: `configmaps "there" is forbidden: User "nobody" cannot delete resource "configmaps" in API group "" in the namespace "${ns}"`,
      reason: 'Forbidden',
      details: { name: 'there', kind: 'configmaps' },
      code: 403,
    }),
  },
  {
    title: 'forbidden for a list in a named group',
    ask: (api) => api.as('nobody').get(deployments()),
    status: () => ({
      message: `deployments.apps is forbidden: User "nobody" cannot list resource "deployments" in API group "apps" in the namespace "${ns}"`,
      reason: 'Forbidden',
      details: { group: 'apps', kind: 'deployments' },
      code: 403,
    }),
  },
  {
    title: 'forbidden for a path that is no resource',
    ask: (api) => api.as('nobody').get('/logs'),
    status: () => ({
      message: 'forbidden: User "nobody" cannot get path "/logs"',
      reason: 'Forbidden',
      details: {},
      code: 403,
    }),
  },
  {
    title: 'unauthorized',
    ask: (api) => api.with({ token: 'nonsense' }).get(configMaps(ns)),
    status: () => ({ message: 'Unauthorized', reason: 'Unauthorized', code: 401 }),
  },
  {
    title: 'invalid, with one cause per fault',
    ask: (api) =>
      api.create(roles(), { metadata: { name: 'r' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: [] }] }),
    status: () => ({
      message:
        'Role.rbac.authorization.k8s.io "r" is invalid: rules[0].verbs: Required value: verbs must contain at least one value',
      reason: 'Invalid',
      details: {
        name: 'r',
        group: 'rbac.authorization.k8s.io',
        kind: 'Role',
        causes: [
          {
            reason: 'FieldValueRequired',
            message: 'Required value: verbs must contain at least one value',
            field: 'rules[0].verbs',
          },
        ],
      },
      code: 422,
    }),
  },
  {
    title: 'conflict of an old resourceVersion',
    ask: (api) => api.mergePatch(configMaps(ns, 'there'), { metadata: { resourceVersion: '1' }, data: { k: 'w' } }),
    status: () => ({
      message:
        'Operation cannot be fulfilled on configmaps "there": the object has been modified; please apply your changes to the latest version and try again',
      reason: 'Conflict',
      details: { name: 'there', kind: 'configmaps' },
      code: 409,
    }),
  },
  {
    title: 'method not allowed',
    ask: (api) => api.send('POST', configMaps(ns, 'there'), { body: configMap('there') }),
    status: () => ({
      message: 'the server does not allow this method on the requested resource',
      reason: 'MethodNotAllowed',
      details: {},
      code: 405,
    }),
  },
  {
    title: 'a body that is no JSON',
    ask: (api) => api.create(configMaps(ns), '{'),
    status: () => ({
      message:
        "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input ({)",
      reason: 'BadRequest',
      code: 400,
    }),
  },
];

for (const { title, ask, status } of cases)
  test(`the whole body of a refusal: ${title}`, async () => {
    const answer = await ask(await admin());
    const expected = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...status() };
    assert.deepEqual(answer.body, expected);
    assert.equal(answer.status, (status() as { code: number }).code); // every case has one
    assert.match(String(answer.headers['content-type']), /^application\/json/);
  });

test('answers say they may not be cached and carry an audit id', async () => {
  const answer = await (await admin()).get(configMaps(ns, 'there'));
  assert.equal(answer.headers['cache-control'], 'no-cache, private');
  assert.match(String(answer.headers['audit-id']), /^[0-9a-f-]{36}$/);
  assert.equal(answer.headers['content-type'], 'application/json');
});

test('objects in answers begin with kind and apiVersion', async () => {
  const api = await admin();
  assert.match(
    (await api.get(configMaps(ns, 'there'))).text,
    /^\{"kind":"ConfigMap","apiVersion":"v1","metadata":\{"name":"there",/,
  );
  assert.match(
    (await api.get(configMaps(ns))).text,
    /^\{"kind":"ConfigMapList","apiVersion":"v1","metadata":\{"resourceVersion":/,
  );
});
