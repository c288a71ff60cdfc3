import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutForeignFields, cutManagedFields, fieldsOf, managerBytes } from './managed-fields.ts';

function cut(text: string, inside?: readonly string[]): unknown {
  const bytes = Buffer.from(`##${text}##`);
  const end = bytes.length - 2;
  return JSON.parse(bytes.toString('utf8', cutManagedFields(bytes, 2, end, inside), end));
}

const managed = [{ manager: 'kubectl', fieldsV1: { 'f:data': { 'f:a"}]': {} } } }];

test('cuts managedFields out of metadata, wherever it stands, and nothing else', () => {
  const key = fc.constantFrom('name', 'labels', 'managedFields', 'a"b', '__proto__', 'metadata');
  const value = fc.oneof(fc.jsonValue(), fc.constant(managed));
  const object = fc.array(fc.tuple(key, value), { maxLength: 6 }).map((pairs) => new Map(pairs));
  const print = (map: Map<string, unknown>): string =>
    `{${[...map].map(([name, one]) => `${JSON.stringify(name)}:${JSON.stringify(one)}`).join(',')}}`;
  fc.assert(
    fc.property(object, object, (meta, rest) => {
      rest.delete('metadata');
      const text = `{"managedFields":[1],"spec":{"metadata":{"managedFields":1}},"metadata":${print(meta)},"rest":${print(rest)}}`;
      const without = new Map(meta);
      without.delete('managedFields');
      const expected = `{"managedFields":[1],"spec":{"metadata":{"managedFields":1}},"metadata":${print(without)},"rest":${print(rest)}}`;
      assert.deepEqual(cut(text), JSON.parse(expected));
    }),
    { numRuns: 500 },
  );
});

test('cuts it out of the object of a watch event', () => {
  const event = {
    type: 'ADDED',
    object: { kind: 'X', metadata: { name: 'a', managedFields: managed }, spec: { metadata: {} } },
  };
  assert.deepEqual(cut(JSON.stringify(event), ['object', 'metadata']), {
    type: 'ADDED',
    object: { kind: 'X', metadata: { name: 'a' }, spec: { metadata: {} } },
  });
});

test('leaves broken JSON to the parser', () => {
  for (const text of [
    '{"metadata":{"managedFields":[',
    '{"metadata":{"managedFields":',
    '{"metadata":{"managedFields":"x',
  ])
    assert.throws(() => cut(text), SyntaxError);
});

test('the entries of one manager are kept where they are asked for, and nobody else’s', () => {
  const object = (manager: string): string =>
    JSON.stringify({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', managedFields: [{ manager: 'kubectl' }, { manager }] },
    });
  const read = (manager: string): unknown => {
    const bytes = Buffer.from(object(manager));
    const cut = cutForeignFields(
      bytes,
      { start: 0, end: bytes.length, inside: ['metadata'] },
      managerBytes('argocd-controller'),
    );
    const parsed = JSON.parse(bytes.toString('utf8', cut.start)) as { metadata: { managedFields?: unknown } };
    return cut.kept ? fieldsOf('argocd-controller', parsed.metadata.managedFields) : parsed.metadata.managedFields;
  };
  assert.deepEqual(read('argocd-controller'), [{ manager: 'argocd-controller' }]);
  assert.equal(read('other'), undefined);
});
