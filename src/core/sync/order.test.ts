import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../objects/index.ts';
import { objectKey } from '../objects/index.ts';
import type { Item } from './item.ts';
import { inOrder } from './order.ts';

function itemOf(object: KubeObject, wave: number, phase: Item['phase'] = 'Sync'): Item {
  const key = objectKey(object);
  const target = { key, object, source: 0 };
  return {
    key,
    version: 'v1',
    phase,
    wave,
    target,
    live: undefined,
    modified: true,
    hook: undefined,
    result: undefined,
  };
}

const named = (kind: string, name: string, namespace?: string, apiVersion = 'v1'): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
});
const crdOf = (kind: string, group = 'example.io'): KubeObject => ({
  ...named('CustomResourceDefinition', `${kind.toLowerCase()}s.${group}`, undefined, 'apiextensions.k8s.io/v1'),
  spec: { group, names: { kind } },
});

/** The order in short: phase, wave and name of each. */
function ordered(items: readonly Item[]): string[] {
  return inOrder(items, { pruneLast: false }).map(({ phase, wave, key }) => `${phase} ${wave} ${key.name}`);
}

test('what others need comes right before the first of them, in its phase and wave', () => {
  const rows: readonly [string, Item[], string[]][] = [
    [
      'a Namespace of a later wave',
      [itemOf(named('ConfigMap', 'c', 'shop'), 0), itemOf(named('Namespace', 'shop'), 3)],
      ['Sync 0 shop', 'Sync 0 c'],
    ],
    [
      'a Namespace that a hook needs',
      [itemOf(named('Job', 'pre', 'shop'), 1, 'PreSync'), itemOf(named('Namespace', 'shop'), 0)],
      ['PreSync 1 shop', 'PreSync 1 pre'],
    ],
    [
      'a Namespace that comes first anyway',
      [itemOf(named('ConfigMap', 'c', 'shop'), 3), itemOf(named('Namespace', 'shop'), 0)],
      ['Sync 0 shop', 'Sync 3 c'],
    ],
    [
      'a CRD and a Namespace for one object',
      [
        itemOf(named('Widget', 'w', 'shop', 'example.io/v1'), 0),
        itemOf(crdOf('Widget'), 2),
        itemOf(named('Namespace', 'shop'), 1),
      ],
      ['Sync 0 shop', 'Sync 0 widgets.example.io', 'Sync 0 w'],
    ],
    [
      'a CRD of another group',
      [itemOf(named('Widget', 'w', '', 'example.io/v1'), 0), itemOf(crdOf('Widget', 'other.io'), 2)],
      ['Sync 0 w', 'Sync 2 widgets.other.io'],
    ],
    [
      'a Namespace without a name yet',
      [itemOf(named('ClusterRole', 'r', ''), 0), itemOf(named('Namespace', ''), 2)],
      ['Sync 0 r', 'Sync 2 '],
    ],
    [
      'a CRD that says it defines CRDs',
      [itemOf(crdOf('CustomResourceDefinition', 'apiextensions.k8s.io'), 2), itemOf(crdOf('Widget'), 0)],
      ['Sync 0 widgets.example.io', 'Sync 2 customresourcedefinitions.apiextensions.k8s.io'],
    ],
  ];
  for (const [what, items, wanted] of rows) assert.deepEqual(ordered(items), wanted, what);
});

/** How often the keys of so many Namespaces, each with an object of an earlier wave, are read to order them. */
function reads(count: number): number {
  let read = 0;
  const counting = (item: Item): Item => {
    const { key } = item;
    return Object.defineProperty({ ...item }, 'key', {
      enumerable: true,
      get: () => {
        read++;
        return key;
      },
    });
  };
  const items = Array.from({ length: count }, (_, n) => [
    counting(itemOf(named('Namespace', `n${n}`), n + 1)),
    counting(itemOf(named('ConfigMap', 'c', `n${n}`), n)),
  ]).flat();
  assert.equal(inOrder(items, { pruneLast: false }).length, 2 * count);
  return read;
}

test('many Namespaces with many objects are ordered without asking each about each', () => {
  const [some, fourfold] = [reads(500), reads(2000)];
  assert.ok(fourfold < 6 * some, `${some} reads for 500, ${fourfold} for 2,000`);
});
