/** What a frame between the big process and its helper carries; the number is the byte on the wire. */
export const frameKind = {
  /** To the helper: a `ChildOrder` as JSON. */
  start: 1,
  /** To the helper: bytes for the child's standard input. */
  input: 2,
  /** To the helper: no more input. */
  inputEnd: 3,
  /** To the helper: end this child now. */
  stop: 4,
  /** From the helper: a `Started` as JSON. */
  started: 5,
  /** From the helper: bytes of standard output. */
  output: 6,
  /** From the helper: bytes of standard error. */
  errors: 7,
  /** From the helper: an `Ended` as JSON; the last frame of a child. */
  ended: 8,
} as const;

/** One of the kinds of frames. */
export type FrameKind = (typeof frameKind)[keyof typeof frameKind];

/** One message on the socket. */
export interface Frame {
  readonly kind: number;
  /** The child it is about. */
  readonly id: number;
  readonly body: Buffer;
}

const headerBytes = 9;

/** A frame as bytes: length of the body, kind, child, body. */
export function encodeFrame(kind: FrameKind, id: number, body: Buffer = Buffer.alloc(0)): Buffer {
  const header = Buffer.allocUnsafe(headerBytes);
  header.writeUInt32BE(body.length, 0);
  header.writeUInt8(kind, 4);
  header.writeUInt32BE(id, 5);
  return body.length === 0 ? header : Buffer.concat([header, body]);
}

/** A frame whose body is JSON. */
export function encodeJsonFrame(kind: FrameKind, id: number, value: unknown): Buffer {
  return encodeFrame(kind, id, Buffer.from(JSON.stringify(value)));
}

/** Cuts a byte stream into frames, whatever the sizes of its chunks. */
export function frameReader(onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  let pending: Buffer[] = [];
  let size = 0;
  return (chunk) => {
    pending.push(chunk);
    size += chunk.length;
    if (size < headerBytes) return;
    let rest = pending.length === 1 ? chunk : Buffer.concat(pending);
    while (rest.length >= headerBytes) {
      const end = headerBytes + rest.readUInt32BE(0);
      if (rest.length < end) break;
      onFrame({ kind: rest.readUInt8(4), id: rest.readUInt32BE(5), body: rest.subarray(headerBytes, end) });
      rest = rest.subarray(end);
    }
    pending = [rest];
    size = rest.length;
  };
}
