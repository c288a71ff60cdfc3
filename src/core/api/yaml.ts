import { CORE_SCHEMA, loadAll } from 'js-yaml';
import type { Json } from '../json/index.ts';

const maxLength = 512 * 1024;

/**
 * Reads YAML inside a setting: null where there is nothing in it, undefined where it is none. Few aliases are taken, for nested ones multiply; the
 * text is an admin's, but one typing error must not stop the controller.
 */
export function parseYaml(written: string): Json | undefined {
  if (written.length > maxLength) return undefined;
  try {
    const documents = loadAll(written, { schema: CORE_SCHEMA, json: true, maxAliases: 16, maxDepth: 64 });
    if (documents.length > 1) return undefined;
    return (documents[0] ?? null) as Json; // the core schema makes JSON values only
  } catch {
    return undefined;
  }
}
