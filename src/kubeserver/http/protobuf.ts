import type { MutableJson, MutableJsonObject } from '../../core/json/index.ts';
import { badRequest } from '../status.ts';
import table from './protobuf.generated.json' with { type: 'json' };

const types = table as { readonly [type: string]: { readonly [number: string]: string } };
const magic = Buffer.from('k8s\u0000', 'latin1');
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

/** One field as it stands in a message: its number and its bytes or its number. */
interface Raw {
  readonly number: number;
  readonly value: bigint | Buffer;
}

/** Reads an object sent as protobuf (kubectl's typed commands do) into the JSON it means. */
export function decodeProtobuf(body: Buffer, typeOf: (apiVersion: string, kind: string) => string | undefined): MutableJsonObject {
  if (!body.subarray(0, 4).equals(magic)) throw malformed('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  const unknown = fieldsOf(body.subarray(4));
  const head = fieldsOf(bytesOf(unknown, 1));
  const [apiVersion, kind] = [bytesOf(head, 1).toString('utf8'), bytesOf(head, 2).toString('utf8')];
  const type = typeOf(apiVersion, kind);
  if (type === undefined || !Object.hasOwn(types, type))
    throw badRequest(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in protobuf; send JSON`);
  return { apiVersion, kind, ...message(bytesOf(unknown, 2), type, 0) };
}

function malformed(why: string): Error {
  return badRequest(`the body is no protobuf message: ${why}`);
}

function bytesOf(fields: readonly Raw[], number: number): Buffer {
  const found = fields.findLast((field) => field.number === number)?.value;
  return Buffer.isBuffer(found) ? found : Buffer.alloc(0);
}

function fieldsOf(buffer: Buffer): Raw[] {
  const fields: Raw[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = buffer[at++];
      if (byte === undefined) throw malformed('unexpected EOF');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw malformed('integer overflow');
  };
  const take = (length: number): Buffer => {
    if (length < 0 || at + length > buffer.length) throw malformed('unexpected EOF');
    at += length;
    return buffer.subarray(at - length, at);
  };
  while (at < buffer.length) {
    const tag = varint();
    const wire = Number(tag & 7n);
    const number = Number(tag >> 3n);
    if (wire === 0) fields.push({ number, value: varint() });
    else if (wire === 1) fields.push({ number, value: take(8) });
    else if (wire === 2) fields.push({ number, value: take(Number(varint())) });
    else if (wire === 5) fields.push({ number, value: take(4) });
    else throw malformed(`illegal wireType ${wire}`);
  }
  return fields;
}

function message(buffer: Buffer, type: string, depth: number): MutableJsonObject {
  if (depth > 100) throw malformed('too deep');
  const known = types[type] ?? {};
  const result: MutableJsonObject = {};
  for (const { number, value } of fieldsOf(buffer)) {
    const described = known[String(number)];
    if (described === undefined) continue;
    const [name = '', inner = '', flags = ''] = described.split(' ');
    if (flags.includes('m')) entry(result, name, value, inner, depth);
    else add(result, name, flags, valueOf(value, inner, depth));
  }
  return result;
}

/** Go leaves out zero values unless they stand behind a pointer. */
function add(result: MutableJsonObject, name: string, flags: string, value: MutableJson): void {
  if (flags.includes('r')) {
    const list = result[name];
    result[name] = Array.isArray(list) ? [...list, value] : [value];
    return;
  }
  if (flags.includes('n')) {
    Object.assign(result, value);
    return;
  }
  const zero = value === '' || value === 0 || value === false || value === null || isEmpty(value);
  if (!zero || (flags.includes('p') && value !== null)) result[name] = value;
}

function isEmpty(value: MutableJson): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

function entry(result: MutableJsonObject, name: string, value: bigint | Buffer, inner: string, depth: number): void {
  if (!Buffer.isBuffer(value)) throw malformed('a map entry is no message');
  const fields = fieldsOf(value);
  const key = bytesOf(fields, 1).toString('utf8');
  const found = fields.findLast(({ number }) => number === 2)?.value ?? Buffer.alloc(0);
  const map = (result[name] ??= {}) as MutableJsonObject; // only maps are written under this name
  Object.defineProperty(map, key, { value: valueOf(found, inner, depth), enumerable: true, writable: true, configurable: true });
}

function valueOf(value: bigint | Buffer, type: string, depth: number): MutableJson {
  if (typeof value === 'bigint') return type === 'bool' ? value !== 0n : Number(BigInt.asIntN(64, value));
  if (type === 'string') return value.toString('utf8');
  if (type === 'bytes') return value.toString('base64');
  if (type === 'double') return value.length === 8 ? value.readDoubleLE(0) : 0;
  return special(value, type) ?? message(value, type, depth + 1);
}

/** Types whose JSON is not the sum of their fields. */
function special(value: Buffer, type: string): MutableJson | undefined {
  const fields = (): readonly Raw[] => fieldsOf(value);
  const numberAt = (n: number): bigint => {
    const found = fields().findLast(({ number }) => number === n)?.value;
    return typeof found === 'bigint' ? BigInt.asIntN(64, found) : 0n;
  };
  if (type === `${meta}Time` || type === `${meta}MicroTime`) return timeText(value.length === 0, numberAt(1), numberAt(2), type.endsWith('MicroTime'));
  if (type === 'io.k8s.apimachinery.pkg.api.resource.Quantity') return bytesOf(fields(), 1).toString('utf8');
  if (type === 'io.k8s.apimachinery.pkg.util.intstr.IntOrString')
    return numberAt(1) === 0n ? Number(numberAt(2)) : bytesOf(fields(), 3).toString('utf8');
  if (type === 'io.k8s.apimachinery.pkg.runtime.RawExtension' || type === `${meta}FieldsV1`) return rawJson(bytesOf(fields(), 1));
  if (type.endsWith('.ExtraValue') || type.endsWith('.Verbs'))
    return fields().map(({ value: item }) => (Buffer.isBuffer(item) ? item.toString('utf8') : ''));
  return undefined;
}

function timeText(absent: boolean, seconds: bigint, nanos: bigint, micro: boolean): MutableJson {
  // Go's zero time lies in the year 1.
  if (absent || seconds < -62_135_500_000n) return null;
  const date = new Date(Number(seconds) * 1000 + Number(nanos / 1_000_000n));
  if (Number.isNaN(date.getTime())) throw malformed('a time is out of range');
  if (!micro) return `${date.toISOString().slice(0, 19)}Z`;
  return `${date.toISOString().slice(0, 19)}.${String(nanos / 1000n).padStart(6, '0')}Z`;
}

function rawJson(bytes: Buffer): MutableJson {
  try {
    return bytes.length === 0 ? null : (JSON.parse(bytes.toString('utf8')) as MutableJson); // JSON.parse makes nothing else
  } catch {
    throw malformed('a raw object is no JSON');
  }
}
