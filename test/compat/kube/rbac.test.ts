import assert from 'node:assert/strict';
import { test } from 'node:test';
import { items, text } from '../../support/raw-client.ts';
import { admin, configMap, configMaps, eventually, namespace, ok, refused, unique } from './cluster.ts';
import { customKind } from './crds.ts';
import { bind, core, grant, grantEverywhere, rbac } from './identities.ts';

test('without a grant a user is refused with who, what and where', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.as('nobody').get(configMaps(ns, 'a'));
  refused(
    answer,
    403,
    'Forbidden',
    `configmaps "a" is forbidden: User "nobody" cannot get resource "configmaps" in API group "" in the namespace "${ns}"`,
  );
  assert.deepEqual(answer.body.details, { name: 'a', kind: 'configmaps' });
});

test('refusals name the group, the subresource and the cluster scope', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const nobody = api.as('nobody');
  refused(
    await nobody.get(`/apis/apps/v1/namespaces/${ns}/deployments/d/status`),
    403,
    'Forbidden',
    `deployments.apps "d" is forbidden: User "nobody" cannot get resource "deployments/status" in API group "apps" in the namespace "${ns}"`,
  );
  refused(
    await nobody.get('/api/v1/nodes'),
    403,
    'Forbidden',
    'nodes is forbidden: User "nobody" cannot list resource "nodes" in API group "" at the cluster scope',
  );
  refused(
    await nobody.create(configMaps(ns), configMap('a')),
    403,
    'Forbidden',
    `configmaps is forbidden: User "nobody" cannot create resource "configmaps" in API group "" in the namespace "${ns}"`,
  );
});

test('refusals of paths that are no resources name the path', async () => {
  refused(
    await (await admin()).as('nobody').get('/metrics'),
    403,
    'Forbidden',
    'forbidden: User "nobody" cannot get path "/metrics"',
  );
});

test('a role grants its verbs in its namespace only', async () => {
  const [api, ns, other] = [await admin(), await namespace(), await namespace()];
  const user = unique('user');
  await grant(ns, user, [core(['get', 'list'], ['configmaps'])]);
  const me = api.as(user);
  await eventually(async () => ok(await me.get(configMaps(ns))));
  refused(await me.create(configMaps(ns), configMap('a')), 403, 'Forbidden');
  refused(await me.get(configMaps(other)), 403, 'Forbidden');
  refused(await me.get('/api/v1/configmaps'), 403, 'Forbidden');
});

test('a cluster role bound in a namespace grants there only', async () => {
  const [api, ns, other] = [await admin(), await namespace(), await namespace()];
  const [user, name] = [unique('user'), unique('cr')];
  ok(await api.create(`${rbac}/clusterroles`, { metadata: { name }, rules: [core(['list'], ['configmaps'])] }), 201);
  await bind(`${rbac}/namespaces/${ns}/rolebindings`, name, 'ClusterRole', user);
  await eventually(async () => ok(await api.as(user).get(configMaps(ns))));
  refused(await api.as(user).get(configMaps(other)), 403, 'Forbidden');
});

test('a cluster role bound to a group grants everywhere to its members', async () => {
  const [api, ns, group] = [await admin(), await namespace(), unique('team')];
  await grantEverywhere({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }, [
    core(['list'], ['configmaps']),
  ]);
  await eventually(async () => ok(await api.as('anyone', group).get(configMaps(ns))));
  ok(await api.as('anyone', group).get('/api/v1/configmaps'));
  refused(await api.as('anyone', 'other').get(configMaps(ns)), 403, 'Forbidden');
});

test('resourceNames narrow a grant to objects by name', async () => {
  const [api, ns, user] = [await admin(), await namespace(), unique('user')];
  for (const name of ['mine', 'theirs']) ok(await api.create(configMaps(ns), configMap(name)), 201);
  await grant(ns, user, [
    core(['get', 'list', 'watch', 'update', 'create', 'deletecollection'], ['configmaps'], ['mine']),
  ]);
  const me = api.as(user);
  await eventually(async () => ok(await me.get(configMaps(ns, 'mine'))));
  refused(await me.get(configMaps(ns, 'theirs')), 403, 'Forbidden');
  refused(await me.get(configMaps(ns)), 403, 'Forbidden');
  refused(await me.create(configMaps(ns), configMap('mine')), 403, 'Forbidden');
});

test('resourceNames allow a list and a watch by that name', async () => {
  const [api, ns, user] = [await admin(), await namespace(), unique('user')];
  ok(await api.create(configMaps(ns), configMap('mine')), 201);
  await grant(ns, user, [core(['list', 'watch'], ['configmaps'], ['mine'])]);
  const query = { fieldSelector: 'metadata.name=mine' };
  const list = await eventually(async () => ok(await api.as(user).get(configMaps(ns), { query })));
  assert.equal(items(list.items).length, 1);
  const watch = await api.as(user).watch(configMaps(ns), query);
  assert.equal((await watch.next())?.type, 'ADDED');
  watch.close();
});

test('a subresource needs its own grant', async () => {
  const [api, ns, user] = [await admin(), await namespace(), unique('user')];
  const kind = await customKind(
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    { subresources: { status: {} } },
  );
  ok(await api.create(kind.path(ns), kind.object('w')), 201);
  await grant(ns, user, [{ apiGroups: [kind.group], resources: ['widgets'], verbs: ['*'] }]);
  await eventually(async () => ok(await api.as(user).get(kind.path(ns, 'w'))));
  const answer = await api.as(user).mergePatch(`${kind.path(ns, 'w')}/status`, { status: {} });
  refused(
    answer,
    403,
    'Forbidden',
    `widgets.${kind.group} "w" is forbidden: User "${user}" cannot patch resource "widgets/status" in API group "${kind.group}" in the namespace "${ns}"`,
  );
  await grant(ns, user, [{ apiGroups: [kind.group], resources: ['widgets/status'], verbs: ['patch'] }]);
  await eventually(async () => ok(await api.as(user).mergePatch(`${kind.path(ns, 'w')}/status`, { status: {} })));
});

test('a star grants every resource, subresource and verb of its groups', async () => {
  const [api, ns, user] = [await admin(), await namespace(), unique('user')];
  await grant(ns, user, [{ apiGroups: [''], resources: ['*'], verbs: ['*'] }]);
  await eventually(async () => ok(await api.as(user).get(configMaps(ns))));
  ok(await api.as(user).create(configMaps(ns), configMap('a')), 201);
  ok(await api.as(user).create(`/api/v1/namespaces/${ns}/secrets`, { metadata: { name: 's' } }), 201);
  refused(await api.as(user).get(`/apis/apps/v1/namespaces/${ns}/deployments`), 403, 'Forbidden');
});

test('a resource pattern star slash subresource grants that subresource of all', async () => {
  const [api, ns, user] = [await admin(), await namespace(), unique('user')];
  await grant(ns, user, [{ apiGroups: ['apps'], resources: ['*/scale'], verbs: ['get'] }]);
  const path = `/apis/apps/v1/namespaces/${ns}/deployments/none`;
  await eventually(async () => refused(await api.as(user).get(`${path}/scale`), 404, 'NotFound'));
  refused(await api.as(user).get(path), 403, 'Forbidden');
});

test('a watch needs the verb watch, not list', async () => {
  const [api, ns, user] = [await admin(), await namespace(), unique('user')];
  await grant(ns, user, [core(['list'], ['configmaps'])]);
  await eventually(async () => ok(await api.as(user).get(configMaps(ns))));
  const answer = await api.as(user).get(configMaps(ns), { query: { watch: 'true' } });
  refused(
    answer,
    403,
    'Forbidden',
    `configmaps is forbidden: User "${user}" cannot watch resource "configmaps" in API group "" in the namespace "${ns}"`,
  );
});

test('an apply that creates needs create as well as patch', async () => {
  const [api, ns, user] = [await admin(), await namespace(), unique('user')];
  await grant(ns, user, [core(['get', 'patch'], ['configmaps'])]);
  await eventually(async () => refused(await api.as(user).get(configMaps(ns, 'a')), 404, 'NotFound'));
  const answer = await api.as(user).apply(configMaps(ns, 'a'), 'm', configMap('a'));
  refused(
    answer,
    403,
    'Forbidden',
    `configmaps "a" is forbidden: User "${user}" cannot create resource "configmaps" in API group "" in the namespace "${ns}"`,
  );
});

test('what a grant gave, its deletion takes', async () => {
  const [api, ns, user] = [await admin(), await namespace(), unique('user')];
  const role = await grant(ns, user, [core(['list'], ['configmaps'])]);
  await eventually(async () => ok(await api.as(user).get(configMaps(ns))));
  ok(await api.delete(`${rbac}/namespaces/${ns}/roles/${role}`));
  await eventually(async () => {
    const answer = await api.as(user).get(configMaps(ns));
    refused(answer, 403, 'Forbidden');
    assert.match(
      text(answer.body.message),
      new RegExp(`: RBAC: role\\.rbac\\.authorization\\.k8s\\.io "${role}" not found$`),
    );
  });
});

test('nonResourceURLs grant paths, with a star at their end', async () => {
  const [api, user] = [await admin(), unique('user')];
  await grantEverywhere(user, [{ nonResourceURLs: ['/debug', '/healthz/*'], verbs: ['get'] }]);
  await eventually(async () => assert.notEqual((await api.as(user).get('/debug')).status, 403));
  assert.notEqual((await api.as(user).get('/healthz/ping')).status, 403);
  refused(await api.as(user).get('/debug/more'), 403, 'Forbidden');
  refused(await api.as(user).get('/logs'), 403, 'Forbidden');
});

test('an aggregated cluster role collects the rules of those its labels select', async () => {
  const [api, ns, user, label] = [await admin(), await namespace(), unique('user'), unique('agg')];
  const rule = core(['list'], ['configmaps']);
  const aggregate = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: 'true' } }] } };
  const name = await grantEverywhere(user, [], aggregate);
  const part = { metadata: { name: unique('part'), labels: { [label]: 'true' } }, rules: [rule] };
  ok(await api.create(`${rbac}/clusterroles`, part), 201);
  await eventually(async () => assert.deepEqual(ok(await api.get(`${rbac}/clusterroles/${name}`)).rules, [rule]));
  await eventually(async () => ok(await api.as(user).get(configMaps(ns))));
});

test('admin, edit and view are there and aggregated', async () => {
  const api = await admin();
  for (const name of ['admin', 'edit', 'view']) {
    const role = await eventually(async () => {
      const got = ok(await api.get(`${rbac}/clusterroles/${name}`));
      assert.ok(items(got.rules).length > 0);
      return got;
    });
    assert.notEqual(role.aggregationRule, undefined);
  }
  assert.deepEqual(ok(await api.get(`${rbac}/clusterroles/cluster-admin`)).rules, [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['*'] },
  ]);
});

test('view reads configmaps and not secrets; edit writes both; admin also grants roles', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const users = { view: unique('v'), edit: unique('e'), admin: unique('a') };
  for (const [role, user] of Object.entries(users))
    await bind(`${rbac}/namespaces/${ns}/rolebindings`, role, 'ClusterRole', user);
  const secrets = `/api/v1/namespaces/${ns}/secrets`;
  await eventually(async () => ok(await api.as(users.view).get(configMaps(ns))));
  refused(await api.as(users.view).get(secrets), 403, 'Forbidden');
  refused(await api.as(users.view).create(configMaps(ns), configMap('a')), 403, 'Forbidden');
  await eventually(async () => ok(await api.as(users.edit).create(configMaps(ns), configMap('a')), 201));
  ok(await api.as(users.edit).get(secrets));
  refused(await api.as(users.edit).get(`${rbac}/namespaces/${ns}/roles`), 403, 'Forbidden');
  await eventually(async () => ok(await api.as(users.admin).get(`${rbac}/namespaces/${ns}/roles`)));
});

test('a binding’s roleRef cannot be changed', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const base = `${rbac}/namespaces/${ns}/rolebindings`;
  const body = {
    metadata: { name: 'b' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [],
  };
  ok(await api.create(base, body), 201);
  const answer = await api.mergePatch(`${base}/b`, { roleRef: { name: 'edit' } });
  refused(
    answer,
    422,
    'Invalid',
    'RoleBinding.rbac.authorization.k8s.io "b" is invalid: roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"edit"}: cannot change roleRef',
  );
});

test('a binding may name a role that is not there yet', async () => {
  const [api, ns, user] = [await admin(), await namespace(), unique('user')];
  await bind(`${rbac}/namespaces/${ns}/rolebindings`, 'later', 'Role', user);
  refused(await api.as(user).get(configMaps(ns)), 403, 'Forbidden');
  ok(
    await api.create(`${rbac}/namespaces/${ns}/roles`, {
      metadata: { name: 'later' },
      rules: [core(['list'], ['configmaps'])],
    }),
    201,
  );
  await eventually(async () => ok(await api.as(user).get(configMaps(ns))));
});

test('the groups of all users may read discovery and review themselves', async () => {
  const api = await admin();
  const someone = api.as(unique('user'));
  assert.equal((await someone.get('/api')).status, 200);
  assert.equal((await someone.get('/apis')).status, 200);
  assert.equal((await someone.get('/openapi/v3')).status, 200);
  assert.equal((await someone.get('/version')).status, 200);
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
  };
  assert.equal(
    ok(await someone.create('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review), 201).status?.allowed,
    false,
  );
});
