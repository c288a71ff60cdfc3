import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admin, configMap, configMaps, namespace, ok, refused } from './cluster.ts';

async function made(): Promise<{ api: Awaited<ReturnType<typeof admin>>; path: string }> {
  const [api, ns] = [await admin(), await namespace()];
  // The slash needs its escape in a JSON pointer; keys of configmaps may not hold one, annotations may.
  const metadata = { annotations: { 'e.com/y': '3' } };
  ok(await api.create(configMaps(ns), configMap('m', { a: '1', b: '2' }, metadata)), 201);
  return { api, path: configMaps(ns, 'm') };
}

const good: [string, object[], object][] = [
  ['add sets a member', [{ op: 'add', path: '/data/c', value: 'z' }], { a: '1', b: '2', c: 'z' }],
  ['add replaces a member that is there', [{ op: 'add', path: '/data/a', value: 'z' }], { a: 'z', b: '2' }],
  ['replace changes a member', [{ op: 'replace', path: '/data/a', value: 'z' }], { a: 'z', b: '2' }],
  ['remove takes a member away', [{ op: 'remove', path: '/data/a' }], { b: '2' }],
  ['move renames a member', [{ op: 'move', from: '/data/a', path: '/data/c' }], { b: '2', c: '1' }],
  ['copy doubles a member', [{ op: 'copy', from: '/data/a', path: '/data/c' }], { a: '1', b: '2', c: '1' }],
  [
    'test lets the rest pass when equal',
    [
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'remove', path: '/data/b' },
    ],
    { a: '1' },
  ],
  [
    'operations see those before them',
    [
      { op: 'add', path: '/data/c', value: '9' },
      { op: 'move', from: '/data/c', path: '/data/d' },
    ],
    { a: '1', b: '2', d: '9' },
  ],
  ['replacing the whole map works', [{ op: 'replace', path: '/data', value: { z: '1' } }], { z: '1' }],
  [
    'replace sets a member that is not there',
    [{ op: 'replace', path: '/data/z', value: '1' }],
    { a: '1', b: '2', z: '1' },
  ],
  ['an empty patch changes nothing', [], { a: '1', b: '2' }],
];
for (const [title, operations, expected] of good)
  test(`json patch: ${title}`, async () => {
    const { api, path } = await made();
    assert.deepEqual(ok(await api.jsonPatch(path, operations)).data, expected);
  });

test('json patch: a pointer unescapes ~1', async () => {
  const { api, path } = await made();
  const patched = ok(
    await api.jsonPatch(path, [{ op: 'replace', path: '/metadata/annotations/e.com~1y', value: 'new' }]),
  );
  assert.equal(patched.metadata?.annotations?.['e.com/y'], 'new');
});

test('json patch: a dash adds to the end of a list, an index inserts', async () => {
  const { api, path } = await made();
  const one = ok(await api.jsonPatch(path, [{ op: 'add', path: '/metadata/finalizers', value: ['e.com/a'] }]));
  assert.deepEqual(one.metadata?.finalizers, ['e.com/a']);
  const two = ok(await api.jsonPatch(path, [{ op: 'add', path: '/metadata/finalizers/-', value: 'e.com/c' }]));
  assert.deepEqual(two.metadata?.finalizers, ['e.com/a', 'e.com/c']);
  const three = ok(await api.jsonPatch(path, [{ op: 'add', path: '/metadata/finalizers/1', value: 'e.com/b' }]));
  assert.deepEqual(three.metadata?.finalizers, ['e.com/a', 'e.com/b', 'e.com/c']);
  const four = ok(await api.jsonPatch(path, [{ op: 'remove', path: '/metadata/finalizers/0' }]));
  assert.deepEqual(four.metadata?.finalizers, ['e.com/b', 'e.com/c']);
});

test('json patch: a test that fails answers 422 and changes nothing', async () => {
  const { api, path } = await made();
  const answer = await api.jsonPatch(path, [
    { op: 'remove', path: '/data/b' },
    { op: 'test', path: '/data/a', value: 'other' },
  ]);
  refused(answer, 422, 'Invalid', 'the server rejected our request due to an error in our request');
  assert.deepEqual(ok(await api.get(path)).data, { a: '1', b: '2' });
});

const bad: [string, unknown, number, string, RegExp][] = [
  [
    'removing what is not there',
    [{ op: 'remove', path: '/data/zz' }],
    422,
    'Invalid',
    /the server rejected our request due to an error in our request/,
  ],
  [
    'adding below what is not there',
    [{ op: 'add', path: '/nope/zz', value: '1' }],
    422,
    'Invalid',
    /the server rejected our request/,
  ],
  ['an unknown operation', [{ op: 'frobnicate', path: '/data/a' }], 422, 'Invalid', /the server rejected our request/],
  [
    'an index beyond the end',
    [{ op: 'add', path: '/metadata/managedFields/99', value: {} }],
    422,
    'Invalid',
    /the server rejected our request/,
  ],
  [
    'an object instead of a list',
    { op: 'remove', path: '/data/a' },
    400,
    'BadRequest',
    /^error decoding patch: json: cannot unmarshal object into Go value of type \[\]handlers\.jsonPatchOp$/,
  ],
  ['text that is no JSON', 'not json', 400, 'BadRequest', /error decoding (patch|JSON)/],
];
for (const [title, patch, code, reason, message] of bad)
  test(`json patch: ${title} is refused`, async () => {
    const { api, path } = await made();
    refused(await api.jsonPatch(path, patch), code, reason, message);
  });

test('json patch: more than 10000 operations are refused', async () => {
  const { api, path } = await made();
  const operations = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/a', value: '1' }));
  refused(
    await api.jsonPatch(path, operations),
    413,
    'RequestEntityTooLarge',
    'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
  );
});

test('json patch: the result is validated', async () => {
  const { api, path } = await made();
  const answer = await api.jsonPatch(path, [{ op: 'add', path: '/metadata/labels', value: { k: '!' } }]);
  refused(answer, 422, 'Invalid', /^ConfigMap "m" is invalid: metadata.labels: Invalid value: "!"/);
});

test('json patch: the name cannot be changed', async () => {
  const { api, path } = await made();
  const answer = await api.jsonPatch(path, [{ op: 'replace', path: '/metadata/name', value: 'other' }]);
  refused(answer, 400, 'BadRequest', 'the name of the object (other) does not match the name on the URL (m)');
});

test('json patch: a resourceVersion in the patch is a precondition', async () => {
  const { api, path } = await made();
  const answer = await api.jsonPatch(path, [
    { op: 'replace', path: '/metadata/resourceVersion', value: '1' },
    { op: 'add', path: '/data/a', value: 'z' },
  ]);
  refused(
    answer,
    409,
    'Conflict',
    /the object has been modified; please apply your changes to the latest version and try again$/,
  );
});

test('json patch: what is not there answers 404', async () => {
  const { api, path } = await made();
  refused(await api.jsonPatch(`${path}-other`, []), 404, 'NotFound', 'configmaps "m-other" not found');
});

test('json patch: __proto__ and constructor are plain data', async () => {
  const { api, path } = await made();
  const text =
    '[{"op":"add","path":"/data/__proto__","value":"p"},{"op":"add","path":"/data/constructor","value":"c"}]';
  const patched = await api.jsonPatch(path, text);
  assert.equal(patched.status, 200, patched.text);
  assert.match(patched.text, /"__proto__":"p"/);
  assert.match(patched.text, /"constructor":"c"/);
});
