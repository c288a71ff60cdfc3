import { Worker } from 'node:worker_threads';
import { ArgosyError } from '../../core/errors/index.ts';
import type { ParseJob, ParseReply } from './protocol.ts';
import { type ParsedFile, parsedFile } from './read-file.ts';

/** Reads YAML in worker threads. */
export interface Parser {
  parse(files: readonly Buffer[]): Promise<readonly ParsedFile[]>;
  close(): Promise<void>;
}

export interface ParserOptions {
  readonly workers: number;
  /** How long the files of one call may take together. */
  readonly deadlineMs: number;
  readonly memoryMb: number;
}

interface Job {
  readonly id: number;
  readonly files: readonly Buffer[];
  readonly settle: (answers: readonly ParsedFile[]) => void;
}

interface Seat {
  readonly worker: Worker;
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** Opens a pool; its threads start when they are first needed, and one that takes too long is replaced. */
export function createParser(options: ParserOptions): Parser {
  const seats = new Set<Seat>();
  const waiting: Job[] = [];
  let next = 0;
  let closed = false;

  const give = (): void => {
    const idle = [...seats].find(({ job }) => job === undefined);
    if (waiting.length === 0 || closed) return;
    const seat = idle ?? (seats.size < options.workers ? open() : undefined);
    const job = seat === undefined ? undefined : waiting.shift();
    if (seat === undefined || job === undefined) return;
    seat.job = job;
    seat.timer = setTimeout(() => fail(seat, ': takes too long to read'), options.deadlineMs);
    seat.worker.ref();
    const message = joined(job);
    seat.worker.postMessage(message, [message.bytes.buffer]);
  };
  const done = (seat: Seat, answers: readonly ParsedFile[]): void => {
    clearTimeout(seat.timer);
    const { job } = seat;
    seat.job = undefined;
    seat.worker.unref();
    job?.settle(answers);
    give();
  };
  const fail = (seat: Seat, message: string): void => {
    if (!seats.delete(seat)) return;
    void seat.worker.terminate();
    const refused: ParsedFile = { ok: false, code: 'render-limit', message };
    done(seat, seat.job?.files.map(() => refused) ?? []);
  };
  const open = (): Seat => {
    const worker = new Worker(new URL('./parse.worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: options.memoryMb },
      env: {},
      argv: [],
      execArgv: ['--no-warnings'],
    });
    const seat: Seat = { worker, job: undefined, timer: undefined };
    worker.on('message', (reply: ParseReply) => done(seat, parsed(reply)));
    worker.on('error', () => fail(seat, ': needs more memory than permitted'));
    worker.on('exit', () => fail(seat, ': could not be read'));
    seats.add(seat);
    return seat;
  };

  return {
    async parse(files) {
      if (files.length === 0) return [];
      if (closed) throw new ArgosyError('cancelled', 'no file is read any more: shutting down');
      return new Promise((settle) => {
        next += 1;
        waiting.push({ id: next, files, settle });
        give();
      });
    },
    async close() {
      closed = true;
      for (const { settle, files } of waiting.splice(0)) settle(files.map(() => stopped));
      await Promise.all(
        [...seats].map(async (seat) => {
          seats.delete(seat);
          await seat.worker.terminate();
          done(seat, seat.job?.files.map(() => stopped) ?? []);
        }),
      );
    },
  };
}

const stopped: ParsedFile = { ok: false, code: 'cancelled', message: ': reading was stopped' };

/** Bytes of their own: what is handed over is gone here. */
function joined({ id, files }: Job): ParseJob & { readonly bytes: Uint8Array<ArrayBuffer> } {
  const bytes = new Uint8Array(files.reduce((sum, { length }) => sum + length, 0));
  const ends: number[] = [];
  let at = 0;
  for (const file of files) {
    bytes.set(file, at);
    at += file.length;
    ends.push(at);
  }
  return { id, bytes, ends };
}

function parsed({ bytes, answers }: ParseReply): ParsedFile[] {
  const input = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let start = 0;
  return answers.map((answer) => {
    if (!answer.ok) return answer;
    const json = input.toString('utf8', start, answer.end);
    start = answer.end;
    return parsedFile(json, answer);
  });
}
