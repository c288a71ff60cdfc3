/** Reads YAML beside the main loop: bytes in, JSON as bytes out. What tenants write may be slow to read. */
import { parentPort } from 'node:worker_threads';
import type { ParseAnswer, ParseJob, ParseReply } from './protocol.ts';
import { readFile } from './read-file.ts';

parentPort?.on('message', ({ id, bytes, ends }: ParseJob) => {
  const input = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const printed: string[] = [];
  let length = 0;
  const answers = ends.map((end, i): ParseAnswer => {
    const { json, answer } = readFile(input.subarray(ends[i - 1] ?? 0, end));
    printed.push(json);
    length += Buffer.byteLength(json);
    return answer.ok ? { ...answer, end: length } : answer;
  });
  const output = new Uint8Array(length);
  Buffer.from(output.buffer).write(printed.join(''));
  const reply: ParseReply = { id, bytes: output, answers };
  parentPort?.postMessage(reply, [output.buffer]);
});
