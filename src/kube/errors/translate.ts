import { ArgosyError, type ErrorCode, type ErrorDetails } from '../../core/errors/index.ts';
import { isArray, isObject, type Json, type JsonObject, objectAt, own, stringAt } from '../../core/json/index.ts';
import { scrub } from './scrub.ts';

/** An answer that is not a success, as it came. */
export interface Refusal {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: string | undefined;
  /** What was asked, as the user knows it: `get configmaps team-a/web`. */
  readonly subject: string;
  readonly secrets: readonly string[];
}

const byStatus: { readonly [status: number]: ErrorCode } = {
  400: 'kube-invalid',
  401: 'kube-unauthorized',
  403: 'kube-forbidden',
  404: 'kube-not-found',
  405: 'kube-invalid',
  406: 'kube-invalid',
  408: 'kube-timeout',
  409: 'kube-conflict',
  410: 'kube-gone',
  413: 'kube-too-large',
  415: 'kube-invalid',
  422: 'kube-invalid',
  429: 'kube-busy',
  504: 'kube-timeout',
};

/** Reason words that say more than the number beside them. */
const byReason: { readonly [reason: string]: ErrorCode } = {
  AlreadyExists: 'kube-already-exists',
  Expired: 'kube-gone',
  Gone: 'kube-gone',
  RequestEntityTooLarge: 'kube-too-large',
  TooManyRequests: 'kube-busy',
  Timeout: 'kube-timeout',
};

/** The error for an answer that is not a success. */
export function fromRefusal(refusal: Refusal): ArgosyError {
  const status = parseStatus(refusal.body);
  if (status !== undefined) return fromStatusObject(status, refusal);
  // Go's own router answers so where a whole group is not served; any other 404 or 403 without a Status was
  // written by something between us and the API server and says nothing about objects or rights.
  const plain404 = refusal.status === 404 && refusal.body.trim() === '404 page not found';
  const code = plain404 ? 'kube-not-found' : codeWithoutStatus(refusal.status);
  const said = plain404 ? 'the server does not serve this path' : `HTTP ${refusal.status} without a Kubernetes Status`;
  return new ArgosyError(code, `${refusal.subject}: ${said}`, {
    subject: refusal.subject,
    status: refusal.status,
    retryAfterMs: parseRetryAfter(refusal.retryAfter),
  });
}

function codeWithoutStatus(status: number): ErrorCode {
  if (status < 400) return 'kube-malformed';
  if (status === 403 || status === 404 || status >= 500) return status === 504 ? 'kube-timeout' : 'kube-unavailable';
  return byStatus[status] ?? 'kube-malformed';
}

/** The error a Status object stands for, whether it was the answer or came inside a watch. */
export function fromStatusObject(status: JsonObject, refusal: Omit<Refusal, 'body'>): ArgosyError {
  const number = own(status, 'code');
  const http = typeof number === 'number' && number >= 400 && number < 600 ? number : refusal.status;
  const reason = stringAt(status, 'reason');
  const text = scrub(stringAt(status, 'message') ?? reason ?? `HTTP ${http}`, refusal.secrets);
  const seconds = objectAt(status, 'details')?.['retryAfterSeconds'];
  const fromBody = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
  const details: ErrorDetails = {
    subject: refusal.subject,
    status: http,
    reason: reason === undefined ? undefined : scrub(reason, refusal.secrets).slice(0, 128),
    retryAfterMs: parseRetryAfter(refusal.retryAfter) ?? fromBody,
    causes: causesOf(status, refusal.secrets),
  };
  return new ArgosyError(codeOf(http, reason, text), `${refusal.subject}: ${text}`, details);
}

/** In etcd's words, and in those of the API server's own way to it. */
const tooLarge = ['request is too large', 'trying to send message larger than max'];

function codeOf(http: number, reason: string | undefined, text: string): ErrorCode {
  const named = reason === undefined || !Object.hasOwn(byReason, reason) ? undefined : byReason[reason];
  if (named !== undefined) return named;
  if (http >= 500 && tooLarge.some((words) => text.includes(words))) return 'kube-too-large';
  // A server-side apply of an object that does not fit its schema is answered with 500: the object is wrong, not the server.
  if (http === 500 && text.includes('failed to create typed')) return 'kube-invalid';
  return byStatus[http] ?? (http >= 500 ? 'kube-unavailable' : 'kube-malformed');
}

function causesOf(status: JsonObject, secrets: readonly string[]): ErrorDetails['causes'] {
  const causes = objectAt(status, 'details')?.['causes'];
  if (!isArray(causes)) return undefined;
  return causes
    .filter(isObject)
    .slice(0, 50)
    .map((cause) => ({
      field: scrub(stringAt(cause, 'field') ?? '', secrets).slice(0, 256),
      reason: scrub(stringAt(cause, 'reason') ?? '', secrets).slice(0, 128),
      message: scrub(stringAt(cause, 'message') ?? '', secrets).slice(0, 512),
    }));
}

/** Reads a Kubernetes Status; anything else is `undefined`. */
export function parseStatus(body: string): JsonObject | undefined {
  if (!body.trimStart().startsWith('{')) return undefined;
  try {
    const value = JSON.parse(body) as Json; // parsed JSON is Json
    return isObject(value) && value['kind'] === 'Status' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The wait a `Retry-After` header asks for; only seconds are taken, and never more than a minute. */
export function parseRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d{1,6}$/.test(header)) return undefined;
  return Math.min(Number(header) * 1000, 60_000);
}
