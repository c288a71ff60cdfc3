import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetsOf } from '../../core/diff/index.ts';
import { printKey } from '../../core/objects/index.ts';
import { compareInTurns } from './comparing.ts';

test('while an Application of many objects is compared, others have their turns', async () => {
  const data = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`k${n}`, 'x'.repeat(40)]));
  const objects = Array.from({ length: 10_000 }, (_, n) => ({
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c${n}` }, data },
    source: 0,
  }));
  const targets = targetsOf(objects, { instance: 'app', destinationNamespace: 'ns', namespaced: () => true });
  const live = new Map(targets.map(({ key, object }) => [printKey(key), { key, object }]));
  let turns = 0;
  let isOver = false;
  const others = (): void => {
    turns++;
    if (!isOver) setImmediate(others);
  };
  setImmediate(others);
  const { status } = await compareInTurns(targets, { objects: live, unknown: new Map() }, { instance: 'app' });
  isOver = true;
  assert.equal(status, 'Synced');
  assert.ok(turns > 2, `${turns} turns`);
});
