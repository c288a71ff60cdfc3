import { ArgosyError } from '../../core/errors/index.ts';

/** Client certificate and key for the TLS handshake. */
export interface KeyPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Turns a credential into what a request carries; knows when it must be read anew. */
export interface Authenticator {
  /** The Authorization header; a promise only where something must be read or run first. */
  header(): string | undefined | Promise<string | undefined>;
  /** The server said 401 to this header: forget it if it is still the one. True if trying again may help. */
  renew(used: string | undefined): boolean;
  keyPair(): KeyPair | undefined;
  /** What must never appear in a message. */
  secrets(): readonly string[];
}

/** What the plugins of a kubeconfig may see of the outside. */
export interface AuthSurroundings {
  readonly environment: { readonly [name: string]: string };
  readonly now: () => number;
  /** Called when a new client certificate makes open connections stale. */
  readonly redial: () => void;
}

/** The header for a token; a token that could smuggle a second header is refused. */
export function bearer(token: string): string {
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new ArgosyError('config-invalid', 'the bearer token holds characters no token has');
  return `Bearer ${token}`;
}
