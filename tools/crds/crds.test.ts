import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { crds, printCrd } from './main.ts';
import type { Schema } from './schema.ts';

interface Crd {
  readonly spec: {
    readonly names: { readonly shortNames: readonly string[] };
    readonly versions: readonly {
      readonly subresources?: object;
      readonly additionalPrinterColumns?: readonly { readonly name: string }[];
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

const written = (file: string): string => readFileSync(new URL(`../../deploy/crds/${file}`, import.meta.url), 'utf8');
const crdIn = (file: string): Crd => load(written(file)) as Crd; // our own file

for (const [file, crd] of crds) {
  test(`deploy/crds/${file} is what the schemas say`, () => {
    assert.equal(written(file), printCrd(crd), 'run: node tools/crds/main.ts');
  });

  test(`${file} fits into the annotation of a client-side apply several times over`, () => {
    assert.ok(JSON.stringify(load(written(file))).length < 128 * 1024);
  });

  test(`${file} is structural: every value has a type, or says that anything goes`, () => {
    const schema = crdIn(file).spec.versions[0]?.schema.openAPIV3Schema;
    assert.ok(schema);
    check(schema, '');
  });
}

function check(schema: Schema, path: string): void {
  assert.ok(schema.type !== undefined || schema['x-kubernetes-int-or-string'], `${path} has no type`);
  for (const [name, each] of Object.entries(schema.properties ?? {})) check(each, `${path}.${name}`);
  for (const name of schema.required ?? []) assert.ok(schema.properties?.[name], `${path} requires ${name}`);
  if (schema.items !== undefined) check(schema.items, `${path}[]`);
  if (schema.additionalProperties !== undefined) check(schema.additionalProperties, `${path}{}`);
  assert.ok(schema.properties === undefined || schema.additionalProperties === undefined, path);
}

test('Applications and projects have no status subresource, as in Argo CD', () => {
  for (const file of ['application.yaml', 'appproject.yaml']) {
    assert.equal(crdIn(file).spec.versions[0]?.subresources, undefined);
  }
});

test('short names and columns are those of Argo CD', () => {
  assert.deepEqual(crdIn('application.yaml').spec.names.shortNames, ['app', 'apps']);
  assert.deepEqual(crdIn('appproject.yaml').spec.names.shortNames, ['appproj', 'appprojs']);
  assert.deepEqual(crdIn('applicationset.yaml').spec.names.shortNames, ['appset', 'appsets']);
  assert.deepEqual(
    crdIn('application.yaml').spec.versions[0]?.additionalPrinterColumns?.map(({ name }) => name),
    ['Sync Status', 'Health Status', 'Revision', 'Project'],
  );
});
