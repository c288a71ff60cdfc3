import assert from 'node:assert/strict';
import { test } from 'node:test';
import { items, text } from '../../support/raw-client.ts';
import { admin, eventually, ok, unique } from './cluster.ts';
import { crdBody, crdPath, customKind } from './crds.ts';

const aggregated = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json' };
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

test('/version tells a Kubernetes version', async () => {
  const version = ok(await (await admin()).get('/version'));
  assert.equal(version.major, '1');
  assert.match(text(version.gitVersion), /^v1\.\d+\./);
});

test('/api tells the versions of the core group', async () => {
  const got = ok(await (await admin()).get('/api'));
  assert.equal(got.kind, 'APIVersions');
  assert.deepEqual(got.versions, ['v1']);
});

test('/apis tells the groups with their preferred versions', async () => {
  const got = ok(await (await admin()).get('/apis'));
  assert.equal(got.kind, 'APIGroupList');
  assert.equal(got.apiVersion, 'v1');
  const names = items(got.groups).map((group) => text(group.name));
  for (const name of [
    'apps',
    'batch',
    'rbac.authorization.k8s.io',
    'apiextensions.k8s.io',
    'coordination.k8s.io',
    'networking.k8s.io',
    'authorization.k8s.io',
    'authentication.k8s.io',
  ])
    assert.ok(names.includes(name), name);
  const apps = items(got.groups).find((group) => text(group.name) === 'apps');
  assert.deepEqual(apps?.preferredVersion, { groupVersion: 'apps/v1', version: 'v1' });
});

test('/apis/<group> tells one group', async () => {
  const got = ok(await (await admin()).get('/apis/apps'));
  assert.equal(got.kind, 'APIGroup');
  assert.equal(got.name, 'apps');
  assert.deepEqual(got.versions, [{ groupVersion: 'apps/v1', version: 'v1' }]);
});

test('/api/v1 lists resources with kind, scope, verbs and short names', async () => {
  const got = ok(await (await admin()).get('/api/v1'));
  assert.equal(got.kind, 'APIResourceList');
  assert.equal(got.groupVersion, 'v1');
  const find = (name: string) => items(got.resources).find((resource) => text(resource.name) === name);
  const configmaps = find('configmaps');
  assert.equal(configmaps?.kind, 'ConfigMap');
  assert.equal(configmaps?.namespaced, true);
  assert.equal(configmaps?.singularName, 'configmap');
  assert.deepEqual(configmaps?.shortNames, ['cm']);
  assert.deepEqual(items(configmaps?.verbs).map(text).sort(), [
    'create',
    'delete',
    'deletecollection',
    'get',
    'list',
    'patch',
    'update',
    'watch',
  ]);
  assert.equal(find('namespaces')?.namespaced, false);
  assert.deepEqual([...items(find('pods/log')?.verbs)], ['get']);
  assert.equal(find('serviceaccounts/token')?.kind, 'TokenRequest');
  assert.equal(find('pods/status')?.kind, 'Pod');
});

test('/apis/apps/v1 lists the workloads with scale and status', async () => {
  const got = ok(await (await admin()).get('/apis/apps/v1'));
  const names = items(got.resources).map((resource) => text(resource.name));
  for (const name of [
    'deployments',
    'deployments/scale',
    'deployments/status',
    'statefulsets',
    'daemonsets',
    'replicasets',
  ])
    assert.ok(names.includes(name), name);
  const deployments = items(got.resources).find((resource) => text(resource.name) === 'deployments');
  assert.deepEqual(deployments?.categories, ['all']);
  const scale = items(got.resources).find((resource) => text(resource.name) === 'deployments/scale');
  assert.deepEqual([scale?.kind, scale?.group, scale?.version], ['Scale', 'autoscaling', 'v1']);
});

test('aggregated discovery of /apis tells everything in one answer', async () => {
  const answer = await (await admin()).get('/apis', { headers: aggregated });
  const got = ok(answer);
  assert.match(
    String(answer.headers['content-type']),
    /^application\/json;g=apidiscovery\.k8s\.io;v=v2;as=APIGroupDiscoveryList/,
  );
  assert.equal(got.kind, 'APIGroupDiscoveryList');
  assert.equal(got.apiVersion, 'apidiscovery.k8s.io/v2');
  const apps = items(got.items).find((group) => text(group.metadata?.name) === 'apps');
  const version = items(apps?.versions)[0];
  assert.equal(version?.version, 'v1');
  assert.equal(version?.freshness, 'Current');
  const deployments = items(version?.resources).find((resource) => text(resource.resource) === 'deployments');
  assert.deepEqual(deployments?.responseKind, { group: '', version: '', kind: 'Deployment' });
  assert.equal(deployments?.scope, 'Namespaced');
  assert.equal(deployments?.singularResource, 'deployment');
  assert.deepEqual(
    items(deployments?.subresources)
      .map((sub) => text(sub.subresource))
      .sort(),
    ['scale', 'status'],
  );
});

test('aggregated discovery of /api tells the core group', async () => {
  const got = ok(await (await admin()).get('/api', { headers: aggregated }));
  assert.equal(got.kind, 'APIGroupDiscoveryList');
  const resources = items(items(items(got.items)[0]?.versions)[0]?.resources).map((resource) =>
    text(resource.resource),
  );
  for (const name of ['configmaps', 'pods', 'secrets', 'namespaces', 'events', 'serviceaccounts', 'services'])
    assert.ok(resources.includes(name), name);
});

test('aggregated discovery has an ETag that a second request can name', async () => {
  const api = await admin();
  const first = await api.get('/api', { headers: aggregated });
  const etag = String(first.headers.etag);
  assert.match(etag, /^".+"$/);
  const second = await api.get('/api', { headers: { ...aggregated, 'if-none-match': etag } });
  assert.equal(second.status, 304);
});

test('a CRD appears in plain and aggregated discovery, and goes with it', async () => {
  const [api, kind] = [await admin(), await customKind(open, {}, {})];
  const plain = await eventually(async () => {
    const got = ok(await api.get(`/apis/${kind.group}/v1`));
    assert.ok(items(got.resources).length > 0);
    return got;
  });
  assert.deepEqual(
    items(plain.resources).map((resource) => [
      resource.name,
      resource.kind,
      resource.namespaced,
      resource.singularName,
    ]),
    [['widgets', 'Widget', true, 'widget']],
  );
  await eventually(async () => {
    const all = ok(await api.get('/apis', { headers: aggregated }));
    assert.ok(items(all.items).some((group) => text(group.metadata?.name) === kind.group));
  });
  ok(await api.delete(`${crdPath}/${kind.name}`));
  await eventually(async () => {
    const all = ok(await api.get('/apis', { headers: aggregated }));
    assert.ok(!items(all.items).some((group) => text(group.metadata?.name) === kind.group));
    assert.equal((await api.get(`/apis/${kind.group}`)).status, 404);
  });
});

test('short names and categories of a CRD are told', async () => {
  const [api, group] = [await admin(), `${unique('g')}.example.com`];
  const names = {
    plural: 'widgets',
    singular: 'widget',
    kind: 'Widget',
    listKind: 'WidgetList',
    shortNames: ['wd'],
    categories: ['all'],
  };
  ok(await api.create(crdPath, crdBody(group, open, { subresources: { status: {} } }, { names })), 201);
  await eventually(async () => {
    const got = ok(await api.get(`/apis/${group}/v1`));
    const widgets = items(got.resources).find((resource) => text(resource.name) === 'widgets');
    assert.deepEqual([widgets?.shortNames, widgets?.categories], [['wd'], ['all']]);
    const status = items(got.resources).find((resource) => text(resource.name) === 'widgets/status');
    assert.deepEqual([...items(status?.verbs)], ['get', 'patch', 'update']);
  });
});

test('versions of a CRD are ordered by Kubernetes’ rule, the newest stable first', async () => {
  const [api, group] = [await admin(), `${unique('g')}.example.com`];
  const version = (name: string, storage = false): object => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: open },
  });
  const versions = [version('v1alpha1'), version('v1beta2'), version('v1', true), version('v2beta1'), version('v10')];
  ok(await api.create(crdPath, crdBody(group, open, {}, { versions })), 201);
  // The API server takes one version up after the other.
  const got = await eventually(async () => {
    const found = ok(await api.get(`/apis/${group}`));
    assert.equal(items(found.versions).length, versions.length);
    return found;
  });
  assert.deepEqual(
    items(got.versions).map((entry) => entry.version),
    ['v10', 'v1', 'v2beta1', 'v1beta2', 'v1alpha1'],
  );
  assert.deepEqual(got.preferredVersion, { groupVersion: `${group}/v10`, version: 'v10' });
});

test('the root lists paths', async () => {
  const got = ok(await (await admin()).get('/'));
  const paths = [...items(got.paths)] as unknown as string[]; // leaves
  for (const path of ['/api', '/apis', '/openapi/v3', '/version', '/healthz']) assert.ok(paths.includes(path), path);
});
