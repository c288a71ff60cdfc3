import { constructFromEvents, EVENT_ID, type Event, parseEvents, YAMLException } from 'js-yaml';
import { ArgosyError } from '../../core/errors/index.ts';
import type { Json } from '../../core/json/index.ts';
import { boundExpansion } from './expansion.ts';
import { goSchema, NotJson, type SchemaNotes } from './go-schema.ts';

/** Limits of one file; a manifest is a few kilobytes, a generated CRD a few hundred. */
const maxBytes = 50 * 1024 * 1024;
const maxAliases = 1_000;
const maxDepth = 100;
const maxMended = 200;

/** One document of a file. */
export interface Document {
  readonly value: Json;
  /** Where it begins, counted from 1. */
  readonly line: number;
}

/** The documents of a YAML file, and what a person should know about them. */
export interface Documents {
  readonly documents: readonly Document[];
  readonly warnings: readonly string[];
  /** Some number has more digits than a JavaScript number: read the JSON with care. */
  readonly hasLongNumbers: boolean;
}

// Making a schema costs more than reading a manifest: one for all, and its notes begin anew with each file.
const notes: SchemaNotes = { duplicates: new Set(), hasLongNumbers: false };
const schema = goSchema(notes);

/**
 * Reads a YAML (or JSON) file as kubectl does; a duplicate key takes the last value, with a warning.
 * Warnings and errors begin with `:line` or a space, for the caller to put the name of the file in front.
 * Go is more lenient than our parser: up to so many lines are mended, each at the price of another reading.
 */
export function readDocuments(text: string, mostMended: number = maxMended): Documents {
  if (text.length > maxBytes) throw new ArgosyError('render-limit', ` is larger than ${maxBytes >> 20} MiB`);
  notes.duplicates.clear();
  notes.hasLongNumbers = false;
  try {
    const { events, source } = leniently(text, mostMended);
    const values = constructFromEvents(events, { source, schema, json: true, maxAliases });
    const lines = linesOf(events, source);
    // The schema makes JSON values only.
    const documents = values.map((value, i) => ({ value: value as Json, line: lines[i] ?? 1 }));
    // Without aliases a document is as large as its text.
    if (events.some(({ type }) => type === EVENT_ID.ALIAS))
      for (const { value, line } of documents) boundExpansion(value, line);
    const warnings = [...notes.duplicates].map(
      (key) => `: the key ${key.slice(0, 100)} stands twice in one map; the last one counts`,
    );
    const there = documents.filter(({ value }) => value !== null && value !== undefined);
    return { documents: there, warnings, hasLongNumbers: notes.hasLongNumbers };
  } catch (error) {
    throw translated(error, text);
  }
}

const maxMendedBytes = 256 * 1024;

/**
 * Go lets the lines of `{…}` and `[…]` begin where they like; our parser wants them indented. Where it complains the line
 * is moved to the right, which means nothing inside brackets and leaves all line numbers as they are.
 */
function leniently(text: string, mostMended: number): { readonly events: Event[]; readonly source: string } {
  let source = text;
  for (let mended = 0; ; mended += 1) {
    try {
      return { events: parseEvents(source, { maxDepth }), source };
    } catch (error) {
      const mark = error instanceof YAMLException && error.reason === 'deficient indentation' ? error.mark : undefined;
      if (mark === undefined || mended >= mostMended || text.length > maxMendedBytes) throw error;
      const start = source.lastIndexOf('\n', mark.position - 1) + 1;
      if (/\S/.test(source.slice(start, mark.position)) || mark.position - start > 2 * maxDepth) throw error;
      source = `${source.slice(0, start)}${' '.repeat(2 * maxDepth + 1)}${source.slice(start)}`;
    }
  }
}

function translated(error: unknown, text: string): unknown {
  if (error instanceof NotJson) {
    const before = text.slice(0, text.indexOf(error.message));
    return new ArgosyError('render-failed', `:${countLines(before) + 1}: ${error.message} has no place in JSON`);
  }
  if (!(error instanceof YAMLException)) return error;
  const line = error.mark === undefined ? '' : `:${error.mark.line + 1}`;
  const tooMuch = /exceeded|abnormal|too deep|nesting/.test(error.reason);
  // Only the reason: the parser's snippet would quote the file, which may hold a secret.
  return new ArgosyError(
    tooMuch ? 'render-limit' : 'render-failed',
    `${line}: ${error.reason.replace(/"[^"]*"/g, '"…"')}`,
  );
}

/** The line of each document: that of its first node. */
function linesOf(events: readonly Event[], text: string): number[] {
  const lines: number[] = [];
  let line = 1;
  let counted = 0;
  for (const [i, event] of events.entries()) {
    if (event.type !== EVENT_ID.DOCUMENT) continue;
    const start = startOf(events[i + 1]);
    if (start > counted) {
      line += countLines(text.slice(counted, start));
      counted = start;
    }
    lines.push(line);
  }
  return lines;
}

function startOf(event: Event | undefined): number {
  if (event === undefined) return 0;
  if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) return event.start;
  return event.type === EVENT_ID.SCALAR ? event.valueStart : 0;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
