import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextStart, parseCron } from './cron.ts';
import { zoneOffset } from './zone.ts';

const after = Date.UTC(2026, 10, 15, 20, 0); // a Sunday
const starts: readonly [schedule: string, next: string | undefined][] = [
  ['* * * * *', '2026-11-15T20:01:00.000Z'],
  ['0 20 * * *', '2026-11-16T20:00:00.000Z'],
  ['*/15 * * * *', '2026-11-15T20:15:00.000Z'],
  ['5/20 * * * *', '2026-11-15T20:05:00.000Z'],
  ['0 9-17/4 * * *', '2026-11-16T09:00:00.000Z'],
  ['0 0 1 * *', '2026-12-01T00:00:00.000Z'],
  ['0 0 * * MON', '2026-11-16T00:00:00.000Z'],
  ['0 0 20 * mon', '2026-11-16T00:00:00.000Z'],
  ['0 0 */7 * tue', '2026-11-17T00:00:00.000Z'],
  ['0 0 * * tue', '2026-11-17T00:00:00.000Z'],
  ['0 0 29 2 *', '2028-02-29T00:00:00.000Z'],
  ['30 12 24 dec ?', '2026-12-24T12:30:00.000Z'],
  ['0 0 30 2 *', undefined],
];
for (const [schedule, next] of starts) {
  test(`${schedule} begins next at ${next ?? 'no time'}`, () => {
    const cron = parseCron(schedule);
    assert.ok(cron);
    const found = nextStart(cron, after);
    assert.equal(found === undefined ? undefined : new Date(found).toISOString(), next);
  });
}

test('what is no schedule is refused', () => {
  const wrong = [
    '',
    '* * * *',
    '* * * * * *',
    '@daily',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 7',
    '5-1 * * * *',
    '*/0 * * * *',
    '1,,2 * * * *',
    'a * * * *',
    '1/2/3 * * * *',
    'TZ=UTC * * * *',
    `${'1,'.repeat(200)}1 * * * *`,
  ];
  for (const schedule of wrong) assert.equal(parseCron(schedule), undefined, schedule);
});

test('the offset of a zone is that of the instant', () => {
  assert.equal(zoneOffset('Europe/Vienna', Date.UTC(2026, 0, 1)), 3_600_000);
  assert.equal(zoneOffset('Europe/Vienna', Date.UTC(2026, 6, 1)), 7_200_000);
  assert.equal(zoneOffset('America/New_York', Date.UTC(2026, 0, 1)), -5 * 3_600_000);
  assert.equal(zoneOffset('Asia/Kolkata', Date.UTC(2026, 0, 1)), 5.5 * 3_600_000);
  assert.equal(zoneOffset('UTC', 0), 0);
  assert.equal(zoneOffset('', 0), 0);
});

test('an unknown zone has none', () => {
  for (const zone of ['Nowhere/City', '../etc/passwd', 'a'.repeat(100), '__proto__'])
    assert.equal(zoneOffset(zone, 0), undefined);
});
