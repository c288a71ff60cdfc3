/** Makes one DER element: tag, length, content. */
export function element(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), length(body.length), body]);
}

function length(n: number): Buffer {
  if (n < 0x80) return Buffer.from([n]);
  const bytes: number[] = [];
  for (let rest = n; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => element(0x30, ...items);
export const set = (...items: readonly Uint8Array[]): Buffer => element(0x31, ...items);
export const octets = (content: Uint8Array): Buffer => element(0x04, content);
export const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text, 'utf8'));
export const boolean = (value: boolean): Buffer => element(0x01, Buffer.from([value ? 0xff : 0]));

/** A whole BIT STRING; `unused` is the number of unused bits in the last byte. */
export const bits = (content: Uint8Array, unused = 0): Buffer => element(0x03, Buffer.from([unused]), content);

/** A non-negative INTEGER from its big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  let from = 0;
  while (from < bytes.length - 1 && bytes[from] === 0) from++;
  const rest = bytes.subarray(from);
  // A set top bit would read as a negative number.
  return element(0x02, ...((rest[0] ?? 0) >= 0x80 ? [Buffer.from([0]), rest] : [rest]));
}

/** An OBJECT IDENTIFIER from its dotted text. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const digits = [part & 0x7f];
    for (let n = part >>> 7; n > 0; n >>>= 7) digits.unshift((n & 0x7f) | 0x80);
    bytes.push(...digits);
  }
  return element(0x06, Buffer.from(bytes));
}

/** A time: UTCTime up to 2049, GeneralizedTime after, as X.509 demands. */
export function time(date: Date): Buffer {
  const text = `${date.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
  return date.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(text.slice(2), 'ascii'))
    : element(0x18, Buffer.from(text, 'ascii'));
}

/** A context-specific element, e.g. `[0]`; constructed unless its content is primitive. */
export const tagged = (n: number, content: Uint8Array, constructed = true): Buffer =>
  element((constructed ? 0xa0 : 0x80) | n, content);
