import { endOfString } from './scan.ts';

const key = Buffer.from('"managedFields":');
const [open, close] = [new Set([0x7b, 0x5b]), new Set([0x7d, 0x5d])];

/**
 * Cuts `metadata.managedFields` out of the JSON object in bytes[start, end) before it is parsed; they are a third of
 * many objects and nobody here reads them. The head is moved up against the tail; answers the new start.
 */
export function cutManagedFields(
  bytes: Buffer,
  start: number,
  end: number,
  inside: readonly string[] = ['metadata'],
): number {
  const near = bytes.subarray(start, end).indexOf(key);
  if (near < 0) return start;
  const range = findManagedFields(bytes, start, end, inside);
  if (range === undefined) return start;
  const shift = range.to - range.from;
  bytes.copyWithin(start + shift, start, range.from);
  return start + shift;
}

/**
 * Like `cutManagedFields`, but leaves the bytes alone where the object names a manager that is to be kept. What comes
 * back is where to parse from, and whether the entries of others have still to be dropped afterwards.
 */
export function cutForeignFields(
  bytes: Buffer,
  range: { readonly start: number; readonly end: number; readonly inside: readonly string[] },
  kept: Buffer | undefined,
): { readonly start: number; readonly kept: boolean } {
  const { start, end, inside } = range;
  const object = bytes.subarray(start, end);
  const near = object.indexOf(key);
  if (near < 0) return { start, kept: false };
  // The name alone may stand anywhere behind; then more is parsed than needed, and dropped after.
  if (kept !== undefined && object.includes(kept, near)) return { start, kept: true };
  return { start: cutManagedFields(bytes, start, end, inside), kept: false };
}

/** The entries of one manager, of all that are there. */
export function fieldsOf(manager: string, entries: unknown): unknown[] {
  if (!Array.isArray(entries)) return [];
  return entries.filter((entry: { manager?: unknown } | null) => entry?.manager === manager);
}

/** How a manager is written in an object's bytes. */
export function managerBytes(manager: string | undefined): Buffer | undefined {
  return manager === undefined ? undefined : Buffer.from(`"manager":${JSON.stringify(manager)}`);
}

/** The bytes of the member with one of its commas. A key of that name elsewhere, or inside a text, is not it. */
function findManagedFields(
  bytes: Buffer,
  start: number,
  end: number,
  inside: readonly string[],
): { from: number; to: number } | undefined {
  let depth = 0;
  let entered = 0; // how many steps of `inside` lead to where we are
  let name = '';
  for (let at = start; at < end; ) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x22) {
      const after = endOfString(bytes, at + 1, end);
      if (after < 0) return undefined;
      if (depth === entered + 1 && bytes[after] === 0x3a) {
        if (
          entered === inside.length &&
          after - at === key.length - 1 &&
          bytes.compare(key, 0, key.length, at, after + 1) === 0
        )
          return withComma(bytes, at, endOfValue(bytes, after + 1, end));
        name = after - at < 64 ? bytes.toString('latin1', at + 1, after - 1) : '';
      }
      at = after;
      continue;
    }
    if (open.has(byte)) {
      if (depth === entered + 1 && byte === 0x7b && name === inside[entered]) entered++;
      depth++;
    } else if (close.has(byte)) {
      depth--;
      if (depth <= entered && entered > 0) entered = depth - 1;
    } else if (byte === 0x2c && depth === entered + 1) name = '';
    at++;
  }
  return undefined;
}

function endOfValue(bytes: Buffer, from: number, end: number): number {
  let depth = 0;
  for (let at = from; at < end; ) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x22) {
      at = endOfString(bytes, at + 1, end);
      if (at < 0) return -1;
      if (depth === 0) return at;
      continue;
    }
    if (open.has(byte)) depth++;
    else if (close.has(byte) && --depth <= 0) return depth < 0 ? at : at + 1;
    else if (byte === 0x2c && depth === 0) return at;
    at++;
  }
  return -1;
}

function withComma(bytes: Buffer, from: number, to: number): { from: number; to: number } | undefined {
  if (to < 0) return undefined;
  if (bytes[from - 1] === 0x2c) return { from: from - 1, to };
  return { from, to: bytes[to] === 0x2c ? to + 1 : to };
}
