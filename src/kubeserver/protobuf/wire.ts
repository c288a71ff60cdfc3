/** One field of a protobuf message as it comes over the wire: a number, or bytes yet to be read. */
export type WireField =
  | { readonly number: number; readonly varint: bigint }
  | { readonly number: number; readonly bytes: Buffer };

/** Thrown for bytes that are no protobuf. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** Reads the fields of a message in their order. */
export function* wireFields(bytes: Buffer): Generator<WireField> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined) throw new WireError('unexpected EOF');
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new WireError('varint is too long');
  };
  const take = (length: number): Buffer => {
    if (length > bytes.length - at) throw new WireError('unexpected EOF');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    const type = Number(tag & 7n);
    if (type === 0) yield { number, varint: varint() };
    else if (type === 1) yield { number, bytes: take(8) };
    else if (type === 5) yield { number, bytes: take(4) };
    else if (type === 2) yield { number, bytes: take(lengthOf(varint())) };
    else throw new WireError(`illegal wire type ${type}`);
  }
}

function lengthOf(value: bigint): number {
  if (value > 0x7fffffffn) throw new WireError('length is too large');
  return Number(value);
}
