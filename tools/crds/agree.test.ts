import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseApplication, parseAppProject, printProblems } from '../../src/core/api/index.ts';
import { isArray, isObject, type Json, type JsonObject, thaw } from '../../src/core/json/index.ts';
import { application } from './application.ts';
import { appProject } from './project.ts';
import type { Schema } from './schema.ts';

interface Crd {
  readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[] };
}

function schemaOf(crd: object): Schema {
  const schema = (crd as Crd).spec.versions[0]?.schema.openAPIV3Schema; // made by crdOf
  assert.ok(schema);
  const { spec, operation, status } = schema.properties ?? {};
  const parts = { spec, operation, status };
  const given = Object.entries(parts).filter((entry): entry is [string, Schema] => entry[1] !== undefined);
  return { type: 'object', properties: Object.fromEntries(given), required: ['spec'] };
}

const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
const key = fc.constantFrom('a', 'b-c', 'app.kubernetes.io/name', 'constructor');

/** Anything the API server would store under a schema. */
function anyOf(schema: Schema): fc.Arbitrary<Json> {
  if (schema['x-kubernetes-int-or-string']) return fc.oneof(fc.integer(), fc.constantFrom('3', '25%'));
  if (schema['x-kubernetes-preserve-unknown-fields']) return fc.dictionary(key, json);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'string':
      return schema.format === 'date-time' ? fc.constant('2026-01-02T03:04:05Z') : fc.constantFrom('', 'x', '*', '!y');
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return schema.minimum === undefined ? fc.integer() : fc.nat();
    case 'array':
      return schema.items === undefined ? fc.constant([]) : fc.array(anyOf(schema.items), { maxLength: 2 });
    default:
      if (schema.additionalProperties !== undefined)
        return fc.dictionary(key, anyOf(schema.additionalProperties), { maxKeys: 2 });
      return anyObject(schema);
  }
}

function anyObject({ properties = {}, required = [] }: Schema): fc.Arbitrary<Json> {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, anyOf(each)]));
  return fc.record(fields, { requiredKeys: [...required] }) as fc.Arbitrary<Json>; // each field is JSON
}

const kinds = [
  ['Application', application, parseApplication],
  ['AppProject', appProject, parseAppProject],
] as const;

const objectOf = (kind: string, parts: Json): JsonObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind,
  metadata: { name: 'x', namespace: 'n' },
  ...(parts as JsonObject), // made from an object schema
});

for (const [kind, crd, parse] of kinds) {
  test(`every ${kind} the API server would store is read whole, without a copy`, () => {
    fc.assert(
      fc.property(anyOf(schemaOf(crd)), (parts) => {
        const object = objectOf(kind, parts);
        const result = parse(object);
        assert.ok(result.ok, result.ok ? '' : printProblems(result.problems));
        assert.deepEqual(result.warnings ?? [], []);
        assert.equal(result.value.spec, object['spec']);
        if (object['status'] !== undefined) assert.equal(result.value.status, object['status']);
      }),
      { numRuns: 300 },
    );
  });

  test(`whatever field of an ${kind} has the wrong type is named by its path`, () => {
    const schema = schemaOf(crd);
    const missed = [...leaves(schema, [])].filter((path) => {
      const wrong = planted(schema, path);
      const result = parse(objectOf(kind, wrong));
      const problems = result.ok ? (result.warnings ?? []) : result.problems;
      return !problems.some((problem) => problem.path === printPath(path));
    });
    assert.deepEqual(missed.map(printPath), []);
  });
}

type Step = string | 0;

/** The path of every typed value in a schema. */
function* leaves(schema: Schema, path: readonly Step[]): Iterable<readonly Step[]> {
  if (schema['x-kubernetes-preserve-unknown-fields'] || schema['x-kubernetes-int-or-string']) {
    // Durations and the like aside, these two take what others would refuse; a list is neither.
    yield path;
    return;
  }
  for (const [name, each] of Object.entries(schema.properties ?? {})) yield* leaves(each, [...path, name]);
  if (schema.items !== undefined) yield* leaves(schema.items, [...path, 0]);
  if (schema.additionalProperties !== undefined) yield* leaves(schema.additionalProperties, [...path, 'key']);
  if (path.length > 0) yield path;
}

/** A minimal object with a value of the wrong type at one place. */
function planted(schema: Schema, path: readonly Step[]): Json {
  const wrong: Json = typeAt(schema, path) === 'array' ? true : [];
  const built = path.reduceRight<Json>((inner, step) => (step === 0 ? [inner] : { [step]: inner }), wrong);
  const copy = thaw(built);
  if (isObject(copy) && !isArray(copy) && copy['spec'] === undefined) return { ...copy, spec: {} };
  return built;
}

function typeAt(schema: Schema, path: readonly Step[]): string {
  let current: Schema | undefined = schema;
  for (const step of path) {
    current = step === 0 ? current?.items : (current?.properties?.[step] ?? current?.additionalProperties);
  }
  return current?.type ?? '';
}

function printPath(path: readonly Step[]): string {
  return path.map((step, index) => (step === 0 ? '[0]' : index === 0 ? step : `.${step}`)).join('');
}
