/**
 * The small process that starts children for the big one: forking 40 MB is quick, forking 500 MB is not.
 * It speaks frames on descriptor 3, and when that closes it ends every child and itself.
 */
import { Socket } from 'node:net';
import { type Child, type ChildEars, startChild } from './child.ts';
import { encodeFrame, encodeJsonFrame, type Frame, frameKind, frameReader } from './frames.ts';
import type { ChildOrder } from './protocol.ts';

const children = new Map<number, Child>();
const socket = new Socket({ fd: 3 });

socket.on(
  'data',
  frameReader((frame) => receive(frame)),
);
socket.on('drain', () => {
  for (const child of children.values()) child.resume();
});
socket.on('error', leave);
socket.on('close', leave);
socket.on('end', leave);

function receive({ kind, id, body }: Frame): void {
  if (kind === frameKind.start) start(id, body);
  else if (kind === frameKind.input) children.get(id)?.input(Buffer.from(body));
  else if (kind === frameKind.inputEnd) children.get(id)?.inputEnd();
  else if (kind === frameKind.stop) children.get(id)?.stop('stopped');
}

function start(id: number, body: Buffer): void {
  // Written by our own other half, on a socket nobody else holds.
  const order = JSON.parse(body.toString()) as ChildOrder;
  const ears: ChildEars = {
    started: (pid) => void socket.write(encodeJsonFrame(frameKind.started, id, { pid })),
    output: (bytes) => socket.write(encodeFrame(frameKind.output, id, bytes)),
    errors: (bytes) => socket.write(encodeFrame(frameKind.errors, id, bytes)),
    ended: (end) => {
      children.delete(id);
      socket.write(encodeJsonFrame(frameKind.ended, id, end));
    },
  };
  try {
    children.set(id, startChild(order, ears));
  } catch {
    // Arguments the system cannot take at all, such as a NUL byte.
    ears.ended({ reason: 'not-started', code: null, signal: null, errno: 'EINVAL' });
  }
}

function leave(): void {
  for (const child of children.values()) child.stop('stopped');
  process.exit(0);
}
