import { type ParsedFile, parsedFile, readFile } from './read-file.ts';

/** Reading this much takes well under a millisecond, and less than the way to a thread and back. */
const maxBytes = 4 * 1024;

/**
 * Reads a few small files where we are, `undefined` where a thread has to: of what tenants write, only what cannot take long
 * is read on the main loop. Anchors and merges can make much of little, and a file with a fault may be read many times over.
 */
export function readAtOnce(files: readonly Buffer[]): readonly ParsedFile[] | undefined {
  if (files.reduce((sum, { length }) => sum + length, 0) > maxBytes) return undefined;
  if (files.some((file) => file.includes('&') || file.includes('<<'))) return undefined;
  const read = files.map((file) => readFile(file, 0));
  if (read.some(({ answer }) => !answer.ok)) return undefined;
  return read.map(({ json, answer }) => parsedFile(json, answer));
}
