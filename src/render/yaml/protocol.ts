import type { ErrorCode } from '../../core/errors/index.ts';

/** Files for a worker to read: one piece of memory, since handing over many costs more than reading them. */
export interface ParseJob {
  readonly id: number;
  readonly bytes: Uint8Array;
  /** Where each file ends. */
  readonly ends: readonly number[];
}

/** What became of one file; its documents are a list in JSON, up to `end` of the reply's bytes. */
export type ParseAnswer =
  | {
      readonly ok: true;
      readonly end: number;
      readonly lines: readonly number[];
      readonly warnings: readonly string[];
      readonly hasLongNumbers: boolean;
    }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

/** A worker's answer to one job, in the order of its files. */
export interface ParseReply {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly answers: readonly ParseAnswer[];
}
