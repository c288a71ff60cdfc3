import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { items } from '../../support/raw-client.ts';
import { admin, eventually, namespace, ok, refused, unique } from './cluster.ts';
import { crdBody, crdPath, customKind, kindOf, open, withSpec } from './crds.ts';

// Custom kinds as they are defined, served and taken away; what their schemas do is in crd-schemas.

describe('custom resources', { concurrency: 12 }, () => {
  test('a CRD becomes established and its names accepted', async () => {
    const [kind, api] = [await customKind(open), await admin()];
    const crd = await eventually(async () => {
      const got = ok(await api.get(`${crdPath}/${kind.name}`));
      assert.ok(
        items(got.status?.conditions).some(
          (c) => c.type === ('Established' as unknown) && c.status === ('True' as unknown),
        ),
      ); // leaves
      return got;
    });
    const conditions = Object.fromEntries(items(crd.status?.conditions).map((c) => [c.type, [c.status, c.reason]]));
    assert.deepEqual(conditions['NamesAccepted'], ['True', 'NoConflicts']);
    assert.deepEqual(conditions['Established'], ['True', 'InitialNamesAccepted']);
    assert.deepEqual(crd.status?.storedVersions, ['v1']);
    assert.deepEqual(crd.status?.acceptedNames, {
      plural: 'widgets',
      singular: 'widget',
      kind: 'Widget',
      listKind: 'WidgetList',
    });
    assert.deepEqual(crd.spec?.conversion, { strategy: 'None' });
  });

  test('objects of a CRD are created, read and listed with their kind', async () => {
    const [kind, api, ns] = [await customKind(open), await admin(), await namespace()];
    const made = ok(await api.create(kind.path(ns), kind.object('w', { anything: { goes: [1, 'two'] } })), 201);
    assert.equal(made.metadata?.generation, 1);
    const list = ok(await api.get(kind.path(ns)));
    assert.equal(list.kind, 'WidgetList');
    assert.equal(list.apiVersion, `${kind.group}/v1`);
    assert.equal(items(list.items)[0]?.kind, 'Widget');
    assert.deepEqual(items(list.items)[0]?.anything, { goes: [1, 'two'] });
  });

  test('the status subresource keeps spec and status apart', async () => {
    const kind = await customKind(open, { subresources: { status: {} } });
    const [api, ns] = [await admin(), await namespace()];
    const made = ok(await api.create(kind.path(ns), kind.object('w', { spec: { a: 1 }, status: { b: 1 } })), 201);
    assert.equal(made.status, undefined);
    const status = ok(await api.put(`${kind.path(ns, 'w')}/status`, { ...made, spec: { a: 2 }, status: { b: 2 } }));
    assert.deepEqual([status.spec, status.status], [{ a: 1 }, { b: 2 }]);
    assert.equal(status.metadata?.generation, 1);
    const spec = ok(await api.mergePatch(kind.path(ns, 'w'), { spec: { a: 3 }, status: { b: 3 } }));
    assert.deepEqual([spec.spec, spec.status], [{ a: 3 }, { b: 2 }]);
    assert.equal(spec.metadata?.generation, 2);
  });

  test('without a status subresource the path answers 404 and status is plain data', async () => {
    const [kind, api, ns] = [await customKind(open), await admin(), await namespace()];
    const made = ok(await api.create(kind.path(ns), kind.object('w', { status: { b: 1 } })), 201);
    assert.deepEqual(made.status, { b: 1 });
    assert.equal((await api.get(`${kind.path(ns, 'w')}/status`)).status, 404);
  });

  test('labels alone do not change the generation of a custom object, any other field does', async () => {
    const [kind, api, ns] = [await customKind(open), await admin(), await namespace()];
    ok(await api.create(kind.path(ns), kind.object('w', { other: 1 })), 201);
    assert.equal(
      ok(await api.mergePatch(kind.path(ns, 'w'), { metadata: { labels: { a: 'b' } } })).metadata?.generation,
      1,
    );
    assert.equal(ok(await api.mergePatch(kind.path(ns, 'w'), { other: 2 })).metadata?.generation, 2);
  });

  test('put of a custom object needs its resourceVersion', async () => {
    const [kind, api, ns] = [await customKind(open), await admin(), await namespace()];
    ok(await api.create(kind.path(ns), kind.object('w')), 201);
    const answer = await api.put(kind.path(ns, 'w'), kind.object('w', { a: 1 }));
    refused(
      answer,
      422,
      'Invalid',
      `widgets.${kind.group} "w" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
    );
  });

  test('printer columns show in tables', async () => {
    const kind = await customKind(withSpec({ properties: { size: { type: 'integer' } } }), {
      additionalPrinterColumns: [
        { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'how big' },
        { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      ],
    });
    const [api, ns] = [await admin(), await namespace()];
    ok(await api.create(kind.path(ns), kind.object('w', { spec: { size: 4 } })), 201);
    const table = ok(
      await api.get(kind.path(ns), { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }),
    );
    assert.deepEqual(
      items(table.columnDefinitions).map((column) => [column.name, column.type]),
      [
        ['Name', 'string'],
        ['Size', 'integer'],
        ['Age', 'date'],
      ],
    );
    assert.deepEqual(items(items(table.rows)[0]?.cells).slice(0, 2), ['w', 4]);
  });

  test('the same objects are served in every served version, and not in others', async () => {
    const version = (name: string, storage: boolean, served: boolean): object => ({
      name,
      served,
      storage,
      schema: { openAPIV3Schema: open },
    });
    const group = `${unique('g')}.example.com`;
    const api = await admin();
    const versions = [version('v1', true, true), version('v1beta1', false, true), version('v1alpha1', false, false)];
    ok(await api.create(crdPath, crdBody(group, open, {}, { versions })), 201);
    await eventually(async () => ok(await api.get(`/apis/${group}/v1beta1/widgets`)));
    const ns = await namespace();
    ok(await api.create(kindOf(group).path(ns), kindOf(group).object('w', { x: 1 })), 201);
    const beta = ok(await api.get(kindOf(group, 'v1beta1').path(ns, 'w')));
    assert.equal(beta.apiVersion, `${group}/v1beta1`);
    assert.equal(beta.x, 1);
    assert.equal((await api.get(kindOf(group, 'v1alpha1').path(ns, 'w'))).status, 404);
  });

  test('deleting a CRD deletes its objects and stops serving them', async () => {
    const [kind, api, ns] = [await customKind(open), await admin(), await namespace()];
    ok(await api.create(kind.path(ns), kind.object('w')), 201);
    const gone = ok(await api.delete(`${crdPath}/${kind.name}`));
    assert.ok(gone.kind === ('Status' as unknown) || gone.metadata?.deletionTimestamp !== undefined); // leaves
    await eventually(async () => assert.equal((await api.get(`${crdPath}/${kind.name}`)).status, 404));
    await eventually(async () => assert.equal((await api.get(kind.path(ns))).status, 404));
  });

  test('a CRD name must be plural dot group', async () => {
    const api = await admin();
    const body = { ...crdBody('x.example.com', open), metadata: { name: 'wrong.x.example.com' } };
    refused(
      await api.create(crdPath, body),
      422,
      'Invalid',
      /metadata\.name: Invalid value: "wrong\.x\.example\.com": must be spec\.names\.plural\+"\."\+spec\.group$/,
    );
  });

  test('a CRD without a schema is refused', async () => {
    const api = await admin();
    const group = `${unique('g')}.example.com`;
    const versions = [{ name: 'v1', served: true, storage: true }];
    refused(
      await api.create(crdPath, crdBody(group, open, {}, { versions })),
      422,
      'Invalid',
      /spec\.versions\[0\]\.schema\.openAPIV3Schema: Required value$/,
    );
  });

  test('a CRD with two storage versions is refused', async () => {
    const api = await admin();
    const group = `${unique('g')}.example.com`;
    const version = (name: string): object => ({
      name,
      served: true,
      storage: true,
      schema: { openAPIV3Schema: open },
    });
    const answer = await api.create(crdPath, crdBody(group, open, {}, { versions: [version('v1'), version('v2')] }));
    refused(
      answer,
      422,
      'Invalid',
      /spec\.versions: Invalid value: .*must have exactly one version marked as storage version/,
    );
  });

  test('a cluster-scoped CRD is served without namespaces', async () => {
    const kind = await customKind(open, {}, { scope: 'Cluster' });
    const api = await admin();
    ok(await api.create(kind.path(), kind.object('w')), 201);
    assert.equal(ok(await api.get(kind.path(undefined, 'w'))).metadata?.namespace, undefined);
  });

  test('a change of the CRD is served soon after', async () => {
    const kind = await customKind(withSpec({ properties: { a: { type: 'string' } } }));
    const [api, ns] = [await admin(), await namespace()];
    ok(await api.create(kind.path(ns), kind.object('w', { spec: { b: 'x' } })), 201);
    const patch = [
      {
        op: 'add',
        path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/b',
        value: { type: 'string', default: 'z' },
      },
    ];
    ok(await api.jsonPatch(`${crdPath}/${kind.name}`, patch));
    await eventually(async () => assert.deepEqual(ok(await api.get(kind.path(ns, 'w'))).spec, { b: 'z' }));
  });

  test('metadata of a custom object keeps only what Kubernetes knows', async () => {
    const [kind, api, ns] = [await customKind(open), await admin(), await namespace()];
    const made = ok(
      await api.create(kind.path(ns), { ...kind.object('w'), metadata: { name: 'w', bogus: 'x', labels: { a: 'b' } } }),
      201,
    );
    assert.equal(made.metadata?.bogus, undefined);
    assert.deepEqual(made.metadata?.labels, { a: 'b' });
  });

  test('the scale subresource of a CRD reads and writes the paths it names', async () => {
    const subresources = {
      status: {},
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      },
    };
    const kind = await customKind(open, { subresources });
    const [api, ns] = [await admin(), await namespace()];
    ok(await api.create(kind.path(ns), kind.object('w', { spec: { replicas: 2 } })), 201);
    const scale = ok(await api.get(`${kind.path(ns, 'w')}/scale`));
    assert.equal(scale.kind, 'Scale');
    assert.equal(scale.apiVersion, 'autoscaling/v1');
    assert.deepEqual(scale.spec, { replicas: 2 });
    ok(await api.mergePatch(`${kind.path(ns, 'w')}/scale`, { spec: { replicas: 5 } }));
    assert.deepEqual(ok(await api.get(kind.path(ns, 'w'))).spec, { replicas: 5 });
  });

  test('selectable fields of a CRD work in field selectors', async () => {
    const kind = await customKind(withSpec({ properties: { color: { type: 'string' } } }), {
      selectableFields: [{ jsonPath: '.spec.color' }],
    });
    const [api, ns] = [await admin(), await namespace()];
    for (const color of ['red', 'blue'])
      ok(await api.create(kind.path(ns), kind.object(color, { spec: { color } })), 201);
    const list = ok(await api.get(kind.path(ns), { query: { fieldSelector: 'spec.color=red' } }));
    assert.deepEqual(
      items(list.items).map((item) => item.metadata?.name),
      ['red'],
    );
  });
});
