import assert from 'node:assert/strict';
import { test } from 'node:test';
import { items, text } from '../../support/raw-client.ts';
import { here, owners } from './applying.ts';
import { configMap, configMaps, ok, refused } from './cluster.ts';

// What an apply asks for and how it is answered; who owns what is in field-owners.

test('apply creates what is not there with 201 and owns what it sent', async () => {
  const { api, path } = await here();
  const made = ok(await api.apply(path, 'alice', configMap('m', { k: 'v' })), 201);
  assert.deepEqual(owners(made), [['alice', 'Apply', { 'f:data': { 'f:k': {} } }]]);
  const entry = items(made.metadata?.managedFields)[0];
  assert.equal(entry?.apiVersion, 'v1');
  assert.equal(entry?.fieldsType, 'FieldsV1');
  assert.match(text(entry?.time), /Z$/);
});

test('applying the same again answers 200 and writes nothing', async () => {
  const { api, path } = await here();
  const made = ok(await api.apply(path, 'alice', configMap('m', { k: 'v' })), 201);
  const again = ok(await api.apply(path, 'alice', configMap('m', { k: 'v' })));
  assert.equal(again.metadata?.resourceVersion, made.metadata?.resourceVersion);
  assert.deepEqual(again.metadata?.managedFields, made.metadata?.managedFields);
});

test('a field left out by its only owner is removed', async () => {
  const { api, path } = await here();
  ok(await api.apply(path, 'alice', configMap('m', { a: '1', b: '2' })), 201);
  const now = ok(await api.apply(path, 'alice', configMap('m', { a: '1' })));
  assert.deepEqual(now.data, { a: '1' });
  assert.deepEqual(owners(now), [['alice', 'Apply', { 'f:data': { 'f:a': {} } }]]);
});

test('a field left out by one of two owners stays', async () => {
  const { api, path } = await here();
  ok(await api.apply(path, 'alice', configMap('m', { a: '1', b: '2' })), 201);
  ok(await api.apply(path, 'bob', configMap('m', { b: '2' })));
  const now = ok(await api.apply(path, 'alice', configMap('m', { a: '1' })));
  assert.deepEqual(now.data, { a: '1', b: '2' });
  assert.deepEqual(owners(now), [
    ['alice', 'Apply', { 'f:data': { 'f:a': {} } }],
    ['bob', 'Apply', { 'f:data': { 'f:b': {} } }],
  ]);
});

test('the same value by another manager is shared, not a conflict', async () => {
  const { api, path } = await here();
  ok(await api.apply(path, 'alice', configMap('m', { k: 'v' })), 201);
  const now = ok(await api.apply(path, 'bob', configMap('m', { k: 'v' })));
  assert.deepEqual(owners(now), [
    ['alice', 'Apply', { 'f:data': { 'f:k': {} } }],
    ['bob', 'Apply', { 'f:data': { 'f:k': {} } }],
  ]);
});

test('another value of an owned field is a conflict that names owner and field', async () => {
  const { api, path } = await here();
  ok(await api.apply(path, 'alice', configMap('m', { k: 'v' })), 201);
  const answer = await api.apply(path, 'bob', configMap('m', { k: 'w' }));
  refused(answer, 409, 'Conflict', 'Apply failed with 1 conflict: conflict with "alice": .data.k');
  assert.deepEqual(answer.body.details, {
    causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "alice"', field: '.data.k' }],
  });
});

test('several conflicts are told together, grouped by owner', async () => {
  const { api, path } = await here();
  ok(await api.apply(path, 'alice', configMap('m', { a: '1', b: '1' })), 201);
  ok(await api.apply(path, 'carol', configMap('m', { c: '1' })));
  const answer = await api.apply(path, 'bob', configMap('m', { a: '2', b: '2', c: '2' }));
  refused(
    answer,
    409,
    'Conflict',
    'Apply failed with 3 conflicts: conflicts with "alice":\n- .data.a\n- .data.b\nconflicts with "carol":\n- .data.c',
  );
  assert.equal(items(answer.body.details?.causes).length, 3);
});

test('force takes the field from its owner', async () => {
  const { api, path } = await here();
  ok(await api.apply(path, 'alice', configMap('m', { k: 'v', l: 'w' })), 201);
  const now = ok(await api.apply(path, 'bob', configMap('m', { k: 'x' }), { force: 'true' }));
  assert.deepEqual(now.data, { k: 'x', l: 'w' });
  assert.deepEqual(owners(now), [
    ['alice', 'Apply', { 'f:data': { 'f:l': {} } }],
    ['bob', 'Apply', { 'f:data': { 'f:k': {} } }],
  ]);
});

test('a conflict with an updater names its operation and version', async () => {
  const { api, ns, path } = await here();
  ok(await api.create(configMaps(ns), configMap('m', { k: 'v' }), { query: { fieldManager: 'editor' } }), 201);
  const answer = await api.apply(path, 'bob', configMap('m', { k: 'w' }));
  refused(
    answer,
    409,
    'Conflict',
    /^Apply failed with 1 conflict: conflict with "editor" using v1( at \S+)?: \.data\.k$/,
  );
});

test('apply needs a field manager', async () => {
  const { api, path } = await here();
  const answer = await api.send('PATCH', path, { body: configMap('m'), type: 'application/apply-patch+yaml' });
  refused(answer, 422, 'Invalid', /fieldManager: Required value: is required for apply patch$/);
});

test('force is refused for other patches', async () => {
  const { api, ns, path } = await here();
  ok(await api.create(configMaps(ns), configMap('m')), 201);
  const answer = await api.mergePatch(path, {}, { query: { force: 'true' } });
  refused(answer, 422, 'Invalid', /force: Forbidden: may not be specified for non-apply patch$/);
});

test('a field manager longer than 128 characters is refused', async () => {
  const { api, path } = await here();
  refused(
    await api.apply(path, 'x'.repeat(129), configMap('m')),
    422,
    'Invalid',
    /fieldManager: Too long: may not be more than 128 bytes$/,
  );
});

test('apply takes YAML', async () => {
  const { api, path } = await here();
  const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\ndata:\n  k: "yes"\n';
  assert.deepEqual(ok(await api.apply(path, 'alice', yaml), 201).data, { k: 'yes' });
});

test('apply needs kind and apiVersion', async () => {
  const { api, path } = await here();
  refused(
    await api.apply(path, 'alice', { metadata: { name: 'm' } }),
    400,
    'BadRequest',
    /invalid object type: \/, Kind=/,
  );
});

test('apply refuses managedFields in the body', async () => {
  const { api, path } = await here();
  const body = configMap(
    'm',
    {},
    { managedFields: [{ manager: 'x', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }] },
  );
  refused(await api.apply(path, 'alice', body), 400, 'BadRequest', 'metadata.managedFields must be nil');
});

test('apply with another name than the path is refused', async () => {
  const { api, path } = await here();
  refused(
    await api.apply(path, 'alice', configMap('other')),
    400,
    'BadRequest',
    'the name of the object (other) does not match the name on the URL (m)',
  );
});

test('apply with an old resourceVersion is a conflict', async () => {
  const { api, path } = await here();
  const made = ok(await api.apply(path, 'alice', configMap('m', { k: '1' })), 201);
  ok(await api.apply(path, 'alice', configMap('m', { k: '2' })));
  const answer = await api.apply(
    path,
    'alice',
    configMap('m', { k: '3' }, { resourceVersion: made.metadata?.resourceVersion }),
  );
  refused(answer, 409, 'Conflict', /^Operation cannot be fulfilled on configmaps "m": the object has been modified/);
});

test('apply with a resourceVersion creates what is not there', async () => {
  const { api, path } = await here();
  const answer = await api.apply(path, 'alice', configMap('m', {}, { resourceVersion: '5' }));
  assert.notEqual(ok(answer, 201).metadata?.resourceVersion, '5');
});

test('apply with a uid does not create', async () => {
  const { api, path } = await here();
  const answer = await api.apply(path, 'alice', configMap('m', {}, { uid: 'ba5eba11-0000-0000-0000-000000000000' }));
  refused(
    answer,
    409,
    'Conflict',
    'Operation cannot be fulfilled on configmaps "m": uid mismatch: the provided object specified uid ba5eba11-0000-0000-0000-000000000000, and no existing object was found',
  );
});

test('a field the schema does not know is refused', async () => {
  const { api, path } = await here();
  const answer = await api.apply(path, 'alice', { ...configMap('m'), bogus: 1 });
  refused(
    answer,
    500,
    undefined,
    'failed to create typed patch object (/m; /v1, Kind=ConfigMap): .bogus: field not declared in schema',
  );
});

test('a dry run of an apply tells of conflicts and stores nothing', async () => {
  const { api, path } = await here();
  ok(await api.apply(path, 'alice', configMap('m', { k: 'v' })), 201);
  refused(await api.apply(path, 'bob', configMap('m', { k: 'w' }), { dryRun: 'All' }), 409, 'Conflict');
  const tried = ok(await api.apply(path, 'bob', configMap('m', { k: 'w' }), { dryRun: 'All', force: 'true' }));
  assert.deepEqual(tried.data, { k: 'w' });
  assert.deepEqual(ok(await api.get(path)).data, { k: 'v' });
});

test('null in an apply is the same as leaving it out', async () => {
  const { api, path } = await here();
  const made = ok(await api.apply(path, 'alice', { ...configMap('m', { a: '1' }), binaryData: null }), 201);
  assert.equal(made.binaryData, undefined);
});
