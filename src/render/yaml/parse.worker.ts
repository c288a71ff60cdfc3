/** Reads YAML beside the main loop: bytes in, JSON as bytes out. What tenants write may be slow to read. */
import { isUtf8 } from 'node:buffer';
import { parentPort } from 'node:worker_threads';
import { ArgosyError, isArgosyError } from '../../core/errors/index.ts';
import { readDocuments } from './documents.ts';
import type { ParseAnswer, ParseJob, ParseReply } from './protocol.ts';

parentPort?.on('message', ({ id, bytes, ends }: ParseJob) => {
  const input = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const printed: string[] = [];
  let length = 0;
  const answers = ends.map((end, i): ParseAnswer => {
    const { json, answer } = read(input.subarray(ends[i - 1] ?? 0, end));
    printed.push(json);
    length += Buffer.byteLength(json);
    return answer.ok ? { ...answer, end: length } : answer;
  });
  const output = new Uint8Array(length);
  Buffer.from(output.buffer).write(printed.join(''));
  const reply: ParseReply = { id, bytes: output, answers };
  parentPort?.postMessage(reply, [output.buffer]);
});

function read(bytes: Buffer): { readonly json: string; readonly answer: ParseAnswer } {
  try {
    const { documents, warnings, hasLongNumbers } = readDocuments(textOf(bytes));
    const json = JSON.stringify(documents.map(({ value }) => value));
    return { json, answer: { ok: true, end: 0, lines: documents.map(({ line }) => line), warnings, hasLongNumbers } };
  } catch (error) {
    const known = isArgosyError(error) ? { code: error.code, message: error.message } : unreadable;
    return { json: '', answer: { ok: false, ...known } };
  }
}

/** Text as Go reads it: UTF-8, or UTF-16 with its mark in front. Letters are never guessed. */
function textOf(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return bytes.toString('utf16le', 2);
  if (first === 0xfe && second === 0xff)
    return Buffer.from(bytes.subarray(2, bytes.length & ~1))
      .swap16()
      .toString('utf16le');
  if (!isUtf8(bytes)) throw new ArgosyError('render-failed', ': is not UTF-8');
  return bytes.toString('utf8');
}

const unreadable = { code: 'render-failed', message: ': cannot be read' } as const;
