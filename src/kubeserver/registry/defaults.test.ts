import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isObject, type JsonObject, type MutableJsonObject, stringAt, thaw } from '../../core/json/index.ts';
import { canonicalQuantity, defaultBuiltIn, prepareBuiltIn } from './defaults.ts';

interface Row {
  readonly title: string;
  readonly given: JsonObject;
  readonly stored: JsonObject;
}

/** Recorded from a real kube-apiserver by tools/kube-types/record-defaults.ts. */
const rows = JSON.parse(readFileSync(new URL('testdata/defaults.json', import.meta.url), 'utf8')) as Row[];

for (const { title, given, stored } of rows)
  test(`a real API server stores the same of a ${title}`, () => {
    const [group, version, kind] = kindOf(given);
    const ours = prepareBuiltIn(group, version, kind, defaultBuiltIn(group, version, kind, given));
    assert.deepEqual(comparable(ours), comparable(stored));
  });

test('defaults are filled in once: a second pass changes nothing', () => {
  for (const { given } of rows) {
    const [group, version, kind] = kindOf(given);
    const once = defaultBuiltIn(group, version, kind, given);
    assert.deepEqual(defaultBuiltIn(group, version, kind, once), once);
  }
});

test('the object given is left as it was', () => {
  for (const { given } of rows) {
    const before = JSON.stringify(given);
    const [group, version, kind] = kindOf(given);
    defaultBuiltIn(group, version, kind, given);
    assert.equal(JSON.stringify(given), before);
  }
});

const quantities: readonly [string | number, string | undefined][] = [
  [0.5, '500m'],
  [1024, '1024'],
  ['1000', '1k'],
  ['0', '0'],
  ['1000m', '1'],
  ['1500m', '1500m'],
  ['1024Mi', '1Gi'],
  ['1.5Gi', '1536Mi'],
  ['0.5Gi', '512Mi'],
  ['2000Mi', '2000Mi'],
  ['512Ki', '512Ki'],
  ['0.5Ki', '512'],
  ['1Gi', '1Gi'],
  ['100000', '100k'],
  ['1e3', '1e3'],
  ['12e6', '12e6'],
  ['0.1', '100m'],
  ['-1.5', '-1500m'],
  ['1E', '1E'],
  ['100M', '100M'],
  ['.5', '500m'],
  ['1x', undefined],
  ['', undefined],
  ['.', '0'],
];

for (const [given, stored] of quantities)
  test(`the quantity ${JSON.stringify(given)} is stored as ${stored}`, () => {
    assert.equal(canonicalQuantity(given), stored);
  });

function kindOf(object: JsonObject): [string, string, string] {
  const [version = '', group = ''] = (stringAt(object, 'apiVersion') ?? '').split('/').reverse();
  return [group, version, stringAt(object, 'kind') ?? ''];
}

/** Without what the server allocates or admission sets: addresses, uids, times, taints, a pod's first status. */
function comparable(object: JsonObject): JsonObject {
  const copy = thaw(object);
  const spec = part(copy, 'spec');
  for (const key of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) delete spec[key];
  if (copy['kind'] === 'Pod' || copy['kind'] === 'Node') delete copy['status'];
  if (copy['kind'] === 'Node') delete spec['taints'];
  delete part(copy, 'status')['lastPhaseTransitionTime'];
  if (copy['kind'] === 'Job') {
    delete spec['selector'];
    delete part(copy, 'metadata')['labels'];
    delete part(part(spec, 'template'), 'metadata')['labels'];
  }
  if (Object.keys(spec).length === 0) delete copy['spec'];
  return JSON.parse(JSON.stringify(copy), quantityText) as JsonObject;
}

function part(object: MutableJsonObject, key: string): MutableJsonObject {
  const found = object[key];
  return isObject(found) ? (found as MutableJsonObject) : {}; // of a copy of our own
}

/** Quantities are made canonical where the type is read, not where defaults are filled in. */
function quantityText(key: string, value: unknown): unknown {
  const isAmount = key === 'cpu' || key === 'memory' || key === 'storage';
  return isAmount && (typeof value === 'string' || typeof value === 'number') ? canonicalQuantity(value) : value;
}
