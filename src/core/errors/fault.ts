import { catalogue, type ErrorCode } from './catalogue.ts';

/**
 * Who can mend it: `user` (the input is wrong), `denied` (a rule or a right says no),
 * `outside` (a cluster, a repository, the network; it may pass), `bug` (ours).
 */
export type Fault = 'user' | 'denied' | 'outside' | 'bug';

/** What an error is about and where it came from; none of it may hold a secret. */
export interface ErrorDetails {
  /** The object, file or address concerned, as the user knows it. */
  readonly subject?: string | undefined;
  /** What the user can do next. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  /** Overrides the fault of the catalogue where only the caller knows. */
  readonly fault?: Fault | undefined;
  /** HTTP status of the foreign answer, where there was one. */
  readonly status?: number | undefined;
  /** Reason word of a Kubernetes Status, such as `Conflict`. */
  readonly reason?: string | undefined;
  /** How long the other side asked us to wait. */
  readonly retryAfterMs?: number | undefined;
  /** The fields a Kubernetes Status complains about, one by one. */
  readonly causes?: readonly StatusCause[] | undefined;
}

/** One complaint inside a Kubernetes Status. */
export interface StatusCause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

/** The one error class of the house. */
export class ArgosyError extends Error {
  override readonly name = 'ArgosyError';
  readonly code: ErrorCode;
  readonly fault: Fault;
  readonly subject: string | undefined;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly reason: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly causes: readonly StatusCause[];

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.fault = details.fault ?? catalogue[code].fault;
    this.subject = details.subject;
    this.hint = details.hint;
    this.status = details.status;
    this.reason = details.reason;
    this.retryAfterMs = details.retryAfterMs;
    this.causes = details.causes ?? [];
  }
}

/** Tells our errors from foreign ones. */
export function isArgosyError(error: unknown): error is ArgosyError {
  return error instanceof ArgosyError;
}
