/** Reads YAML beside the main loop: bytes in, JSON as bytes out. What tenants write may be slow to read. */
import { parentPort } from 'node:worker_threads';
import { isArgosyError } from '../../core/errors/index.ts';
import { readDocuments } from './documents.ts';
import type { ParseAnswer, ParseJob, ParseReply } from './protocol.ts';

parentPort?.on('message', ({ id, files }: ParseJob) => {
  const answers = files.map(answer);
  const reply: ParseReply = { id, answers };
  const transfer = answers.flatMap((each) => (each.ok ? [each.json.buffer as ArrayBuffer] : []));
  parentPort?.postMessage(reply, transfer);
});

function answer(bytes: Uint8Array): ParseAnswer {
  try {
    const { documents, warnings, hasLongNumbers } = readDocuments(new TextDecoder().decode(bytes));
    const json = new TextEncoder().encode(JSON.stringify(documents.map(({ value }) => value)));
    return { ok: true, json, lines: documents.map(({ line }) => line), warnings, hasLongNumbers };
  } catch (error) {
    if (isArgosyError(error)) return { ok: false, code: error.code, message: error.message };
    return { ok: false, code: 'render-failed', message: ': cannot be read' };
  }
}
