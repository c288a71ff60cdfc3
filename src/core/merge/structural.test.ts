import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { at, type Json, stringAt } from '../json/index.ts';
import { structuralProblems } from './index.ts';

interface Row {
  readonly title: string;
  readonly schema: Json;
  readonly status: number;
  readonly body: Json;
}

/** Recorded from a real kube-apiserver by tools/kube-types/record-merge.ts. */
const rows = JSON.parse(readFileSync(new URL('testdata/structural.json', import.meta.url), 'utf8')) as readonly Row[];

/** What a parser of patterns or of CEL says is its own. */
const foreign = /(, but isn't|compilation failed).*$/s;

for (const { title, schema, body } of rows)
  test(`a real API server says the same of a schema with ${title}`, () => {
    const found = structuralProblems(schema, 'spec.validation.openAPIV3Schema');
    const causes = (at(body, 'details', 'causes') ?? []) as readonly Json[];
    assert.deepEqual(
      found.map(({ path, message, reason }) => line(path, message, reason)).sort(),
      causes.map((row) => line(stringAt(row, 'field'), stringAt(row, 'message'), stringAt(row, 'reason'))).sort(),
    );
  });

function line(field = '', message = '', reason = ''): string {
  const text = message.includes('compilation failed') ? 'compilation failed' : message.replace(foreign, '');
  return `${field}: ${text} (${reason})`;
}
