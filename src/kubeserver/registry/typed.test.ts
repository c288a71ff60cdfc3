import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../core/json/index.ts';
import { resolveBuiltin } from './builtins.ts';
import { decodeTyped } from './typed.ts';

const read = (type: string, object: JsonObject): ReturnType<typeof decodeTyped> =>
  decodeTyped(object, resolveBuiltin(type) ?? {}, resolveBuiltin, type);
const deployment = 'io.k8s.api.apps.v1.Deployment';
const configMap = 'io.k8s.api.core.v1.ConfigMap';

test('unknown fields are dropped and named with their place', () => {
  const found = read(deployment, { spec: { foo: 1, template: { spec: { containers: [{ name: 'a', bar: 2 }] } } } });
  assert.deepEqual(found.unknown, ['spec.foo', 'spec.template.spec.containers[0].bar']);
  assert.deepEqual(found.object, { spec: { template: { spec: { containers: [{ name: 'a' }] } } } });
});

const wrong: [string, string, JsonObject, string][] = [
  [
    'a number for text in a map',
    configMap,
    { data: { a: 1 } },
    'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
  ],
  [
    'text for a number',
    deployment,
    { spec: { replicas: 'x' } },
    'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
  ],
  [
    'a list for a struct',
    deployment,
    { spec: [] },
    'json: cannot unmarshal array into Go struct field Deployment.spec of type v1.DeploymentSpec',
  ],
];
for (const [title, type, object, problem] of wrong)
  test(`${title} is refused in Go's words`, () => assert.equal(read(type, object).problem, problem));

test('nulls and empty maps and lists go, an empty struct stays', () => {
  const { object } = read(deployment, {
    metadata: { labels: {}, annotations: null, finalizers: [] },
    spec: { template: { spec: { volumes: [{ name: 'v', emptyDir: {} }] } } },
  });
  assert.deepEqual(object, {
    metadata: {},
    spec: { template: { spec: { volumes: [{ name: 'v', emptyDir: {} }] } } },
  });
});

test('a number as a quantity becomes text', () => {
  const resources = { requests: { cpu: 1 } };
  const { object, problem } = read('io.k8s.api.core.v1.Container', { name: 'c', resources });
  assert.equal(problem, undefined);
  assert.deepEqual(object['resources'], { requests: { cpu: '1' } });
});

test('a key named __proto__ is data', () => {
  const { object } = read(configMap, JSON.parse('{"data":{"__proto__":"x"}}') as JsonObject);
  assert.equal(JSON.stringify(object), '{"data":{"__proto__":"x"}}');
});
