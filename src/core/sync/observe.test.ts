import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Health } from '../health/index.ts';
import type { KubeObject } from '../objects/index.ts';
import type { Item } from './item.ts';
import { observe } from './observe.ts';

const object: KubeObject = { apiVersion: 'example.io/v1', kind: 'Widget', metadata: { name: 'w' } };
const key = { group: 'example.io', kind: 'Widget', namespace: '', name: 'w' };

function phaseWith(health: Health | undefined, hook: boolean): string | undefined {
  const item: Item = {
    key,
    version: 'v1',
    phase: 'Sync',
    wave: 0,
    target: { key, object, options: [] } as unknown as Item['target'], // only its presence counts here
    live: { key, object },
    modified: false,
    hook: hook ? { policies: [] } : undefined,
    result: { hookPhase: 'Running', status: 'Synced' } as NonNullable<Item['result']>,
  };
  return observe(item, () => health, true).result?.hookPhase;
}

test('53: a wave waits for an object whose check has an empty answer, and a hook with one is done', () => {
  assert.equal(phaseWith({ status: '' }, false), 'Running');
  assert.equal(phaseWith({ status: '' }, true), 'Succeeded');
  assert.equal(phaseWith(undefined, false), 'Succeeded');
  assert.equal(phaseWith({ status: 'Unknown' }, false), 'Running');
  assert.equal(phaseWith({ status: 'Unknown' }, true), 'Failed');
});
