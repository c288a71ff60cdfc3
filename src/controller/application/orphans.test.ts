import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Unowned, UnownedObject, Unseen } from '../../cache/index.ts';
import type { Application, OrphanedResources } from '../../core/api/index.ts';
import type { Comparison } from '../../core/diff/index.ts';
import type { GroupKind, ObjectKey } from '../../core/objects/index.ts';
import { orphanConditions } from './orphans.ts';

type Inputs = Parameters<typeof orphanConditions>[0];

const key = (text: string): ObjectKey => {
  const [kind = '', name = ''] = text.split(' ');
  return { group: '', kind, namespace: 'a', name };
};
const unowned = (...objects: readonly string[]): UnownedObject[] =>
  objects.map((text) => {
    const [what = '', instance = ''] = text.split(' of ');
    return { key: key(what), instance };
  });
const unseen = (kind: GroupKind | undefined, forbidden: boolean): Unseen => ({ kind, reason: 'it is dark', forbidden });
const secret = { group: '', kind: 'Secret' };

interface Asked {
  readonly settings?: OrphanedResources | undefined;
  readonly namespace?: string;
  readonly found?: Unowned;
  readonly comparison?: Comparison | undefined;
}

/** `said` text by text; undefined where what was said before stays. */
function said(asked: Asked): string[] | undefined {
  const { settings = { warn: true }, namespace = 'a', found = { objects: [], unseen: [] } } = asked;
  const inputs = {
    app: { spec: { destination: { namespace } } } as Application, // all that is read of it
    instance: 'shop',
    admitted: {
      orphanedResources: 'settings' in asked ? asked.settings : settings,
      permits: ({ kind }: ObjectKey) => ({ answer: kind === 'Job' ? 'denied' : 'allowed' }),
    } as unknown as Inputs['admitted'], // all that is read of it
    access: { unowned: () => found } as unknown as Inputs['access'], // all that is asked of it
  };
  const compared = { objects: [{ key: key('ConfigMap mine') }] } as unknown as Comparison; // all that is read of it
  const comparison = 'comparison' in asked ? asked.comparison : compared;
  const there = new Set(['argocd/other', 'team/app']);
  const world = {
    controlPlane: 'argocd',
    application: (name: string) => (there.has(name) ? { apiVersion: '', kind: '', metadata: {} } : undefined),
  };
  const [condition] = orphanConditions(inputs, comparison, world);
  return condition?.conditions.map(({ message }) => message);
}

const strays = unowned('ConfigMap x', 'ConfigMap y', 'ConfigMap mine', 'Job z', 'ConfigMap kube-root-ca.crt');

test('only what nobody manages counts', () => {
  const rows: [UnownedObject[], string[]][] = [
    [[], []],
    [strays, ['Application has 2 orphaned resources']],
    [unowned('ConfigMap x of shop', 'ConfigMap y of other', 'ConfigMap z of team_app'), []],
    [unowned('ConfigMap x of gone', 'ConfigMap y of team_gone'), ['Application has 2 orphaned resources']],
  ];
  for (const [objects, wanted] of rows) assert.deepEqual(said({ found: { objects, unseen: [] } }), wanted);
});

test('without the wish for a warning, or without a namespace, a former one is taken back', () => {
  for (const asked of [{ settings: undefined }, { settings: {} }, { settings: { warn: false } }, { namespace: '' }])
    assert.deepEqual(said({ ...asked, found: { objects: strays, unseen: [] } }), []);
});

test('what is not known yet leaves what was said, unless it could not count anyway', () => {
  const found = { objects: strays, unseen: [unseen(secret, false)] };
  assert.equal(said({ found }), undefined);
  assert.equal(said({ found: { objects: strays, unseen: [unseen(undefined, false)] } }), undefined);
  assert.equal(said({ comparison: undefined, found: { objects: strays, unseen: [] } }), undefined);
  const settings = { warn: true, ignore: [{ kind: 'Secret' }] };
  assert.deepEqual(said({ settings, found }), ['Application has 2 orphaned resources']);
  const denied = { objects: strays, unseen: [unseen({ group: '', kind: 'Job' }, false)] };
  assert.deepEqual(said({ found: denied }), ['Application has 2 orphaned resources']);
});

test('a kind that may not be read makes the number a least, and takes nothing back', () => {
  const missing = [unseen(secret, true)];
  assert.deepEqual(said({ found: { objects: strays, unseen: missing } }), [
    'Application has at least 2 orphaned resources: Secret may not be read',
  ]);
  assert.equal(said({ found: { objects: [], unseen: missing } }), undefined);
  const many = ['A', 'B', 'C', 'D', 'E'].map((kind) => unseen({ group: 'x.io', kind }, true));
  assert.deepEqual(said({ found: { objects: strays, unseen: many } }), [
    'Application has at least 2 orphaned resources: x.io/A, x.io/B, x.io/C and 2 more kinds may not be read',
  ]);
});
