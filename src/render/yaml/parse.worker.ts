/** Reads YAML beside the main loop: bytes in, JSON as bytes out. What tenants write may be slow to read. */
import { parentPort } from 'node:worker_threads';
import { isArgosyError } from '../../core/errors/index.ts';
import { readDocuments } from './documents.ts';
import type { ParseAnswer, ParseJob, ParseReply } from './protocol.ts';

parentPort?.on('message', ({ id, bytes, ends }: ParseJob) => {
  const input = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const printed: string[] = [];
  let length = 0;
  const answers = ends.map((end, i): ParseAnswer => {
    const { json, answer } = read(input.toString('utf8', ends[i - 1] ?? 0, end));
    printed.push(json);
    length += Buffer.byteLength(json);
    return answer.ok ? { ...answer, end: length } : answer;
  });
  const output = new Uint8Array(length);
  Buffer.from(output.buffer).write(printed.join(''));
  const reply: ParseReply = { id, bytes: output, answers };
  parentPort?.postMessage(reply, [output.buffer]);
});

function read(text: string): { readonly json: string; readonly answer: ParseAnswer } {
  try {
    const { documents, warnings, hasLongNumbers } = readDocuments(text);
    const json = JSON.stringify(documents.map(({ value }) => value));
    return { json, answer: { ok: true, end: 0, lines: documents.map(({ line }) => line), warnings, hasLongNumbers } };
  } catch (error) {
    const known = isArgosyError(error) ? { code: error.code, message: error.message } : unreadable;
    return { json: '', answer: { ok: false, ...known } };
  }
}

const unreadable = { code: 'render-failed', message: ': cannot be read' } as const;
