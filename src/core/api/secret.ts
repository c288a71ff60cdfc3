import { isObject, type Json, type JsonObject, own } from '../json/index.ts';
import type { Notes } from './decode.ts';
import { metadata, type NamedMeta, objectOf } from './meta.ts';

/** The label that makes a Secret ours to read. */
export const secretTypeLabel = 'argocd.argoproj.io/secret-type';

/** A Secret with its values as text: `data` decoded, `stringData` (as in files) on top. */
export interface OpenSecret {
  readonly metadata: NamedMeta;
  readonly type: string;
  readonly values: ReadonlyMap<string, string>;
}

/** Reads a Secret of one of the given types (the value of the label); undefined with notes where it is none. */
export function openSecret(json: Json, types: readonly string[], notes: Notes): OpenSecret | undefined {
  const raw = objectOf(json, '', 'Secret', notes);
  const meta = raw === undefined ? undefined : metadata(own(raw, 'metadata') ?? null, 'metadata', notes);
  if (raw === undefined || meta === undefined) return undefined;
  const type = own(meta.labels as JsonObject | undefined, secretTypeLabel); // labels are a map of texts
  if (typeof type !== 'string' || !types.includes(type)) {
    return notes.add(`metadata.labels[${secretTypeLabel}]`, `must be ${types.join(' or ')}`);
  }
  const values = new Map<string, string>();
  addAll(own(raw, 'data'), 'data', { notes, values, read: decodeBase64 });
  addAll(own(raw, 'stringData'), 'stringData', { notes, values, read: (text) => text });
  return { metadata: meta, type, values };
}

interface Adding {
  readonly notes: Notes;
  readonly values: Map<string, string>;
  readonly read: (text: string) => string | undefined;
}

/** Messages name the key, never any part of the value. */
function addAll(part: Json | undefined, path: string, { notes, values, read }: Adding): void {
  if (part === undefined || part === null) return;
  if (!isObject(part)) {
    notes.add(path, 'must be an object');
    return;
  }
  for (const [key, value] of Object.entries(part)) {
    const text = typeof value === 'string' ? read(value) : undefined;
    if (text === undefined) notes.add(`${path}.${key}`, 'is not base64 of UTF-8 text');
    else values.set(key, text);
  }
}

/** Decodes base64 of UTF-8; undefined where it is neither. */
export function decodeBase64(text: string): string | undefined {
  try {
    const binary = atob(text);
    if (/^\p{ASCII}*$/u.test(binary)) return binary;
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
