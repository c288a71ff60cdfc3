import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { at, type Json, type JsonObject, own } from '../json/index.ts';
import {
  type ApplyRequest,
  applyObject,
  compareFields,
  conflictMessage,
  fieldSetOf,
  isEmpty,
  migrateManager,
  parseManagers,
  sameSet,
  schemaFromOpenApi,
  setOf,
  updateManagedFields,
} from './index.ts';

const text = { type: 'string' };
const schema = schemaFromOpenApi({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        a: text,
        b: text,
        map: { type: 'object', additionalProperties: text },
        list: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', properties: { name: text, value: text } },
        },
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        atom: { type: 'array', items: text },
      },
    },
    status: { type: 'object', properties: { ready: { type: 'integer' } } },
  },
});
const resolve = (): undefined => undefined;
const typing = { schema, resolve, apiVersion: 'example.com/v1' };

function thing(spec: JsonObject): JsonObject {
  return { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'x', namespace: 'n' }, spec };
}

type Who = Pick<ApplyRequest, 'manager'> & Partial<ApplyRequest>;

function apply(live: JsonObject | undefined, spec: JsonObject, who: Who): JsonObject {
  const result = applyObject({ ...typing, live, applied: thing(spec), now: new Date(0), ...who });
  assert.ok(
    result.outcome === 'applied',
    result.outcome === 'conflict' ? conflictMessage(result.conflicts) : result.outcome,
  );
  return result.object;
}

const value = fc.constantFrom('1', '2');
const name = fc.constantFrom('p', 'q', 'r');
const spec = fc
  .record(
    {
      a: value,
      b: value,
      map: fc.dictionary(name, value, { minKeys: 1 }),
      list: fc.uniqueArray(fc.record({ name, value }, { requiredKeys: ['name'] }), {
        selector: (item) => item.name,
        minLength: 1,
      }),
      set: fc.uniqueArray(name, { minLength: 1 }),
      atom: fc.array(value, { minLength: 1 }),
    },
    { requiredKeys: [] },
  )
  .map((drawn) => JSON.parse(JSON.stringify(drawn)) as JsonObject);

test('applying twice is applying once', () => {
  fc.assert(
    fc.property(spec, spec, (first, second) => {
      const live = apply(apply(undefined, first, { manager: 'm' }), second, { manager: 'm' });
      assert.deepEqual(apply(live, second, { manager: 'm', now: new Date(9_000_000) }), live);
    }),
  );
});

test('a lone applier gets exactly what it applies, whatever it applied before', () => {
  fc.assert(
    fc.property(spec, spec, (first, second) => {
      const live = apply(apply(undefined, first, { manager: 'm' }), second, { manager: 'm' });
      assert.ok(
        isEmpty(compareFields(own(live, 'spec') ?? {}, second, schema.properties?.['spec'] ?? {}, resolve).modified),
      );
      assert.deepEqual(names(own(live, 'spec')), names(second));
    }),
  );
});

test('a comparison of an object with itself is empty', () => {
  fc.assert(
    fc.property(spec, (given) => {
      const { added, modified, removed } = compareFields(
        thing(given),
        JSON.parse(JSON.stringify(thing(given))) as Json,
        schema,
        resolve,
      );
      assert.ok(isEmpty(added) && isEmpty(modified) && isEmpty(removed));
    }),
  );
});

test('what appears where nothing was is all that an object sets', () => {
  fc.assert(
    fc.property(spec, (given) => {
      const { added } = compareFields({}, thing(given), schema, resolve);
      for (const path of [['f:spec', 'f:a']])
        assert.equal(hasPath(added, path), hasPath(fieldSetOf(thing(given), schema, resolve), path));
    }),
  );
});

test('two appliers of unrelated fields may come in any order', () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      const [one, two] = [
        { a, map: { p: a } },
        { b, map: { q: b } },
      ];
      const ab = apply(apply(undefined, one, { manager: 'm' }), two, { manager: 'n' });
      const ba = apply(apply(undefined, two, { manager: 'n' }), one, { manager: 'm' });
      assert.deepEqual(own(ab, 'spec'), own(ba, 'spec'));
      assert.deepEqual(at(ab, 'metadata', 'managedFields'), at(ba, 'metadata', 'managedFields'));
    }),
  );
});

test('a forced apply leaves no owner of another value', () => {
  fc.assert(
    fc.property(spec, spec, (first, second) => {
      const live = apply(apply(undefined, first, { manager: 'm' }), second, { manager: 'n', force: true });
      const again = applyObject({ ...typing, live, applied: thing(second), manager: 'n', now: new Date(0) });
      assert.equal(again.outcome, 'applied');
    }),
  );
});

test('an update owns what it changed, and only a change has a new time', () => {
  const live = apply(undefined, { a: '1', b: '1' }, { manager: 'm' });
  const updated = { ...live, spec: { a: '2', b: '1' } };
  const once = updateManagedFields({ ...typing, live, updated, manager: 'u', now: new Date(60_000) });
  assert.deepEqual(owners(once), { 'm Apply': '1970-01-01T00:00:00Z', 'u Update': '1970-01-01T00:01:00Z' });
  const twice = updateManagedFields({ ...typing, live: once, updated: once, manager: 'u', now: new Date(120_000) });
  assert.deepEqual(twice, once);
});

test('an empty list or one empty entry resets the managed fields', () => {
  const live = { ...apply(undefined, { a: '1' }, { manager: 'm' }) };
  const stored = { ...live, metadata: { ...(live['metadata'] as JsonObject), uid: 'u' } };
  for (const managedFields of [[], [{}]]) {
    const updated = { ...stored, metadata: { ...stored.metadata, managedFields } };
    const reset = updateManagedFields({ ...typing, live: stored, updated, manager: 'u', now: new Date(0) });
    assert.equal(at(reset, 'metadata', 'managedFields'), undefined);
  }
});

test('status is nobody’s through the main resource', () => {
  const live = apply(undefined, { a: '1' }, { manager: 'm', ignored: setOf(['status']) });
  const updated = { ...live, status: { ready: 1 } };
  const next = updateManagedFields({
    ...typing,
    live,
    updated,
    manager: 'u',
    ignored: setOf(['status']),
    now: new Date(0),
  });
  assert.deepEqual(Object.keys(owners(next)), ['m Apply']);
});

test('fields of a former client-side apply move to the applier, so that it can remove them', () => {
  const created = updateManagedFields({
    ...typing,
    updated: thing({ a: '1', b: '2' }),
    manager: 'kubectl-client-side-apply',
    now: new Date(0),
  });
  const moved = migrateManager(at(created, 'metadata', 'managedFields'), {
    from: ['kubectl-client-side-apply', 'kubectl'],
    to: 'argocd-controller',
    apiVersion: 'example.com/v1',
  });
  assert.ok(moved);
  const live = { ...created, metadata: { ...(created['metadata'] as JsonObject), managedFields: moved } };
  assert.deepEqual(Object.keys(owners(live)), ['argocd-controller Apply']);
  const next = apply(live, { a: '1' }, { manager: 'argocd-controller' });
  assert.deepEqual(own(next, 'spec'), { a: '1' });
  assert.equal(migrateManager(moved, { from: ['kubectl'], to: 'argocd-controller', apiVersion: 'v1' }), undefined);
});

test('managed fields that cannot be read are an answer, not a crash', () => {
  const live = { ...thing({}), metadata: { name: 'x', managedFields: [{ manager: 'm', operation: 'Frob' }] } };
  assert.equal(applyObject({ ...typing, live, applied: thing({}), manager: 'm', now: new Date(0) }).outcome, 'invalid');
  assert.equal(parseManagers('x'), undefined);
});

test('names of the prototype are data to server-side apply too', () => {
  const map = JSON.parse('{"__proto__":"1","constructor":"2"}') as JsonObject;
  const live = apply(undefined, { map }, { manager: 'm' });
  assert.deepEqual(Object.keys((at(live, 'spec', 'map') ?? {}) as JsonObject), ['__proto__', 'constructor']);
  const next = apply(live, { map: { p: '1' } }, { manager: 'm' });
  assert.deepEqual(at(next, 'spec', 'map'), { p: '1' });
});

function owners(object: JsonObject): Record<string, string | undefined> {
  const managers = parseManagers(at(object, 'metadata', 'managedFields'));
  assert.ok(managers);
  return Object.fromEntries(
    [...managers.values()].map(({ manager, operation, time }) => [`${manager} ${operation}`, time]),
  );
}

function hasPath(set: ReturnType<typeof fieldSetOf>, [first = '', second = '']: readonly string[]): boolean {
  return set.children.get(first)?.members.has(second) ?? false;
}

/** The paths of a spec, whatever the order of its lists. */
function names(given: Json | undefined): string[] {
  const set = fieldSetOf(given ?? {}, schema.properties?.['spec'] ?? {}, resolve);
  assert.ok(sameSet(set, set));
  return [...set.members, ...set.children.keys()].sort();
}
