import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OperationsSeen } from './operations-seen.ts';

const key = 'team/shop';
const text = '2026-01-01T00:00:00Z';
const time = Date.parse(text);

test('the beginning of an operation is believed where it was begun here, and as long as it runs', () => {
  const seen = new OperationsSeen();
  assert.equal(seen.begunAt(key, text), undefined);
  seen.begin(key, text, time);
  assert.equal(seen.begunAt(key, text), time);
  assert.equal(seen.begunAt(key, '2025-12-31T00:00:00Z'), undefined);
  assert.equal(seen.begunAt('team/other', text), undefined);
  seen.over(key);
  assert.equal(seen.begunAt(key, text), undefined);
});

test('looking at an operation that somebody wrote does not make it ours', () => {
  const seen = new OperationsSeen();
  seen.since(key, text, time + 5000);
  assert.equal(seen.begunAt(key, text), undefined);
});

test('a time in the future, or none, counts from the first look', () => {
  const seen = new OperationsSeen();
  const future = '2036-01-01T00:00:00Z';
  assert.equal(seen.since(key, future, time), time);
  assert.equal(seen.since(key, future, time + 60_000), time);
  assert.equal(seen.since(key, 'never', time + 60_000), time + 60_000);
  assert.equal(seen.since(key, text, time + 60_000), time);
});

test('an operation pauses until its time, and no longer than it runs', () => {
  const seen = new OperationsSeen();
  assert.equal(seen.pausesFor(key, time), 0);
  seen.pause(key, time + 2000);
  assert.deepEqual([seen.pausesFor(key, time), seen.pausesFor(key, time + 2000)], [2000, 0]);
  seen.over(key);
  assert.equal(seen.pausesFor(key, time), 0);
});

test('what another controller takes further is left to it until it has been quiet for a while', () => {
  const seen = new OperationsSeen();
  assert.equal(seen.elsewhereFor('a/1', 0), 0);
  seen.movedElsewhere('a/1', 1000);
  assert.equal(seen.elsewhereFor('a/1', 4000), 7000);
  seen.movedElsewhere('a/1', 5000);
  assert.equal(seen.elsewhereFor('a/1', 6000), 9000);
  assert.equal(seen.elsewhereFor('a/2', 6000), 0);
  assert.equal(seen.elsewhereFor('a/1', 15_000), 0);
  seen.movedElsewhere('a/1', 20_000);
  seen.over('a/1');
  assert.equal(seen.elsewhereFor('a/1', 20_000), 0);
});
