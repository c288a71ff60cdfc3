import { ArgosyError } from '../../core/errors/index.ts';
import type { Limit } from './wire.ts';

/** The end of one call: its deadline or its caller's signal, whichever comes first. Dispose of it when the call is over. */
export class CallLimit implements Limit {
  ended: ArgosyError | undefined;
  readonly #listeners = new Set<(error: Error) => void>();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #subject: string;
  readonly #deadlineMs: number | undefined;

  constructor(subject: string, deadlineMs: number | undefined, signal: AbortSignal | undefined) {
    this.#subject = subject;
    this.#signal = signal;
    this.#deadlineMs = deadlineMs;
    if (deadlineMs !== undefined) this.#timer = setTimeout(this.#late, Math.min(deadlineMs, 2 ** 31 - 1));
    if (signal?.aborted === true) this.#cancelled();
    else signal?.addEventListener('abort', this.#cancelled, { once: true });
  }

  onEnd(listener: (error: Error) => void): () => void {
    if (this.ended !== undefined) {
      listener(this.ended);
      return () => undefined;
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends the call early for another reason, such as silence. */
  end(error: ArgosyError): void {
    if (this.ended !== undefined) return;
    this.ended = error;
    this.dispose();
    for (const listener of [...this.#listeners]) listener(error);
    this.#listeners.clear();
  }

  throwIfEnded(): void {
    if (this.ended !== undefined) throw this.ended;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#cancelled);
  }

  /** Waits, or throws when the call ends first. */
  async pause(ms: number): Promise<void> {
    this.throwIfEnded();
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        forget();
        resolve();
      }, ms);
      const forget = this.onEnd((error) => {
        clearTimeout(timer);
        reject(error);
      });
    });
  }

  /** What the promise brings, or the end of the call if that comes first. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const forget = this.onEnd(reject);
      promise.then(resolve, reject).finally(forget).catch(reject);
    });
  }

  readonly #late = (): void => {
    const text = `${this.#subject}: no answer within ${this.#deadlineMs} ms`;
    this.end(new ArgosyError('kube-timeout', text, { subject: this.#subject }));
  };

  readonly #cancelled = (): void => {
    this.end(new ArgosyError('cancelled', `${this.#subject}: cancelled`, { subject: this.#subject }));
  };
}
