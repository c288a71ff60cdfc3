import { isUtf8 } from 'node:buffer';
import { ArgosyError, type ErrorCode, isArgosyError } from '../../core/errors/index.ts';
import type { Json } from '../../core/json/index.ts';
import { type Document, readDocuments } from './documents.ts';
import { rawNumber } from './go-schema.ts';
import type { ParseAnswer } from './protocol.ts';

/** A file that was read, or what is wrong with it; messages begin right after the name of the file. */
export type ParsedFile =
  | {
      readonly ok: true;
      readonly documents: readonly Document[];
      readonly warnings: readonly string[];
      readonly bytes: number;
    }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

/** Reads one file into the JSON of its documents; what is wrong with it is an answer as well. */
export function readFile(bytes: Buffer, mostMended?: number): { readonly json: string; readonly answer: ParseAnswer } {
  try {
    const { documents, warnings, hasLongNumbers } = readDocuments(textOf(bytes), mostMended);
    const json = JSON.stringify(documents.map(({ value }) => value));
    return { json, answer: { ok: true, end: 0, lines: documents.map(({ line }) => line), warnings, hasLongNumbers } };
  } catch (error) {
    const known = isArgosyError(error) ? { code: error.code, message: error.message } : unreadable;
    return { json: '', answer: { ok: false, ...known } };
  }
}

const unreadable = { code: 'render-failed', message: ': cannot be read' } as const;

/** The documents of one file, from what `readFile` made of it. */
export function parsedFile(json: string, answer: ParseAnswer): ParsedFile {
  if (!answer.ok) return answer;
  const values = answer.hasLongNumbers ? parseWithDigits(json) : (JSON.parse(json) as Json[]); // printed by `readFile`
  const documents = values.map((value, i) => ({ value, line: answer.lines[i] ?? 1 }));
  return { ok: true, documents, warnings: answer.warnings, bytes: json.length };
}

/** As `JSON.parse`, but a number that would lose digits keeps them. */
function parseWithDigits(text: string): Json[] {
  const keep = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined || !/^-?[0-9]+$/.test(source)) return value;
    return Number.isSafeInteger(value) ? value : rawNumber(source);
  };
  // The third argument of a reviver is not yet in the compiler's library.
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown) as Json[];
}

/** Text as Go reads it: UTF-8, or UTF-16 with its mark in front. Letters are never guessed. */
function textOf(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return bytes.toString('utf16le', 2);
  if (first === 0xfe && second === 0xff)
    return Buffer.from(bytes.subarray(2, bytes.length & ~1))
      .swap16()
      .toString('utf16le');
  if (!isUtf8(bytes)) throw new ArgosyError('render-failed', ': is not UTF-8');
  return bytes.toString('utf8');
}
