import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text } from '../../support/raw-client.ts';
import { admin, configMap, configMaps, namespace, ok, refused } from './cluster.ts';

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

for (const name of ['Upper', 'under_score', '-dash', 'dash-', 'sp ace', 'a..b'])
  test(`the name ${JSON.stringify(name)} is refused with the rule it breaks`, async () => {
    const [api, ns] = [await admin(), await namespace()];
    const answer = await api.create(configMaps(ns), configMap(name));
    refused(
      answer,
      422,
      'Invalid',
      `ConfigMap "${name}" is invalid: metadata.name: Invalid value: "${name}": ${subdomain}`,
    );
    assert.deepEqual(answer.body.details, {
      name,
      kind: 'ConfigMap',
      causes: [
        { reason: 'FieldValueInvalid', message: `Invalid value: "${name}": ${subdomain}`, field: 'metadata.name' },
      ],
    });
  });

test('a name of 254 characters is too long, one of 253 is not', async () => {
  const [api, ns] = [await admin(), await namespace()];
  ok(await api.create(configMaps(ns), configMap('a'.repeat(253))), 201);
  const answer = await api.create(configMaps(ns), configMap('a'.repeat(254)));
  refused(answer, 422, 'Invalid', /: must be no more than 253 (characters|bytes)$/);
});

test('names with a slash or a percent sign are refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  refused(await api.create(configMaps(ns), configMap('a/b')), 422, 'Invalid');
  refused(await api.create(configMaps(ns), configMap('a%b')), 422, 'Invalid');
});

test('a missing name is refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(configMaps(ns), { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} });
  refused(
    answer,
    422,
    'Invalid',
    'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  );
});

test('a service name is a label and contains no dot', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a.b' }, spec: { ports: [{ port: 80 }] } };
  const answer = await api.create(`/api/v1/namespaces/${ns}/services`, service);
  refused(
    answer,
    422,
    'Invalid',
    'Service "a.b" is invalid: metadata.name: Invalid value: "a.b": must not contain dots',
  );
});

test('a namespace name is a label, not a subdomain', async () => {
  const api = await admin();
  const make = (name: string): object => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const dotted = await api.create('/api/v1/namespaces', make('a.b'));
  refused(
    dotted,
    422,
    'Invalid',
    'Namespace "a.b" is invalid: metadata.name: Invalid value: "a.b": must not contain dots',
  );
  const upper = await api.create('/api/v1/namespaces', make('A'));
  refused(upper, 422, 'Invalid', `Namespace "A" is invalid: metadata.name: Invalid value: "A": ${label}`);
});

test('a bad label value is refused with its rule', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(configMaps(ns), configMap('a', {}, { labels: { k: 'not good!' } }));
  refused(
    answer,
    422,
    'Invalid',
    "ConfigMap \"a\" is invalid: metadata.labels: Invalid value: \"not good!\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  );
});

test('a bad label key is refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(configMaps(ns), configMap('a', {}, { labels: { 'bad key': 'x' } }));
  refused(
    answer,
    422,
    'Invalid',
    /^ConfigMap "a" is invalid: metadata.labels: Invalid value: "bad key": name part must consist of alphanumeric/,
  );
});

test('a bad annotation key is refused, a value may be anything', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const bad = await api.create(configMaps(ns), configMap('a', {}, { annotations: { 'bad key': 'x' } }));
  refused(
    bad,
    422,
    'Invalid',
    /^ConfigMap "a" is invalid: metadata.annotations: Invalid value: "bad key": name part must/,
  );
  ok(await api.create(configMaps(ns), configMap('b', {}, { annotations: { k: 'any\nthing ☃ {}' } })), 201);
});

test('annotations of more than 256 KiB together are refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(configMaps(ns), configMap('a', {}, { annotations: { k: 'x'.repeat(256 * 1024) } }));
  refused(answer, 422, 'Invalid', /metadata.annotations: Too long: may not be more than 262144 bytes$/);
});

test('a bad key of a configmap is refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(configMaps(ns), configMap('a', { 'a/b': 'x' }));
  refused(
    answer,
    422,
    'Invalid',
    /^ConfigMap "a" is invalid: data\[a\/b\]: Invalid value: "a\/b": a valid config key must consist of/,
  );
});

test('several faults are told together', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(configMaps(ns), configMap('A', {}, { labels: { k: '!' } }));
  refused(
    answer,
    422,
    'Invalid',
    /^ConfigMap "A" is invalid: \[metadata.name: Invalid value: .*, metadata.labels: Invalid value: /,
  );
});

test('an owner reference needs all its parts', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const owner = { apiVersion: '', kind: '', name: '', uid: '' };
  const answer = await api.create(configMaps(ns), configMap('a', {}, { ownerReferences: [owner] }));
  refused(answer, 422, 'Invalid', /metadata.ownerReferences.*must not be empty/);
});

test('two controlling owners are refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const owner = (name: string): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name,
    uid: `u-${name}`,
    controller: true,
  });
  const answer = await api.create(configMaps(ns), configMap('a', {}, { ownerReferences: [owner('x'), owner('y')] }));
  refused(answer, 422, 'Invalid', /Only one reference can have Controller set to true/);
});

test('a finalizer without a domain is refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(configMaps(ns), configMap('a', {}, { finalizers: ['plain'] }));
  refused(
    answer,
    422,
    'Invalid',
    /metadata.finalizers\[?0?\]?: Invalid value: "plain": name is neither a standard finalizer name nor is it fully qualified/,
  );
});

test('a value of the wrong type is refused with its place', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(configMaps(ns), { ...configMap('a'), data: { k: 5 } });
  refused(
    answer,
    400,
    'BadRequest',
    /^ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap\.data of type string$/,
  );
});

test('an unknown field is warned of by default and dropped', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(
    configMaps(ns),
    { ...configMap('a'), bogus: 1 },
    { query: { fieldValidation: 'Warn' } },
  );
  const made = ok(answer, 201);
  assert.equal(made.bogus, undefined);
  assert.equal(answer.headers.warning, '299 - "unknown field \\"bogus\\""');
});

test('an unknown field is ignored silently when asked to', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(
    configMaps(ns),
    { ...configMap('a'), bogus: 1 },
    { query: { fieldValidation: 'Ignore' } },
  );
  ok(answer, 201);
  assert.equal(answer.headers.warning, undefined);
});

test('an unknown field is refused under strict validation', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const body = { ...configMap('a'), metadata: { name: 'a', nope: 1 }, bogus: 1 };
  const answer = await api.create(configMaps(ns), body, { query: { fieldValidation: 'Strict' } });
  refused(
    answer,
    400,
    'BadRequest',
    /^ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field /,
  );
  assert.match(text(answer.body.message), /unknown field "bogus"/);
  assert.match(text(answer.body.message), /unknown field "metadata.nope"/);
});

test('a duplicate field is refused under strict validation', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"1"},"data":{"k":"2"}}';
  const answer = await api.create(configMaps(ns), body, { query: { fieldValidation: 'Strict' } });
  refused(answer, 400, 'BadRequest', /strict decoding error: duplicate field "data"/);
});

test('an unknown value of fieldValidation is refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(configMaps(ns), configMap('a'), { query: { fieldValidation: 'Maybe' } });
  refused(
    answer,
    422,
    'Invalid',
    /fieldValidation: Unsupported value: "Maybe": supported values: .*"Ignore", "Strict", "Warn"/,
  );
});

test('a body of another kind than the path is refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(configMaps(ns), { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } });
  refused(
    answer,
    400,
    'BadRequest',
    'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
  );
});

test('a body of another API version than the path is refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const answer = await api.create(configMaps(ns), {
    apiVersion: 'apps/v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
  });
  refused(answer, 400, 'BadRequest', /apps\/v1/);
});

test('a body without kind and apiVersion is taken for what the path says', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const made = ok(await api.create(configMaps(ns), { metadata: { name: 'a' } }), 201);
  assert.equal(made.kind, 'ConfigMap');
});

test('a deployment without a matching selector is refused', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'y' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };
  const answer = await api.create(`/apis/apps/v1/namespaces/${ns}/deployments`, deployment);
  refused(
    answer,
    422,
    'Invalid',
    'Deployment.apps "d" is invalid: spec.template.metadata.labels: Invalid value: {"app":"y"}: `selector` does not match template `labels`',
  );
});

test('a required field of a built-in kind is missed', async () => {
  const [api, ns] = [await admin(), await namespace()];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [] } };
  const answer = await api.create(`/api/v1/namespaces/${ns}/pods`, pod);
  refused(answer, 422, 'Invalid', /^Pod "p" is invalid: spec.containers: Required value$/);
});
