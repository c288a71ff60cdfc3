import { isObject, type Json, own } from '../json/index.ts';

/** The texts of a ConfigMap's `data`, in the order of their keys; anything that is no text is left out. */
export function configMapData(json: Json): ReadonlyMap<string, string> {
  const data = own(json, 'data');
  const entries = isObject(data) ? Object.entries(data) : [];
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
