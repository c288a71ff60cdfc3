import assert from 'node:assert/strict';
import { test } from 'node:test';
import { items, text } from '../../support/raw-client.ts';
import { admin, eventually, namespace, ok, refused, unique } from './cluster.ts';
import { core, grant } from './identities.ts';

const base = '/apis/authorization.k8s.io/v1';
const body = (kind: string, spec: object, more: object = {}): object => ({
  apiVersion: 'authorization.k8s.io/v1',
  kind,
  ...more,
  spec,
});

test('a self review tells what one may do', async () => {
  const [api, ns, user] = [await admin(), await namespace(), unique('user')];
  await grant(ns, user, [core(['get'], ['configmaps'])]);
  const ask = async (resourceAttributes: object): Promise<unknown> =>
    ok(
      await api
        .as(user)
        .create(`${base}/selfsubjectaccessreviews`, body('SelfSubjectAccessReview', { resourceAttributes })),
      201,
    ).status?.allowed;
  await eventually(async () => assert.equal(await ask({ namespace: ns, verb: 'get', resource: 'configmaps' }), true));
  assert.equal(await ask({ namespace: ns, verb: 'list', resource: 'configmaps' }), false);
  assert.equal(await ask({ verb: 'get', resource: 'configmaps' }), false);
  assert.equal(await ask({ namespace: ns, verb: 'get', resource: 'configmaps', name: 'any' }), true);
  assert.equal(await ask({ namespace: ns, verb: 'get', resource: 'configmaps', subresource: 'x' }), false);
});

test('an allowed review names the binding and the role', async () => {
  const [api, ns, user] = [await admin(), await namespace(), unique('user')];
  const role = await grant(ns, user, [core(['get'], ['configmaps'])]);
  const spec = { resourceAttributes: { namespace: ns, verb: 'get', resource: 'configmaps' } };
  const status = await eventually(async () => {
    const got = ok(
      await api.as(user).create(`${base}/selfsubjectaccessreviews`, body('SelfSubjectAccessReview', spec)),
      201,
    ).status;
    assert.equal(got?.allowed, true);
    return got;
  });
  assert.match(
    text(status?.reason),
    new RegExp(`^RBAC: allowed by RoleBinding "[^"]+/${ns}" of Role "${role}" to User "${user}"$`),
  );
});

test('a subject review asks about others, by user and groups', async () => {
  const [api, ns, group] = [await admin(), await namespace(), unique('team')];
  await grant(ns, { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }, [
    core(['get'], ['configmaps']),
  ]);
  const ask = async (groups: string[]): Promise<unknown> => {
    const spec = {
      user: 'someone',
      groups,
      resourceAttributes: { namespace: ns, verb: 'get', resource: 'configmaps' },
    };
    return ok(await api.create(`${base}/subjectaccessreviews`, body('SubjectAccessReview', spec)), 201).status?.allowed;
  };
  await eventually(async () => assert.equal(await ask([group]), true));
  assert.equal(await ask([]), false);
});

test('a subject review needs its own right', async () => {
  const api = await admin();
  const spec = { user: 'x', resourceAttributes: { verb: 'get', resource: 'pods' } };
  refused(
    await api.as('nobody').create(`${base}/subjectaccessreviews`, body('SubjectAccessReview', spec)),
    403,
    'Forbidden',
  );
});

test('a local review is about its own namespace', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const path = `${base}/namespaces/${ns}/localsubjectaccessreviews`;
  const spec = { user: 'x', resourceAttributes: { namespace: ns, verb: 'get', resource: 'pods' } };
  const review = body('LocalSubjectAccessReview', spec, { metadata: { namespace: ns } });
  assert.equal(ok(await api.create(path, review), 201).status?.allowed, false);
  const other = body(
    'LocalSubjectAccessReview',
    { ...spec, resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } },
    { metadata: { namespace: ns } },
  );
  refused(await api.create(path, other), 422, 'Invalid');
});

test('a review of a path that is no resource works', async () => {
  const api = await admin();
  const ask = async (path: string): Promise<unknown> =>
    ok(
      await api
        .as('x')
        .create(
          `${base}/selfsubjectaccessreviews`,
          body('SelfSubjectAccessReview', { nonResourceAttributes: { path, verb: 'get' } }),
        ),
      201,
    ).status?.allowed;
  assert.equal(await ask('/version'), true);
  assert.equal(await ask('/metrics'), false);
});

test('a review with both kinds of attributes, or none, is refused', async () => {
  const api = await admin();
  const both = {
    resourceAttributes: { verb: 'get', resource: 'pods' },
    nonResourceAttributes: { path: '/x', verb: 'get' },
  };
  refused(await api.create(`${base}/selfsubjectaccessreviews`, body('SelfSubjectAccessReview', both)), 422, 'Invalid');
  refused(await api.create(`${base}/selfsubjectaccessreviews`, body('SelfSubjectAccessReview', {})), 422, 'Invalid');
});

test('a star verb and resource asks for everything', async () => {
  const [api, ns, user] = [await admin(), await namespace(), unique('user')];
  await grant(ns, user, [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]);
  const all = { resourceAttributes: { namespace: ns, verb: '*', group: '*', resource: '*' } };
  await eventually(async () =>
    assert.equal(
      ok(await api.as(user).create(`${base}/selfsubjectaccessreviews`, body('SelfSubjectAccessReview', all)), 201)
        .status?.allowed,
      true,
    ),
  );
  const everywhere = { resourceAttributes: { verb: '*', group: '*', resource: '*' } };
  assert.equal(
    ok(await api.as(user).create(`${base}/selfsubjectaccessreviews`, body('SelfSubjectAccessReview', everywhere)), 201)
      .status?.allowed,
    false,
  );
});

test('the rules of a user in a namespace are listed', async () => {
  const [api, ns, user] = [await admin(), await namespace(), unique('user')];
  await grant(ns, user, [core(['get', 'list'], ['configmaps'], ['a'])]);
  const path = `${base}/selfsubjectrulesreviews`;
  const status = await eventually(async () => {
    const got = ok(await api.as(user).create(path, body('SelfSubjectRulesReview', { namespace: ns })), 201).status;
    const mine = { verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'] };
    assert.deepEqual(
      items(got?.resourceRules).filter((rule) => rule.resourceNames !== undefined),
      [mine],
    );
    return got;
  });
  assert.equal(status?.incomplete, false);
  assert.ok(items(status?.nonResourceRules).length > 0);
});

test('a rules review needs a namespace', async () => {
  const api = await admin();
  refused(
    await api.create(`${base}/selfsubjectrulesreviews`, body('SelfSubjectRulesReview', {})),
    400,
    'BadRequest',
    'no namespace on request',
  );
});

test('system:masters is allowed everything in reviews', async () => {
  const api = await admin();
  const spec = {
    user: 'x',
    groups: ['system:masters'],
    resourceAttributes: { verb: 'anything', resource: 'whatever' },
  };
  assert.equal(
    ok(await api.create(`${base}/subjectaccessreviews`, body('SubjectAccessReview', spec)), 201).status?.allowed,
    true,
  );
});
