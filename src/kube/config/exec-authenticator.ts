import { ArgosyError } from '../../core/errors/index.ts';
import type { ExecCredential, KubeConfig } from '../types.ts';
import { type Authenticator, type AuthSurroundings, bearer, type KeyPair } from './credential-port.ts';
import { type ExecStatus, runExecPlugin } from './exec-plugin.ts';

/** A credential that a program prints: kept until it expires or the server refuses it; the program runs once at a time. */
export class ExecAuthenticator implements Authenticator {
  readonly #exec: ExecCredential;
  readonly #config: KubeConfig;
  readonly #surroundings: AuthSurroundings;
  #status: ExecStatus | undefined;
  #running: Promise<string | undefined> | undefined;
  #fetchedAt = Number.NEGATIVE_INFINITY;

  constructor(exec: ExecCredential, config: KubeConfig, surroundings: AuthSurroundings) {
    this.#exec = exec;
    this.#config = config;
    this.#surroundings = surroundings;
  }

  header(): string | undefined | Promise<string | undefined> {
    const status = this.#status;
    if (status !== undefined && !this.#expired(status)) return headerOf(status);
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  #expired(status: ExecStatus): boolean {
    // A little early, so that a token does not expire on its way.
    return status.expiresAt !== undefined && this.#surroundings.now() >= status.expiresAt - 10_000;
  }

  /** A program that just ran would say the same again; it is not run for every 401. */
  renew(used: string | undefined): boolean {
    if (this.#status === undefined || headerOf(this.#status) !== used) return true;
    if (this.#surroundings.now() - this.#fetchedAt < 5_000) return false;
    this.#status = undefined;
    return true;
  }

  keyPair(): KeyPair | undefined {
    return this.#status?.keyPair;
  }

  secrets(): readonly string[] {
    const token = this.#status?.token;
    return token === undefined ? [] : [token];
  }

  async #run(): Promise<string | undefined> {
    const before = this.#status?.keyPair?.cert;
    const status = await runExecPlugin(this.#exec, this.#config, this.#surroundings.environment);
    this.#status = status;
    this.#fetchedAt = this.#surroundings.now();
    if (status.keyPair !== undefined && before !== undefined && !before.equals(status.keyPair.cert))
      this.#surroundings.redial();
    return headerOf(status);
  }
}

function headerOf(status: ExecStatus): string | undefined {
  if (status.token !== undefined) return bearer(status.token);
  if (status.keyPair === undefined)
    throw new ArgosyError('config-invalid', 'the credential plugin printed no credential');
  return undefined;
}
