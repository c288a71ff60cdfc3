import type { Readable } from 'node:stream';

/** One HTTP request as it goes onto the wire; every header is lower-case and was checked by its maker. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: { readonly [name: string]: string | string[] };
  readonly body?: Buffer | string | undefined;
  /** Long streams get sessions of their own, so that they never take a call's place. */
  readonly lane: 'call' | 'stream';
  /** What is asked, for messages. */
  readonly subject: string;
}

/** The head of an answer and its body, already decompressed. */
export interface WireAnswer {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly body: Readable;
}

/** Carries requests to one server. It knows nothing of Kubernetes, of credentials or of retries. */
export interface Wire {
  send(request: WireRequest, limit: Limit): Promise<WireAnswer>;
  close(): Promise<void>;
}

/** When a call must end: a deadline, the caller's signal, or both. It fires once. */
export interface Limit {
  /** The error once it has fired. */
  readonly ended: Error | undefined;
  onEnd(listener: (error: Error) => void): () => void;
  race<T>(promise: Promise<T>): Promise<T>;
}
