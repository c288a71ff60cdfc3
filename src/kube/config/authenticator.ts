import { readFile, stat } from 'node:fs/promises';
import { ArgosyError } from '../../core/errors/index.ts';
import type { Credential, KubeConfig } from '../types.ts';
import { ExecAuthenticator } from './exec-authenticator.ts';

/** Client certificate and key for the TLS handshake. */
export interface KeyPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Turns a credential into what a request carries; knows when it must be read anew. */
export interface Authenticator {
  /** The Authorization header; a promise only where something must be read or run first. */
  header(): string | undefined | Promise<string | undefined>;
  /** The server said 401: forget what was cached. True if trying again may help. */
  renew(): boolean;
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

/** The authenticator for a configuration's credential. */
export function authenticatorFor(config: KubeConfig, surroundings: AuthSurroundings): Authenticator {
  const credential = config.credential;
  switch (credential.type) {
    case 'token-file':
      return new TokenFile(credential.path, surroundings.now);
    case 'exec':
      return new ExecAuthenticator(credential.exec, config, surroundings);
    default:
      return fixed(credential);
  }
}

function fixed(credential: Exclude<Credential, { type: 'token-file' | 'exec' }>): Authenticator {
  const header = fixedHeader(credential);
  const pair = credential.type === 'certificate' ? { cert: credential.cert, key: credential.key } : undefined;
  const secrets =
    credential.type === 'token' ? [credential.token] : credential.type === 'basic' ? [credential.password] : [];
  return { header: () => header, renew: () => false, keyPair: () => pair, secrets: () => secrets };
}

function fixedHeader(credential: Credential): string | undefined {
  if (credential.type === 'token') return bearer(credential.token);
  if (credential.type !== 'basic') return undefined;
  return `Basic ${Buffer.from(`${credential.username}:${credential.password}`).toString('base64')}`;
}

/** The header for a token; a token that could smuggle a second header is refused. */
export function bearer(token: string): string {
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new ArgosyError('config-invalid', 'the bearer token holds characters no token has');
  return `Bearer ${token}`;
}

const rereadMs = 60_000;

/** A token in a file that something else rotates: read at most once a minute, and after every 401. */
class TokenFile implements Authenticator {
  readonly #path: string;
  readonly #now: () => number;
  #token: string | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #renewed = false;

  constructor(path: string, now: () => number) {
    this.#path = path;
    this.#now = now;
  }

  header(): string | Promise<string> {
    if (this.#token !== undefined && this.#now() - this.#readAt < rereadMs) return bearer(this.#token);
    return this.#read();
  }

  renew(): boolean {
    if (this.#renewed) return false;
    this.#readAt = Number.NEGATIVE_INFINITY;
    this.#renewed = true;
    return true;
  }

  keyPair(): undefined {
    return undefined;
  }

  secrets(): readonly string[] {
    return this.#token === undefined ? [] : [this.#token];
  }

  async #read(): Promise<string> {
    try {
      if ((await stat(this.#path)).size > 1024 * 1024) throw new Error('too large');
      const token = (await readFile(this.#path, 'utf8')).trim();
      if (token !== this.#token) this.#renewed = false;
      this.#token = token;
      this.#readAt = this.#now();
      return bearer(token);
    } catch (error) {
      // The old token may well be valid still: the server decides.
      if (this.#token !== undefined) return bearer(this.#token);
      throw new ArgosyError('config-invalid', `the token file ${this.#path} cannot be read`, {
        cause: error,
        subject: this.#path,
      });
    }
  }
}
