import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextChange } from './window-state.ts';

const at = (text: string): number => Date.parse(text);
const told = (change: number | undefined): string =>
  change === undefined ? 'never' : new Date(Math.round(change / 1000) * 1000).toISOString().slice(0, 16);

// In Berlin clocks go from 2:00 to 3:00 on 29 March 2026 (01:00 UTC), and from 3:00 to 2:00 on 25 October (01:00 UTC).
const rows: readonly [what: string, schedule: string, duration: string, now: string, next: string][] = [
  ['on an ordinary day', '30 5 * * *', '1h', '2026-03-27T12:00:00Z', '2026-03-28T04:30'],
  ['in the morning after clocks went forward', '30 5 * * *', '1h', '2026-03-28T12:00:00Z', '2026-03-29T03:30'],
  ['at a time that is skipped', '30 2 * * *', '2h', '2026-03-28T12:00:00Z', '2026-03-29T01:00'],
  ['at its end, when clocks go forward meanwhile', '0 1 * * *', '4h', '2026-03-29T00:30:00Z', '2026-03-29T03:00'],
  ['at the first look, when clocks go back until then', '30 5 * * *', '1h', '2026-10-24T12:00:00Z', '2026-10-25T03:30'],
  ['and at the second', '30 5 * * *', '1h', '2026-10-25T03:30:00Z', '2026-10-25T04:30'],
];

for (const [what, schedule, duration, now, next] of rows) {
  test(`a window is looked at again no later than it changes: ${what}`, () => {
    const window = { kind: 'allow', schedule, duration, timeZone: 'Europe/Berlin', applications: ['*'] };
    assert.equal(told(nextChange(window, at(now))), next);
  });
}
