import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPatience } from './patience.ts';

test('waits grow to a longest one, and end once the server has been away too long', () => {
  let now = 0;
  const patience = createPatience(() => now);
  const waits: number[] = [];
  for (let wait = patience.next('a'); wait !== undefined; wait = patience.next('a')) {
    waits.push(wait);
    now += wait;
  }
  assert.deepEqual(waits.slice(0, 6), [1000, 2000, 4000, 8000, 15_000, 15_000]);
  assert.ok(now >= 300_000 && now < 330_000, `it ended after ${now}`);
  assert.equal(patience.next('a'), 1000, 'the next outage begins anew');
});

test('a server may be cold for a while after a fault, and not for ever', () => {
  let now = 100_000;
  const patience = createPatience(() => now);
  assert.equal(patience.mayBeCold(['a']), false);
  patience.faulted('a');
  now += 60_000;
  assert.equal(patience.mayBeCold(['b', 'a']), true, 'the first refusal after the fault');
  now += 19_000;
  assert.equal(patience.mayBeCold(['b', 'a']), true);
  now += 1_000;
  assert.equal(patience.mayBeCold(['b', 'a']), false);
});

test('a server that has done something for us is not cold', () => {
  const patience = createPatience(() => 0);
  patience.faulted('a');
  patience.over('instance', ['a']);
  assert.equal(patience.mayBeCold(['a']), false);
});

test('a fault that one noticed holds up nobody else’s refusal', () => {
  const patience = createPatience(() => 0);
  patience.faulted('team-a/dead-cluster');
  assert.equal(patience.mayBeCold(['team-b/app', 'control/in-cluster']), false);
});

test('an answer ends the waiting, of that Application alone', () => {
  const patience = createPatience(() => 0);
  for (const instance of ['a', 'b']) assert.equal(patience.next(instance), 1000);
  patience.over('a');
  assert.deepEqual([patience.next('a'), patience.next('b')], [1000, 2000]);
});
