import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admin, configMap, configMaps, namespace, ok, refused } from './cluster.ts';

const json = 'application/json';

const bodies: [string, string | Buffer, number, string | undefined, RegExp][] = [
  [
    'text that is no JSON',
    'hello',
    400,
    'BadRequest',
    /couldn't get version\/kind; json parse error|invalid character/,
  ],
  [
    'JSON cut in the middle',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"na',
    400,
    'BadRequest',
    /unexpected end of JSON input|unexpected EOF/,
  ],
  ['a list', '[]', 400, 'BadRequest', /cannot unmarshal array into Go value/],
  ['a number', '5', 400, 'BadRequest', /cannot unmarshal number into Go value/],
  [
    'a list as metadata',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":[]}',
    400,
    'BadRequest',
    /cannot unmarshal array into Go struct field ConfigMap\.metadata/,
  ],
  [
    'a list as name',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":[]}}',
    400,
    'BadRequest',
    /cannot unmarshal array into Go struct field ObjectMeta\.metadata\.name of type string/,
  ],
  [
    'a number as labels',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":5}}',
    400,
    'BadRequest',
    /cannot unmarshal number into Go struct field ObjectMeta\.metadata\.labels/,
  ],
  [
    'an unknown kind',
    '{"apiVersion":"v1","kind":"Frobnicator","metadata":{"name":"a"}}',
    400,
    'BadRequest',
    /no kind "Frobnicator" is registered for version "v1"/,
  ],
  ['an unknown version', '{"apiVersion":"v77","kind":"ConfigMap","metadata":{"name":"a"}}', 400, 'BadRequest', /v77/],
  [
    'a version with too many slashes',
    '{"apiVersion":"a/b/c","kind":"ConfigMap","metadata":{"name":"a"}}',
    400,
    'BadRequest',
    /unexpected GroupVersion string: a\/b\/c/,
  ],
  ['an empty body', '', 400, 'BadRequest', /./],
  [
    'a lone surrogate and bad UTF-8 as a name',
    Buffer.from([
      ...Buffer.from('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"'),
      0xff,
      0xfe,
      ...Buffer.from('"}}'),
    ]),
    422,
    'Invalid',
    /metadata\.name/,
  ],
];
for (const [title, body, code, reason, message] of bodies)
  test(`a body with ${title} answers ${code}`, async () => {
    const [api, ns] = [await admin(), await namespace()];
    refused(await api.create(configMaps(ns), body, { type: json }), code, reason, message);
  });

test('nesting ten thousand deep answers an error and the server lives on', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const deep = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":${'{"a":'.repeat(12_000)}1${'}'.repeat(12_000)}}`;
  const answer = await api.create(configMaps(ns), deep);
  refused(answer, 400, 'BadRequest');
  ok(await api.get(configMaps(ns)));
});

test('a body beyond 3 MiB answers 413', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(configMaps(ns), configMap('a', { k: 'x'.repeat(3 * 1024 * 1024 + 10) }));
  refused(answer, 413, 'RequestEntityTooLarge', /^Request entity too large: limit is 3145728$/);
});

test('a configmap beyond 1 MiB is refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(configMaps(ns), configMap('a', { k: 'x'.repeat(1024 * 1024 + 1) }));
  refused(answer, 422, 'Invalid', /^ConfigMap "a" is invalid: \[\]: Too long: may not be more than 1048576 bytes$/);
});

test('a secret beyond 1 MiB is refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const data = { k: Buffer.alloc(1024 * 1024 + 1).toString('base64') };
  refused(
    await api.create(`/api/v1/namespaces/${ns}/secrets`, { metadata: { name: 's' }, data }),
    422,
    'Invalid',
    /data: Too long: may not be more than 1048576 bytes$/,
  );
});

test('a secret with data that is no base64 is refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(`/api/v1/namespaces/${ns}/secrets`, { metadata: { name: 's' }, data: { k: '%%%' } });
  refused(answer, 400, 'BadRequest', /illegal base64 data at input byte 0/);
});

test('an unknown content type answers 415', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(configMaps(ns), 'x', { type: 'text/plain' });
  refused(
    answer,
    415,
    'UnsupportedMediaType',
    /^the body of the request was in an unknown format - accepted media types include: application\/json, application\/yaml/,
  );
});

test('a patch of an unknown type answers 415', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('a')), 201);
  const answer = await api.send('PATCH', configMaps(ns, 'a'), { body: {}, type: 'application/json' });
  refused(answer, 415, 'UnsupportedMediaType', '415: Unsupported Media Type');
});

test('prototype names in bodies are plain data', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const body =
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"proto","labels":{"__proto__":"x","constructor":"y"}},"data":{"__proto__":"z","hasOwnProperty":"w"}}';
  const answer = await api.create(configMaps(ns), body);
  // A label may not begin with an underscore; the data keys are fine.
  refused(answer, 422, 'Invalid', /metadata\.labels: Invalid value: "__proto__"/);
  const made = await api.create(configMaps(ns), body.replace('"__proto__":"x",', ''));
  assert.equal(made.status, 201, made.text);
  assert.match(made.text, /"__proto__":"z"/);
  assert.match(made.text, /"hasOwnProperty":"w"/);
});

test('names of paths are not followed as paths', async () => {
  const [api, ns] = [await admin(), await namespace()];
  for (const name of ['..%2F..%2Fsecrets', '%00', 'a%0ab']) {
    const answer = await api.get(configMaps(ns, name));
    assert.ok([400, 404, 301, 422].includes(answer.status), `${name}: ${answer.status} ${answer.text}`);
  }
});

test('unicode in data comes back as it went', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const data = { k: 'ä☃𝄞\u2028\u0001<>&"\\' };
  assert.deepEqual(ok(await api.create(configMaps(ns), configMap('a', data)), 201).data, data);
  assert.deepEqual(ok(await api.get(configMaps(ns, 'a'))).data, data);
});

test('large numbers in custom objects keep their integer value', async () => {
  const { customKind } = await import('./crds.ts');
  const kind = await customKind({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
  const [api, ns] = [await admin(), await namespace()];
  const made = ok(await api.create(kind.path(ns), kind.object('w', { n: 9007199254740991, f: 1.5, e: 1e3 })), 201);
  assert.deepEqual([made.n, made.f, made.e], [9007199254740991, 1.5, 1000]);
});

test('a body on a get is ignored', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.send('GET', configMaps(ns), { body: '{"garbage":' }));
});

test('a bad body of a delete answers 400', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('a')), 201);
  refused(await api.delete(configMaps(ns, 'a'), { body: '{"preconditions":5}' }), 400, 'BadRequest');
  ok(await api.get(configMaps(ns, 'a')));
});

test('an unknown method answers 405', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.send('LINK', configMaps(ns));
  assert.equal(answer.status, 405, answer.text);
});

test('a query that is no query is lived with', async () => {
  const [api, ns] = [await admin(), await namespace()];
  for (const query of ['?%zz', '?limit=%', '?&&&=', '?a=1&a=2']) {
    const answer = await api.get(`${configMaps(ns)}${query}`);
    assert.ok(answer.status === 200 || answer.status === 400, `${query}: ${answer.status}`);
  }
});
