import { load } from 'js-yaml';
import { isArray, isObject, type Json, type MutableJsonObject } from '../../core/json/index.ts';
import { StatusError } from '../ports.ts';
import { badRequest, unsupportedMediaType } from '../status.ts';
import { goJsonProblem } from './go-json.ts';

/** The most a request's body may hold, as in the real server. */
const maxBody = 3 * 1024 * 1024;
const maxDepth = 1000;
/** The most values a YAML document may hold with its aliases spelled out. */
const maxNodes = 500_000;

const accepted = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** Reads a whole body, or refuses it once it grows too large. */
export async function readBody(stream: AsyncIterable<Buffer>, announced: string | undefined): Promise<Buffer> {
  if (Number(announced ?? 0) > maxBody) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > maxBody) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    // A client that goes away in the middle is no fault of ours.
    throw error instanceof StatusError ? error : badRequest('unexpected EOF');
  }
  return Buffer.concat(chunks);
}

function tooLarge(): StatusError {
  const message = `Request entity too large: limit is ${maxBody}`;
  return new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message, details: {} });
}

/** The media type of a Content-Type header, without parameters. */
export function mediaType(header: string | undefined): string {
  return (header ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

export type Format = 'json' | 'yaml';

/** The format of an object's body. No content type counts as JSON, as in the real server. */
export function bodyFormat(header: string | undefined): Format {
  const type = mediaType(header);
  if (type === '' || type === 'application/json') return 'json';
  if (type === 'application/yaml') return 'yaml';
  throw unsupportedMediaType(accepted);
}

/** Parses JSON, or throws what Go would say about it with `prefix` before. */
export function parseJson(text: string, prefix = ''): Json {
  refuseDeep(text, prefix);
  try {
    return JSON.parse(text) as Json; // JSON.parse makes nothing else
  } catch {
    throw badRequest(`${prefix}${goJsonProblem(text)}`);
  }
}

/** Parses YAML the way the real server does: by way of JSON values. */
export function parseYaml(text: string, prefix = ''): Json {
  let value: unknown;
  try {
    value = load(text, { json: true, maxDepth: 200, maxAliases: 100 });
  } catch (error) {
    const first = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw badRequest(`${prefix}error converting YAML to JSON: yaml: ${first}`);
  }
  const json: unknown = JSON.parse(JSON.stringify(spelledOut(value ?? null, prefix)));
  return json as Json; // it just came out of JSON.parse
}

/** Each alias as a value of its own; throws 400 for one that contains itself or stands for more than it should. */
function spelledOut(value: unknown, prefix: string): unknown {
  let left = maxNodes;
  const open = new Set<unknown>();
  const copy = (node: unknown): unknown => {
    if (--left < 0)
      throw badRequest(`${prefix}error converting YAML to JSON: yaml: document contains excessive aliasing`);
    if (typeof node !== 'object' || node === null || node instanceof Date) return node;
    if (open.has(node)) throw badRequest(`${prefix}error converting YAML to JSON: yaml: anchor value contains itself`);
    open.add(node);
    const made = Array.isArray(node)
      ? node.map(copy)
      : Object.fromEntries(Object.entries(node).map(([key, member]) => [key, copy(member)]));
    open.delete(node);
    return made;
  };
  return copy(value);
}

/** A body as an object, whatever its format. */
export function parseObject(body: Buffer, format: Format, prefix: string): MutableJsonObject {
  const text = body.toString('utf8');
  const value = format === 'json' ? parseJson(text, prefix) : parseYaml(text, prefix);
  if (isObject(value)) return value as MutableJsonObject; // fresh from the parser, nobody else holds it
  const kind = isArray(value) ? 'array' : value === null ? 'null' : typeof value === 'boolean' ? 'bool' : typeof value;
  if (kind === 'null') return {};
  throw badRequest(
    `${prefix}json: cannot unmarshal ${kind} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
  );
}

function refuseDeep(text: string, prefix: string): void {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (quoted) {
      if (c === 0x5c) i++;
      else if (c === 0x22) quoted = false;
    } else if (c === 0x22) quoted = true;
    else if (c === 0x7b || c === 0x5b) {
      if (++depth > maxDepth) throw badRequest(`${prefix}exceeded max depth`);
    } else if (c === 0x7d || c === 0x5d) depth--;
  }
}
