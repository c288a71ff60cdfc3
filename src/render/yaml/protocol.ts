import type { ErrorCode } from '../../core/errors/index.ts';

/** Files for a worker to read. */
export interface ParseJob {
  readonly id: number;
  readonly files: readonly Uint8Array[];
}

/** What became of one file. */
export type ParseAnswer =
  | {
      readonly ok: true;
      /** A list of the documents, as JSON. */
      readonly json: Uint8Array;
      readonly lines: readonly number[];
      readonly warnings: readonly string[];
      readonly hasLongNumbers: boolean;
    }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

/** A worker's answer to one job, in the order of its files. */
export interface ParseReply {
  readonly id: number;
  readonly answers: readonly ParseAnswer[];
}
