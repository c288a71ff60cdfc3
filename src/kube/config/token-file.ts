import { readFile, stat } from 'node:fs/promises';
import { ArgosyError } from '../../core/errors/index.ts';
import { type Authenticator, bearer } from './credential-port.ts';

const rereadMs = 60_000;

/** A token in a file that something else rotates: read at most once a minute, and after every 401. */
export class TokenFile implements Authenticator {
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
