import type { Json } from '../core/json/index.ts';

/** A value of a client in a message: text as it is, anything else as JSON; nothing as the empty text. */
export function printed(value: Json | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
