import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from '../core/api/index.ts';
import { pollMsOf } from './poll.ts';

const settings = (written?: string) =>
  readSettings(new Map(written === undefined ? [] : [['timeout.reconciliation', written]])).value;

test('24: repositories are asked as often as the flag or timeout.reconciliation says, and never at 0s', () => {
  assert.equal(pollMsOf(settings(), undefined), 10_000);
  assert.equal(pollMsOf(settings('5m'), undefined), 300_000);
  assert.equal(pollMsOf(settings('5m'), 1000), 1000);
  assert.equal(pollMsOf(settings('0s'), undefined), 0);
  assert.equal(pollMsOf(settings('0s'), 1000), 0);
  assert.equal(pollMsOf(settings(), 0), 0);
});
