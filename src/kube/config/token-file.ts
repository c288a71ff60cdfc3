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
  #doubted: string | undefined;
  #reading: Promise<string> | undefined;

  constructor(path: string, now: () => number) {
    this.#path = path;
    this.#now = now;
  }

  header(): string | Promise<string> {
    if (this.#token !== undefined && this.#now() - this.#readAt < rereadMs) return bearer(this.#token);
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Each token is given one doubt: refused again after it was read anew, it is simply not accepted. */
  renew(used: string | undefined): boolean {
    if (this.#token === undefined || used !== bearer(this.#token)) return true;
    if (this.#doubted === this.#token) return this.#readAt === Number.NEGATIVE_INFINITY;
    this.#doubted = this.#token;
    this.#readAt = Number.NEGATIVE_INFINITY;
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
      // A file in the middle of being written holds no token; only a good one replaces the one we have.
      const header = bearer(token);
      this.#token = token;
      this.#readAt = this.#now();
      return header;
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
