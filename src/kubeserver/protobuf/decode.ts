import { isObject, type MutableJson, type MutableJsonObject } from '../../core/json/index.ts';
import { parseApiVersion } from '../../core/objects/index.ts';
import { badRequest } from '../status.ts';
import { type Field, messageOf } from './messages.ts';
import { WireError, type WireField, wireFields } from './wire.ts';

const magic = Buffer.from('k8s\0');
const deepest = 100;

/** Tells whether a content type is Kubernetes' protobuf. */
export function isProtobuf(contentType: string | undefined): boolean {
  return (contentType ?? '').split(';')[0]?.trim().toLowerCase() === 'application/vnd.kubernetes.protobuf';
}

/** The object in a body of `application/vnd.kubernetes.protobuf`, as its JSON; throws 400 for anything else. */
export function protobufToJson(body: Buffer): MutableJsonObject {
  try {
    return decodeEnvelope(body);
  } catch (error) {
    if (error instanceof WireError) throw badRequest(`proto: ${error.message}`);
    throw error;
  }
}

function decodeEnvelope(body: Buffer): MutableJsonObject {
  if (!body.subarray(0, 4).equals(magic))
    throw badRequest('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  const fields = [...wireFields(body.subarray(4))];
  const meta = [...wireFields(bytesOf(fields, 1))];
  const [apiVersion, kind] = [bytesOf(meta, 1).toString('utf8'), bytesOf(meta, 2).toString('utf8')];
  const { group, version } = parseApiVersion(apiVersion);
  const name = `${group === '' ? 'core' : (group.split('.')[0] ?? '')}/${version}.${kind}`;
  const known = messageOf(name) === undefined ? `meta.${kind}` : name;
  if (messageOf(known) === undefined)
    throw badRequest(`no kind "${kind}" is registered for version "${apiVersion}" in protobuf; send JSON`);
  return { kind, apiVersion, ...decodeMessage(known, bytesOf(fields, 2), 0) };
}

function bytesOf(fields: readonly WireField[], number: number): Buffer {
  const found = fields.find((field) => field.number === number);
  return found !== undefined && 'bytes' in found ? found.bytes : Buffer.alloc(0);
}

function decodeMessage(name: string, bytes: Buffer, depth: number): MutableJsonObject {
  if (depth > deepest) throw new WireError('exceeded max depth');
  const message = messageOf(name);
  const object: MutableJsonObject = {};
  if (message === undefined) return object;
  for (const wire of wireFields(bytes)) {
    const field = message.get(wire.number);
    if (field !== undefined) decodeField(object, field, wire, depth);
  }
  return object;
}

function decodeField(object: MutableJsonObject, { key, type, always }: Field, wire: WireField, depth: number): void {
  if (key === '^') {
    const inner = decodeValue(type.replace(/^\*/, ''), wire, depth);
    if (isObject(inner)) Object.assign(object, inner);
    return;
  }
  if (type.startsWith('{}')) {
    const map = (object[key] ?? {}) as MutableJsonObject; // made here
    object[key] = map;
    decodeEntry(map, type.slice(2), wire, depth);
    return;
  }
  if (type.startsWith('[]')) {
    const list = (object[key] ?? []) as MutableJson[]; // made here
    object[key] = list;
    list.push(decodeValue(type.slice(2), wire, depth) ?? null);
    return;
  }
  const pointer = type.startsWith('*');
  const value = decodeValue(pointer ? type.slice(1) : type, wire, depth);
  if (value === undefined || (!pointer && !always && isZero(value))) return;
  object[key] = value;
}

/** What Go leaves out of JSON where `omitempty` says so. */
function isZero(value: MutableJson): boolean {
  return value === '' || value === 0 || value === false || (isObject(value) && Object.keys(value).length === 0);
}

function decodeEntry(map: MutableJsonObject, type: string, wire: WireField, depth: number): void {
  const fields = [...wireFields(contentOf(wire))];
  const key = bytesOf(fields, 1).toString('utf8');
  const found = fields.find(({ number }) => number === 2);
  const value = found === undefined ? emptyOf(type) : decodeValue(type, found, depth + 1);
  Object.defineProperty(map, key, { value: value ?? null, writable: true, enumerable: true, configurable: true });
}

function emptyOf(type: string): MutableJson {
  return type === 's' || type === 'y' ? '' : type.startsWith('L') ? [] : {};
}

function contentOf(wire: WireField): Buffer {
  if ('bytes' in wire) return wire.bytes;
  throw new WireError('wrong wire type');
}

function integer(wire: WireField | undefined): number {
  if (wire === undefined) return 0;
  if (!('varint' in wire)) throw new WireError('wrong wire type');
  return Number(BigInt.asIntN(64, wire.varint));
}

/** Reads one value by the code of its type; undefined for what has no JSON (a zero time). */
function decodeValue(type: string, wire: WireField, depth: number): MutableJson | undefined {
  if (type === 'i') return integer(wire);
  if (type === 'b') return integer(wire) !== 0;
  const bytes = contentOf(wire);
  const text = (): string => bytes.toString('utf8');
  switch (type) {
    case 's':
      return text();
    case 'y':
      return bytes.toString('base64');
    case 'f':
      return bytes.length === 8 ? bytes.readDoubleLE() : 0;
    case 'T':
    case 'U':
      return decodeTime(bytes, type === 'U');
    case 'Q':
      return bytesOf([...wireFields(bytes)], 1).toString('utf8');
    case 'I':
      return decodeIntOrString(bytes);
    case 'R':
    case 'V':
      return decodeRaw(bytesOf([...wireFields(bytes)], 1).toString('utf8'));
    case 'D':
      return `${integer([...wireFields(bytes)].find(({ number }) => number === 1)) / 1e9}s`;
  }
  if (type.startsWith('L'))
    return [...wireFields(bytes)].flatMap((item) => decodeValue(type.slice(1), item, depth + 1) ?? []);
  return decodeMessage(type, bytes, depth + 1);
}

function decodeTime(bytes: Buffer, micro: boolean): string | undefined {
  const fields = [...wireFields(bytes)];
  const seconds = fields.find(({ number }) => number === 1);
  if (seconds === undefined) return undefined;
  const nanos = integer(fields.find(({ number }) => number === 2));
  const date = new Date(integer(seconds) * 1000);
  if (Number.isNaN(date.getTime())) throw new WireError('time out of range');
  const whole = date.toISOString().slice(0, 19);
  return micro ? `${whole}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z` : `${whole}Z`;
}

function decodeIntOrString(bytes: Buffer): number | string {
  const fields = [...wireFields(bytes)];
  const find = (number: number): WireField | undefined => fields.find((field) => field.number === number);
  return integer(find(1)) === 0 ? integer(find(2)) : bytesOf(fields, 3).toString('utf8');
}

function decodeRaw(text: string): MutableJson {
  if (text === '') return null;
  try {
    return JSON.parse(text) as MutableJson; // JSON.parse makes nothing else
  } catch {
    throw new WireError('an embedded object is no JSON');
  }
}
