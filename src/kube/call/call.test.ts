import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArgosyError, type ErrorCode, type ErrorDetails } from '../../core/errors/index.ts';
import { markUnprocessed } from '../errors/network.ts';
import { CallLimit } from '../transport/limit.ts';
import { Limiter } from './limiter.ts';
import { backoff, isOfColdServer, nextDelay, type Repeatable } from './retry.ts';

const half = (): number => 0.5;
const delay = (code: ErrorCode, repeatable: Repeatable, details: ErrorDetails = {}, attempt = 1): number | undefined =>
  nextDelay(new ArgosyError(code, 'x', details), attempt, repeatable, half);

const rows: readonly (readonly [ErrorCode, ErrorDetails, boolean, boolean])[] = [
  // code, details, repeated if it may be done twice, repeated if it may not
  ['kube-busy', { retryAfterMs: 1000 }, true, true],
  ['kube-busy', {}, true, false],
  ['kube-busy', { retryAfterMs: 1000, causes: [{ field: '', reason: 'DisruptionBudget', message: '' }] }, false, false],
  ['kube-unavailable', { status: 503 }, true, false],
  ['kube-unavailable', { status: 500 }, false, false],
  ['kube-unavailable', { status: 403 }, false, false],
  ['kube-unreachable', {}, true, false],
  ['kube-timeout', {}, false, false],
  ['kube-timeout', { status: 504 }, true, false],
  ['kube-conflict', {}, false, false],
  ['kube-forbidden', {}, false, false],
  ['kube-tls', {}, false, false],
  ['kube-malformed', {}, false, false],
];
for (const [code, details, always, unprocessed] of rows)
  test(`${code} ${JSON.stringify(details)}: ${always} for what may be done twice, ${unprocessed} for the rest`, () => {
    assert.equal(delay(code, 'always', details) !== undefined, always);
    assert.equal(delay(code, 'unprocessed', details) !== undefined, unprocessed);
  });

test('what never reached the server is sent again whatever the verb', () => {
  const error = markUnprocessed(new ArgosyError('kube-unreachable', 'refused'));
  assert.notEqual(nextDelay(error, 1, 'unprocessed', half), undefined);
});

test('waits at least as long as the server asks, and gives up after five attempts', () => {
  assert.ok((delay('kube-busy', 'always', { retryAfterMs: 3000 }) ?? 0) >= 3000);
  assert.equal(delay('kube-unreachable', 'always', {}, 5), undefined);
  assert.ok(backoff(50, () => 1) <= 30_000);
  assert.ok(backoff(0, () => 0) >= 100);
});

async function run(
  limiter: Limiter,
  calls: number,
  ms: (underWay: number) => number,
  end: 'fine' | 'overloaded' = 'fine',
): Promise<number> {
  const limit = new CallLimit('x', undefined, undefined);
  let underWay = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: calls }, async () => {
      await limiter.acquire(limit);
      most = Math.max(most, ++underWay);
      const took = ms(underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay--;
      limiter.release(end, took);
    }),
  );
  return most;
}

test('the limit grows while answers stay quick, and calls never pass it', async () => {
  const limiter = new Limiter({ start: 4, floor: 1, ceiling: 20 });
  assert.ok((await run(limiter, 2000, () => 5)) <= 20);
  assert.equal(limiter.limit, 20);
});

test('the limit stays where more calls only wait longer', async () => {
  const limiter = new Limiter({ start: 4, floor: 1, ceiling: 60 });
  await run(limiter, 50, () => 5);
  await run(limiter, 3000, (underWay) => 5 * underWay);
  assert.ok(limiter.limit < 30, String(limiter.limit));
});

test('an overload halves the limit once per round, never below the floor', async () => {
  const limiter = new Limiter({ start: 16, floor: 2, ceiling: 60 });
  await run(limiter, 16, () => 5, 'overloaded');
  assert.ok(limiter.limit <= 8);
  await run(limiter, 500, () => 5, 'overloaded');
  assert.equal(limiter.limit, 2);
});

test('who gives up while waiting takes no turn', async () => {
  const limiter = new Limiter({ start: 1, floor: 1, ceiling: 1 });
  const stay = new CallLimit('x', undefined, undefined);
  assert.equal(limiter.acquire(stay), undefined);
  const impatient = new CallLimit('x', 5, undefined);
  const refused = limiter.acquire(impatient);
  const third = limiter.acquire(stay);
  await assert.rejects(async () => refused, { code: 'kube-timeout' });
  limiter.release('fine', 1);
  await third;
});

test('a 403 right after a fault says nothing; alone, or after a busy server, it does', () => {
  const error = (code: ErrorCode): ArgosyError => new ArgosyError(code, 'x');
  const forbidden = error('kube-forbidden');
  for (const before of ['kube-unreachable', 'kube-unavailable', 'kube-timeout'] as const)
    assert.equal(isOfColdServer(forbidden, error(before)), true, before);
  assert.equal(isOfColdServer(forbidden, undefined), false);
  assert.equal(isOfColdServer(forbidden, error('kube-busy')), false);
  assert.equal(isOfColdServer(error('kube-invalid'), error('kube-unreachable')), false);
});
