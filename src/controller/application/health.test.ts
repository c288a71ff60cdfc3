import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application } from '../../core/api/index.ts';
import type { ComparedObject, Comparison } from '../../core/diff/index.ts';
import type { Health } from '../../core/health/index.ts';
import { healthOf } from './health.ts';

const app = { metadata: { name: 'shop', namespace: 'team' }, spec: {} } as unknown as Application; // only its name counts

interface Part {
  readonly kind?: string;
  readonly name?: string;
  readonly health?: Health;
  readonly live?: false;
  readonly hook?: true;
  readonly annotations?: Record<string, string>;
}

function judge(...parts: readonly Part[]): ReturnType<typeof healthOf> {
  const healths = new Map<string, Health | undefined>();
  const objects = parts.map(({ kind = 'example.io/Widget', name = 'w', health, live, hook, annotations = {} }, i) => {
    const [group = '', word = ''] = kind.split('/');
    const key = { group, kind: word, namespace: 'team', name };
    const uid = String(i);
    healths.set(uid, health);
    const object = { apiVersion: `${group}/v1`, kind: word, metadata: { name, namespace: 'team', uid, annotations } };
    return { key, live: live === false ? undefined : { key, object }, hook: hook === true, status: 'Synced' };
  });
  const comparison = { objects: objects as unknown as ComparedObject[], errors: [] } as unknown as Comparison; // what is not read here is left out
  return healthOf(app, comparison, {
    controlPlane: 'argocd',
    health: ({ metadata }) => healths.get(metadata.uid ?? ''),
  });
}

const healthy: Part = { health: { status: 'Healthy' } };
const child = (status: 'Missing' | 'Unknown' | 'Degraded', name = 'child'): Part => ({
  kind: 'argoproj.io/Application',
  name,
  health: { status },
});

const rows: readonly (readonly [title: string, parts: Part[], wanted: string])[] = [
  [
    '112: a child Application without a check leaves its parent alone',
    [healthy, { kind: 'argoproj.io/Application' }],
    'Healthy',
  ],
  ['a degraded child counts where a check tells its health', [healthy, child('Degraded')], 'Degraded'],
  ['a child that is missing or unknown does not count', [healthy, child('Missing'), child('Unknown')], 'Healthy'],
  ['an Application among its own manifests does not count', [healthy, child('Degraded', 'shop')], 'Healthy'],
  ['113: one of ten objects missing leaves the health of the others', [healthy, { live: false }], 'Healthy'],
  [
    '114: an object that asks to be passed over is',
    [healthy, { health: { status: 'Degraded' }, annotations: { 'argocd.argoproj.io/ignore-healthcheck': 'true' } }],
    'Healthy',
  ],
  ['a hook does not count', [healthy, { hook: true, health: { status: 'Degraded' } }], 'Healthy'],
  ['2: an Application some of whose objects are there is not missing', [{ live: false }, healthy], 'Healthy'],
  ['1: an Application none of whose objects is there is missing', [{ live: false }, { live: false }], 'Missing'],
  ['3: an Application without objects is healthy', [], 'Healthy'],
  ['53: an empty answer is passed over', [healthy, { health: { status: '' } }], 'Healthy'],
];

for (const [title, parts, wanted] of rows) {
  test(title, () => assert.deepEqual(judge(...parts), { health: { status: wanted }, errors: [] }));
}

test('a check that fails makes the health unknown and is told with its object', () => {
  const failed: Part = { health: { status: 'Unknown', message: 'line 2: boom', failed: true } };
  const { health, errors } = judge(healthy, failed);
  assert.equal(health.status, 'Unknown');
  assert.deepEqual(errors, ['the health of example.io/Widget:team/w cannot be told: line 2: boom']);
  assert.deepEqual(judge({ ...failed, hook: true }).errors, []);
});
