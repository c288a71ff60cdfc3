import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ArgosyError } from '../../core/errors/index.ts';
import type { MemoryFile } from '../tree/memory.ts';

const unzip = promisify(gunzip);
const block = 512;

/** How much an archive may hold. */
export interface ArchiveLimits {
  readonly extractedBytes: number;
  readonly files: number;
}

/**
 * Reads a chart's archive into memory, without its top directory. Only plain files come through: links, devices and names
 * that leave the archive are refused, whoever made it.
 */
export async function readArchive(archive: Buffer, limits: ArchiveLimits): Promise<Map<string, MemoryFile>> {
  const bytes = await unzipped(archive, limits.extractedBytes);
  const files = new Map<string, MemoryFile>();
  let longName: string | undefined;
  for (let at = 0; at + block <= bytes.length; ) {
    const header = bytes.subarray(at, at + block);
    if (header.every((byte) => byte === 0)) break;
    const size = sizeOf(header);
    const content = bytes.subarray(at + block, at + block + size);
    if (content.length < size) throw malformed();
    at += block + Math.ceil(size / block) * block;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'L') longName = textOf(content);
    else if (type === 'x') longName = paxPath(content) ?? longName;
    else if (type !== 'g') {
      addFile(files, { name: longName ?? nameOf(header), type, content });
      longName = undefined;
    }
    if (files.size > limits.files) throw new ArgosyError('render-limit', 'the chart has too many files');
  }
  return files;
}

async function unzipped(archive: Buffer, maxOutputLength: number): Promise<Buffer> {
  try {
    return await unzip(archive, { maxOutputLength });
  } catch (error) {
    const tooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw tooLarge ? new ArgosyError('render-limit', 'the chart is larger than permitted') : malformed();
  }
}

function addFile(
  files: Map<string, MemoryFile>,
  { name, type, content }: { readonly name: string; readonly type: string; readonly content: Buffer },
): void {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  const wrong = name.startsWith('/') || name.includes('\0') || name.includes('\\') || parts.includes('..');
  if (wrong || !['0', '\0', '5', '7'].includes(type))
    throw new ArgosyError(
      'render-refused',
      'the archive of the chart holds something other than plain files inside it',
    );
  const path = parts.slice(1).join('/');
  if (type === '5' || path === '') return;
  files.set(path, { kind: 'file', content: Buffer.from(content) });
}

/** The name in a header, with the prefix that longer ones have. */
function nameOf(header: Buffer): string {
  const prefix = header.toString('latin1', 257, 262) === 'ustar' ? textOf(header.subarray(345, 500)) : '';
  const name = textOf(header.subarray(0, 100));
  return prefix === '' ? name : `${prefix}/${name}`;
}

function sizeOf(header: Buffer): number {
  const text = textOf(header.subarray(124, 136)).trim();
  if (!/^[0-7]{1,11}$/.test(text)) throw malformed();
  return Number.parseInt(text, 8);
}

function paxPath(content: Buffer): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(content.toString('utf8'))?.[1];
}

function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

function malformed(): ArgosyError {
  return new ArgosyError('render-failed', 'the archive of the chart cannot be read');
}
