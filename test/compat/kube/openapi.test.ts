import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Doc, items, text } from '../../support/raw-client.ts';
import { admin, eventually, ok } from './cluster.ts';
import { customKind } from './crds.ts';

test('the index of OpenAPI v3 names a document per group and version', async () => {
  const paths = ok(await (await admin()).get('/openapi/v3')).paths;
  for (const path of ['api/v1', 'apis/apps/v1', 'apis/rbac.authorization.k8s.io/v1', 'version'])
    assert.match(text(paths?.[path]?.serverRelativeURL), new RegExp(`^/openapi/v3/${path}\\?hash=.+`), path);
});

test('a document has the schemas of its kinds, marked with group, version and kind', async () => {
  const doc = ok(await (await admin()).get('/openapi/v3/apis/apps/v1'));
  assert.match(text(doc.openapi), /^3\.0/);
  const schema = doc.components?.schemas?.['io.k8s.api.apps.v1.Deployment'];
  assert.deepEqual(schema?.['x-kubernetes-group-version-kind'], [{ group: 'apps', kind: 'Deployment', version: 'v1' }]);
  assert.equal(schema?.type, 'object');
  for (const field of ['apiVersion', 'kind', 'metadata', 'spec', 'status'])
    assert.notEqual(schema?.properties?.[field], undefined, field);
});

test('schemas tell merge keys and list types', async () => {
  const doc = ok(await (await admin()).get('/openapi/v3/api/v1'));
  const containers = doc.components?.schemas?.['io.k8s.api.core.v1.PodSpec']?.properties?.containers;
  assert.equal(containers?.['x-kubernetes-patch-merge-key'], 'name');
  assert.equal(containers?.['x-kubernetes-patch-strategy'], 'merge');
  assert.equal(containers?.['x-kubernetes-list-type'], 'map');
  assert.deepEqual(containers?.['x-kubernetes-list-map-keys'], ['name']);
  assert.equal(containers?.type, 'array');
});

test('paths tell what a kind can do, with its group, version and kind', async () => {
  const doc = ok(await (await admin()).get('/openapi/v3/apis/apps/v1'));
  const path = doc.paths?.['/apis/apps/v1/namespaces/{namespace}/deployments/{name}'];
  for (const verb of ['get', 'put', 'patch', 'delete']) assert.notEqual(path?.[verb], undefined, verb);
  assert.deepEqual(path?.patch?.['x-kubernetes-group-version-kind'], {
    group: 'apps',
    kind: 'Deployment',
    version: 'v1',
  });
  assert.equal(path?.patch?.['x-kubernetes-action'], 'patch');
});

test('the schema of a CRD is published with its descriptions', async () => {
  const kind = await customKind({
    type: 'object',
    properties: { spec: { type: 'object', description: 'what is wanted', properties: { n: { type: 'integer' } } } },
  });
  const api = await admin();
  const doc = await eventually(async () => {
    const got = ok(await api.get(`/openapi/v3/apis/${kind.group}/v1`));
    assert.notEqual(got.components?.schemas, undefined);
    return got;
  });
  const schemas: Doc[] = Object.values(doc.components?.schemas ?? {}).filter(
    (schema): schema is Doc => schema !== undefined,
  );
  const widget = schemas.find((schema) =>
    items(schema['x-kubernetes-group-version-kind']).some((gvk) => text(gvk.kind) === 'Widget'),
  );
  assert.equal(widget?.properties?.spec?.description, 'what is wanted');
  assert.equal(widget?.properties?.spec?.properties?.n?.type, 'integer');
});

test('an unknown document answers 404', async () => {
  assert.equal((await (await admin()).get('/openapi/v3/apis/no.such/v1')).status, 404);
});
