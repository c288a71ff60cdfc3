import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { at, isArray, type Json, type JsonObject, objectAt, own, stringAt } from '../json/index.ts';
import { applyDefaults, prune, schemaFromOpenApi, strictDecodingError, validate } from './index.ts';

interface Row {
  readonly title: string;
  readonly spec: JsonObject;
  readonly old?: JsonObject;
  readonly status: number;
  readonly body: Json;
  readonly strict?: { readonly status: number; readonly body: Json };
}

/** Recorded from a real kube-apiserver by tools/kube-types/record-merge.ts. */
const [head, ...rest] = JSON.parse(
  readFileSync(new URL('testdata/validations.json', import.meta.url), 'utf8'),
) as Json[];
const rows = rest as unknown as readonly Row[];
const schema = schemaFromOpenApi(own(head, 'schema') ?? {});
const none = (): undefined => undefined;

for (const row of rows)
  test(`a real API server says the same of a widget with ${row.title}`, () => {
    const { object, problems } = judge(row);
    const found = problems.map(({ path, message, reason }) => ({ reason, message, field: path }));
    if (row.status < 300)
      assert.deepEqual({ spec: own(object, 'spec'), found }, { spec: at(row.body, 'spec'), found: [] });
    else assert.deepEqual(sorted(found), sorted(causesOf(row.body)));
  });

for (const { title, spec, strict } of rows.filter(({ strict }) => strict !== undefined))
  test(`a real API server finds the same unknown fields in a widget with ${title}`, () => {
    const { unknown } = prune(widget(spec), schema, none);
    // How the sentence begins is the handler's.
    const message = (stringAt(strict?.body, 'message') ?? '').replace(/^Widget in version .* as a Widget: /, '');
    assert.equal(strictDecodingError(unknown), message.includes('strict decoding') ? message : undefined);
  });

test('what was pruned, defaulted and found valid stays as it is', () => {
  for (const row of rows) {
    const { object, problems } = judge(row);
    if (problems.length > 0) continue;
    assert.deepEqual(applyDefaults(prune(object, schema, none).value, schema, none), object);
  }
});

function judge({ spec, old }: Row): { object: Json; problems: ReturnType<typeof validate> } {
  const object = read(spec);
  return { object, problems: validate(object, schema, none, old === undefined ? {} : { old: read(old) }) };
}

function read(spec: JsonObject): Json {
  return applyDefaults(prune(widget(spec), schema, none).value, schema, none);
}

function widget(spec: JsonObject): JsonObject {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'example', namespace: 'default' }, spec };
}

function causesOf(body: Json): Json[] {
  const causes = own(objectAt(body, 'details'), 'causes');
  return isArray(causes) ? [...causes] : [stringAt(body, 'message') ?? null];
}

function sorted(rows: readonly Json[]): string[] {
  return rows
    .map((row) => `${stringAt(row, 'field')}: ${stringAt(row, 'message')} (${stringAt(row, 'reason')})`)
    .sort();
}
