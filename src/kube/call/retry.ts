import type { ArgosyError } from '../../core/errors/index.ts';
import { isUnprocessed } from '../errors/network.ts';

/** May a call be sent twice? `always`: doing it twice is doing it once; `unprocessed`: only if the server surely did nothing. */
export type Repeatable = 'always' | 'unprocessed';

const maxAttempts = 5;
const baseMs = 100;
const maxMs = 5_000;

/** How long to wait before the next attempt, or undefined if there must be none. */
export function nextDelay(
  error: ArgosyError,
  attempt: number,
  repeatable: Repeatable,
  random: () => number,
): number | undefined {
  if (attempt >= maxAttempts || !mayRepeat(error, repeatable)) return undefined;
  const step = Math.min(maxMs, baseMs * 2 ** (attempt - 1));
  // Jitter after what the server asked for, so that all its clients do not come back at once.
  return (error.retryAfterMs ?? step / 2) + (random() * step) / 2;
}

function mayRepeat(error: ArgosyError, repeatable: Repeatable): boolean {
  switch (error.code) {
    case 'kube-busy':
      // A server that names a time to come back rejected before it acted; an eviction's 429 is an answer.
      return (repeatable === 'always' || error.retryAfterMs !== undefined) && !isEviction(error);
    case 'kube-unreachable':
      return repeatable === 'always' || isUnprocessed(error);
    case 'kube-timeout':
      return error.status !== undefined ? repeatable === 'always' : isUnprocessed(error);
    case 'kube-unavailable':
      // 500 is an answer about this request (a webhook, a bug); the others are about the server's state.
      return repeatable === 'always' && error.status !== 500 && error.status !== 403 && error.status !== 404;
    default:
      return false;
  }
}

/**
 * Whether an error says nothing because of the fault before it: a server that has just come back refuses everybody until
 * it has read its rules.
 */
export function isOfColdServer(error: ArgosyError, before: ArgosyError | undefined): boolean {
  const codes: readonly (string | undefined)[] = ['kube-unreachable', 'kube-unavailable', 'kube-timeout'];
  return error.code === 'kube-forbidden' && codes.includes(before?.code);
}

function isEviction(error: ArgosyError): boolean {
  return error.causes.some((cause) => cause.reason === 'DisruptionBudget');
}

/** A growing, jittered wait between `baseMs` and `maxMs` for loops that go on for ever. */
export function backoff(failures: number, random: () => number, longestMs = 30_000): number {
  const step = Math.min(longestMs, 200 * 2 ** Math.min(failures, 16));
  return step / 2 + (random() * step) / 2;
}
