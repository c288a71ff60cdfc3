import { isArray, isObject, type Json } from './value.ts';

/** The one text of a value, keys sorted: equal values have equal texts, so it can be hashed or used as a key. */
export function canonical(value: Json): string {
  if (isArray(value)) return `[${value.map((item) => canonical(item)).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join(',')}}`;
}
