import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text } from '../../support/raw-client.ts';
import { admin, eventually, namespace, ok, refused, unique } from './cluster.ts';
import { core, grant, grantEverywhere, rbac } from './identities.ts';

const manage = (verbs: string[] = []): { apiGroups: string[]; resources: string[]; verbs: string[] } => ({
  apiGroups: ['rbac.authorization.k8s.io'],
  resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
  verbs: ['get', 'create', 'update', 'patch', 'delete', ...verbs],
});
const bindingTo = (name: string, kind = 'Role'): object => ({
  metadata: { name: unique('b') },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'friend' }],
});

async function manager(extra: string[] = [], own: ReturnType<typeof core>[] = []) {
  const [api, ns, user] = [await admin(), await namespace(), unique('user')];
  await grant(ns, user, [manage(extra), ...own]);
  const me = api.as(user);
  await eventually(async () => refused(await me.get(`${rbac}/namespaces/${ns}/roles/none`), 404, 'NotFound'));
  return {
    api,
    me,
    ns,
    user,
    roles: `${rbac}/namespaces/${ns}/roles`,
    bindings: `${rbac}/namespaces/${ns}/rolebindings`,
  };
}

test('a role with more than one’s own rights cannot be created', async () => {
  const { me, roles, user } = await manager();
  const answer = await me.create(roles, { metadata: { name: 'more' }, rules: [core(['get'], ['secrets'])] });
  refused(
    answer,
    403,
    'Forbidden',
    `roles.rbac.authorization.k8s.io "more" is forbidden: user "${user}" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`,
  );
});

test('a role with one’s own rights can be created', async () => {
  const { me, roles } = await manager([], [core(['get', 'list'], ['configmaps'])]);
  await eventually(async () =>
    ok(await me.create(roles, { metadata: { name: 'same' }, rules: [core(['get'], ['configmaps'])] }), 201),
  );
});

test('several missing rights are listed', async () => {
  const { me, roles } = await manager();
  const answer = await me.create(roles, {
    metadata: { name: 'more' },
    rules: [core(['get', 'list'], ['secrets', 'pods'])],
  });
  refused(answer, 403, 'Forbidden', /not currently held:\n/);
  assert.match(text(answer.body.message), /\{APIGroups:\[""\], Resources:\["pods"\], Verbs:\["get" "list"\]\}/);
  assert.match(text(answer.body.message), /\{APIGroups:\[""\], Resources:\["secrets"\], Verbs:\["get" "list"\]\}/);
});

test('a role beyond one’s own rights cannot be changed, only let go', async () => {
  const { api, me, roles } = await manager();
  ok(await api.create(roles, { metadata: { name: 'r' }, rules: [core(['get', 'list'], ['secrets'])] }), 201);
  refused(
    await me.mergePatch(`${roles}/r`, { rules: [core(['get', 'list', 'create'], ['secrets'])] }),
    403,
    'Forbidden',
  );
  refused(await me.mergePatch(`${roles}/r`, { rules: [core(['get'], ['secrets'])] }), 403, 'Forbidden');
  refused(await me.mergePatch(`${roles}/r`, { metadata: { labels: { a: 'b' } } }), 403, 'Forbidden');
  ok(await me.mergePatch(`${roles}/r`, { metadata: { finalizers: ['e.com/x'] } }));
  ok(await me.mergePatch(`${roles}/r`, { metadata: { finalizers: null } }));
  ok(await me.delete(`${roles}/r`));
});

test('the verb escalate lifts the check for roles', async () => {
  const { me, roles } = await manager(['escalate']);
  ok(await me.create(roles, { metadata: { name: 'more' }, rules: [core(['*'], ['*'])] }), 201);
});

test('a binding to a role one does not hold cannot be created', async () => {
  const { api, me, roles, bindings, user } = await manager();
  ok(await api.create(roles, { metadata: { name: 'strong' }, rules: [core(['get'], ['secrets'])] }), 201);
  const answer = await eventually(async () => {
    const tried = await me.create(bindings, bindingTo('strong'));
    assert.doesNotMatch(text(tried.body.message), /not found/);
    return tried;
  });
  refused(
    answer,
    403,
    'Forbidden',
    new RegExp(
      `^rolebindings\\.rbac\\.authorization\\.k8s\\.io "[^"]+" is forbidden: user "${user}" \\(groups=\\["system:authenticated"\\]\\) is attempting to grant RBAC permissions not currently held:\\n\\{APIGroups:\\[""\\], Resources:\\["secrets"\\], Verbs:\\["get"\\]\\}$`,
    ),
  );
});

test('a binding to cluster-admin cannot be created by a namespace’s manager', async () => {
  const { me, bindings } = await manager();
  refused(
    await me.create(bindings, bindingTo('cluster-admin', 'ClusterRole')),
    403,
    'Forbidden',
    /\{APIGroups:\["\*"\], Resources:\["\*"\], Verbs:\["\*"\]\}/,
  );
});

test('a binding to a role that is not there cannot be created by who cannot bind', async () => {
  const { me, bindings } = await manager();
  refused(
    await me.create(bindings, bindingTo('ghost')),
    404,
    'NotFound',
    'rolebindings.rbac.authorization.k8s.io "ghost" not found',
  );
});

test('the verb bind lifts the check for the roles it names', async () => {
  const { api, me, ns, user, roles, bindings } = await manager();
  for (const name of ['strong', 'stronger'])
    ok(await api.create(roles, { metadata: { name }, rules: [core(['get'], ['secrets'])] }), 201);
  await grant(ns, user, [
    { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], resourceNames: ['strong'], verbs: ['bind'] },
  ]);
  await eventually(async () => ok(await me.create(bindings, bindingTo('strong')), 201));
  refused(await me.create(bindings, bindingTo('stronger')), 403, 'Forbidden');
});

test('cluster roles are checked against rights over the whole cluster', async () => {
  const [api, user] = [await admin(), unique('user')];
  await grantEverywhere(user, [manage(), core(['get'], ['configmaps'])]);
  const me = api.as(user);
  await eventually(async () =>
    ok(
      await me.create(`${rbac}/clusterroles`, {
        metadata: { name: unique('ok') },
        rules: [core(['get'], ['configmaps'])],
      }),
      201,
    ),
  );
  refused(
    await me.create(`${rbac}/clusterroles`, {
      metadata: { name: unique('no') },
      rules: [core(['list'], ['configmaps'])],
    }),
    403,
    'Forbidden',
  );
  refused(
    await me.create(`${rbac}/clusterroles`, {
      metadata: { name: unique('no') },
      rules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }],
    }),
    403,
    'Forbidden',
  );
});

test('an aggregation rule needs full rights', async () => {
  const [api, user] = [await admin(), unique('user')];
  await grantEverywhere(user, [manage()]);
  const body = {
    metadata: { name: unique('agg') },
    rules: [],
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { x: 'y' } }] },
  };
  await eventually(async () => refused(await api.as(user).get(`${rbac}/clusterroles/none-such`), 404, 'NotFound'));
  refused(
    await api.as(user).create(`${rbac}/clusterroles`, body),
    403,
    'Forbidden',
    /must have cluster-admin privileges to use the aggregationRule$/,
  );
});

test('an apply of a role is checked too', async () => {
  const { me, roles } = await manager();
  const body = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'more' },
    rules: [core(['get'], ['secrets'])],
  };
  refused(await me.apply(`${roles}/more`, 'm', body), 403, 'Forbidden', /not currently held/);
});

test('a dry run of a role is checked too', async () => {
  const { me, roles } = await manager();
  const body = { metadata: { name: 'more' }, rules: [core(['get'], ['secrets'])] };
  refused(await me.create(roles, body, { query: { dryRun: 'All' } }), 403, 'Forbidden', /not currently held/);
});
