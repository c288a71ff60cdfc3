import { ArgosyError } from '../../core/errors/index.ts';
import { createLru } from '../cache/lru.ts';
import { readAtOnce } from './at-once.ts';
import type { Document } from './documents.ts';
import { createParser } from './parser.ts';
import type { ParsedFile } from './read-file.ts';

/** A file to read: by its content id, so that equal bytes are read once. */
export interface Readable {
  readonly id: string;
  readonly content: Buffer;
}

/** Reads documents, remembering those of blobs it has seen. */
export interface DocumentReader {
  /** The documents of files; what cannot be read is a value, for the caller to judge. */
  files(files: readonly Readable[]): Promise<readonly ParsedFile[]>;
  /** The documents a tool has printed; what cannot be read is an error that names the tool. */
  output(tool: string, printed: Buffer): Promise<{ documents: readonly Document[]; warnings: readonly string[] }>;
  close(): Promise<void>;
}

export interface ReaderOptions {
  readonly workers: number;
  readonly cacheBytes: number;
}

/** Opens a reader with worker threads of its own, for what is not read at once. */
export function createReader({ workers, cacheBytes }: ReaderOptions): DocumentReader {
  const parser = createParser({ workers, deadlineMs: 20_000, memoryMb: 1_024 });
  const parse = async (files: readonly Buffer[]): Promise<readonly ParsedFile[]> =>
    readAtOnce(files) ?? parser.parse(files);
  const known = createLru<ParsedFile>(cacheBytes);
  return {
    async files(files) {
      const missing = [
        ...new Map(files.filter(({ id }) => known.get(id) === undefined).map((f) => [f.id, f])).values(),
      ];
      const fresh = new Map<string, ParsedFile>();
      const answers = await parse(missing.map(({ content }) => content));
      for (const [i, { id, content }] of missing.entries()) {
        const answer = answers[i];
        if (answer === undefined) continue;
        fresh.set(id, answer);
        // Parsed objects take a few times the room of their text.
        if (answer.ok) known.set(id, answer, 200 + 4 * (answer.bytes + content.length));
      }
      return files.map(({ id }) => fresh.get(id) ?? known.get(id) ?? lost);
    },
    async output(tool, printed) {
      const [answer = lost] = await parse([printed]);
      if (!answer.ok)
        throw new ArgosyError(answer.code, `what ${tool} printed cannot be read${answer.message}`, { subject: tool });
      return { documents: answer.documents, warnings: answer.warnings };
    },
    close: () => parser.close(),
  };
}

const lost: ParsedFile = { ok: false, code: 'render-failed', message: ': could not be read' };
