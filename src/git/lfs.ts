import { createHash } from 'node:crypto';
import { ArgosyError } from '../core/errors/index.ts';
import { at, isArray, isObject, type Json, objectAt, stringAt } from '../core/json/index.ts';
import { callHttp, type HttpParts, parseJson } from './http-call.ts';
import type { RepositoryUrl } from './url.ts';

/** What a pointer of Git LFS stands for. */
export interface Pointer {
  readonly id: string;
  readonly size: number;
}

/** What fetching large files needs. */
export interface LfsParts extends HttpParts {
  readonly url: RepositoryUrl;
  /** The header to log in with, where there is one. */
  readonly authorization: string | undefined;
  readonly maxBytes: number;
  readonly deadlineMs: number;
}

const mediaType = 'application/vnd.git-lfs+json';
const maxPointerBytes = 1024;
const maxAnswerBytes = 8 * 1024 * 1024;

/** Reads a pointer; `undefined` where the content is a file like any other. */
export function parsePointer(content: Buffer): Pointer | undefined {
  if (content.length > maxPointerBytes) return undefined;
  const text = content.toString('latin1');
  const match =
    /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:[a-z0-9.-]+ .*\n)*?oid sha256:([0-9a-f]{64})\nsize ([0-9]{1,15})\n/.exec(
      text,
    );
  return match === null ? undefined : { id: match[1] ?? '', size: Number(match[2]) };
}

/** The files behind pointers, in their order; `undefined` for contents that are no pointers. */
export async function fetchLarge(parts: LfsParts, contents: readonly Buffer[]): Promise<(Buffer | undefined)[]> {
  const pointers = contents.map(parsePointer);
  const wanted = new Map(
    pointers.flatMap((pointer) => (pointer === undefined ? [] : [[pointer.id, pointer] as const])),
  );
  if (wanted.size === 0) return contents.map(() => undefined);
  const total = [...wanted.values()].reduce((sum, { size }) => sum + size, 0);
  if (total > parts.maxBytes)
    throw new ArgosyError('git-limit', 'the large files of the repository are larger than permitted', {
      subject: parts.url.text,
    });
  const found = new Map<string, Buffer>();
  for (const object of await askBatch(parts, [...wanted.values()])) {
    const pointer = wanted.get(stringAt(object, 'oid') ?? '');
    if (pointer !== undefined) found.set(pointer.id, await download(parts, pointer, object));
  }
  return pointers.map((pointer) => {
    const content = pointer === undefined ? undefined : found.get(pointer.id);
    if (pointer !== undefined && content === undefined) throw missing(parts);
    return content;
  });
}

async function askBatch(parts: LfsParts, pointers: readonly Pointer[]): Promise<readonly Json[]> {
  if (parts.url.transport !== 'https' && parts.url.transport !== 'http')
    throw new ArgosyError('git-refused', 'large files are fetched from https repositories only', {
      subject: parts.url.text,
    });
  const base = parts.url.text.replace(/\/+$/, '').replace(/(?:\.git)?$/, '.git');
  const { status, body } = await callHttp(parts, {
    method: 'POST',
    url: new URL(`${base}/info/lfs/objects/batch`),
    headers: {
      accept: mediaType,
      'content-type': mediaType,
      ...(parts.authorization !== undefined && { authorization: parts.authorization }),
    },
    body: JSON.stringify({
      operation: 'download',
      transfers: ['basic'],
      objects: pointers.map(({ id, size }) => ({ oid: id, size })),
    }),
    maxBytes: maxAnswerBytes,
    deadlineMs: parts.deadlineMs,
  });
  if (status === 401 || status === 403)
    throw new ArgosyError('git-auth', 'the server refuses the credential for large files', { subject: parts.url.text });
  const objects = status === 200 ? at(parseJson(body), 'objects') : undefined;
  if (!isArray(objects)) throw missing(parts);
  return objects;
}

/** Fetches one file from where the server says. Our own credential stays at the repository's server. */
async function download(parts: LfsParts, pointer: Pointer, object: Json): Promise<Buffer> {
  const href = stringAt(object, 'actions', 'download', 'href') ?? '';
  if (!URL.canParse(href)) throw missing(parts);
  const url = new URL(href);
  const own = url.origin === new URL(parts.url.text).origin;
  const headers = {
    ...(own && parts.authorization !== undefined && { authorization: parts.authorization }),
    ...headersOf(objectAt(object, 'actions', 'download', 'header')),
  };
  const { status, body } = await callHttp(parts, {
    method: 'GET',
    url,
    headers,
    maxBytes: pointer.size,
    deadlineMs: parts.deadlineMs,
  });
  if (status !== 200) throw missing(parts);
  if (createHash('sha256').update(body).digest('hex') !== pointer.id)
    throw new ArgosyError('git-failed', 'a large file is not what its pointer says', { subject: parts.url.text });
  return body;
}

/** Only what a storage needs to let us in; nothing that changes what is asked or of whom. */
function headersOf(header: Json | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  if (!isObject(header)) return headers;
  for (const [name, value] of Object.entries(header))
    if (
      /^(?:authorization|x-[a-z0-9-]{1,60})$/i.test(name) &&
      typeof value === 'string' &&
      /^[\x20-\x7e]{0,8192}$/.test(value)
    )
      headers[name.toLowerCase()] = value;
  return headers;
}

function missing(parts: LfsParts): ArgosyError {
  return new ArgosyError('git-unreachable', 'the server does not hand out the large files of the repository', {
    subject: parts.url.text,
  });
}
