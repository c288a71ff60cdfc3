import { ArgosyError } from '../../core/errors/index.ts';
import { GrowingBuffer } from '../list/growing-buffer.ts';

const newline = 0x0a;

/** Splits a stream of bytes into lines; a line longer than the cap is an error before it is held whole. */
export class LineSplitter {
  readonly #subject: string;
  readonly #maxLine: number;
  readonly #onLine: (bytes: Buffer, start: number, end: number) => void;
  readonly #buffer: GrowingBuffer;

  constructor(subject: string, onLine: (bytes: Buffer, start: number, end: number) => void, maxLine: number) {
    this.#subject = subject;
    this.#maxLine = maxLine;
    this.#onLine = onLine;
    this.#buffer = new GrowingBuffer(maxLine);
  }

  push(chunk: Buffer): void {
    const buffer = this.#buffer;
    buffer.append(chunk, () => this.#tooLong());
    let start = 0;
    while (buffer.resumeAt < buffer.length) {
      const end = buffer.bytes.indexOf(newline, buffer.resumeAt);
      if (end < 0 || end >= buffer.length) break;
      buffer.resumeAt = end + 1;
      const from = start;
      start = end + 1;
      if (end > from) this.#onLine(buffer.bytes, from, end);
    }
    buffer.dropBefore(start);
    buffer.resumeAt = buffer.length;
    if (buffer.length > this.#maxLine) throw this.#tooLong();
  }

  /** Whether bytes of an unfinished line are left. */
  get unfinished(): boolean {
    return this.#buffer.length > 0;
  }

  #tooLong(): ArgosyError {
    return new ArgosyError('kube-malformed', `${this.#subject}: one event is larger than ${this.#maxLine} bytes`, {
      subject: this.#subject,
    });
  }
}
