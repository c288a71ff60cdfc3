import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ArgosyError } from '../../core/errors/index.ts';
import { fromNetwork } from '../errors/network.ts';
import type { WireAnswer } from './wire.ts';

/** The body as plain bytes: decompressed where the server compressed it. */
export function plainBody(answer: WireAnswer, subject: string): Readable {
  const encoding = answer.header('content-encoding');
  if (encoding === undefined || encoding === 'identity') return answer.body;
  if (encoding !== 'gzip') {
    answer.body.destroy();
    throw new ArgosyError('kube-malformed', `${subject}: the answer is encoded in a way nobody asked for`, { subject });
  }
  const unzip = createGunzip({ chunkSize: 64 * 1024 });
  answer.body.on('error', (error) => unzip.destroy(error));
  answer.body.on('close', () => {
    if (!answer.body.readableEnded) unzip.destroy(new Error('the connection ended in the middle of an answer'));
  });
  unzip.on('close', () => answer.body.destroy());
  return answer.body.pipe(unzip);
}

/**
 * Hands on every chunk and ends when the body does; a body that breaks off, or a consumer that throws, rejects.
 * A promise from the consumer stops the flow until it is kept.
 */
export function consume(
  body: Readable,
  subject: string,
  onChunk: (chunk: Buffer) => Promise<void> | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let waiting: Promise<void> | undefined;
    let ended = false;
    const fail = (error: unknown): void => {
      reject(fromNetwork(error, subject));
      body.destroy();
    };
    body.on('data', (chunk: Buffer) => {
      try {
        waiting = onChunk(chunk);
      } catch (error) {
        fail(error);
        return;
      }
      if (waiting === undefined) return;
      body.pause();
      waiting.then(() => body.resume(), fail);
    });
    body.on('end', () => {
      ended = true;
      resolve();
    });
    body.on('error', fail);
    body.on('close', () => {
      if (!ended) fail(new Error('the connection ended in the middle of an answer'));
    });
  });
}

/** Reads a body whole; one longer than the cap is an error before it is held. */
export async function readAll(body: Readable, subject: string, cap: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  await consume(body, subject, (chunk) => {
    length += chunk.length;
    if (length > cap)
      throw new ArgosyError('kube-malformed', `${subject}: the answer is larger than ${cap} bytes`, { subject });
    chunks.push(chunk);
    return undefined;
  });
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length);
}
