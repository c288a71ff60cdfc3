import { loadAll, YAMLException } from 'js-yaml';
import { ArgosyError } from '../../core/errors/index.ts';
import type { Json } from '../../core/json/index.ts';
import { goSchema } from './go-schema.ts';

/** Limits of one file; a manifest is a few kilobytes, a generated CRD a few hundred. */
const maxBytes = 10 * 1024 * 1024;
const maxAliases = 100;
const maxDepth = 100;

/** The documents of a YAML file, and what a person should know about them. */
export interface Documents {
  readonly documents: readonly Json[];
  readonly warnings: readonly string[];
}

/** Reads a YAML (or JSON) file as kubectl does; a duplicate key takes the last value, with a warning. */
export function readDocuments(file: string, text: string): Documents {
  if (text.length > maxBytes) {
    throw new ArgosyError('render-limit', `${file} is larger than ${maxBytes >> 20} MiB`, { subject: file });
  }
  const duplicates = new Set<string>();
  try {
    const schema = goSchema((key) => void duplicates.add(key));
    const documents = loadAll(text, { schema, json: true, maxAliases, maxDepth }) as Json[]; // the schema makes JSON values only
    const warnings = [...duplicates].map(
      (key) => `${file}: the key ${key} stands twice in one map; the last one counts`,
    );
    return { documents: documents.filter((document) => document !== null && document !== undefined), warnings };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = error.mark === undefined ? '' : `:${error.mark.line + 1}`;
    // Only the reason: the parser's snippet would quote the file, which may hold a secret.
    throw new ArgosyError('render-failed', `${file}${line}: ${error.reason}`, { subject: `${file}${line}` });
  }
}
