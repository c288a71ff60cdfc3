import { isArray, isObject, type Json } from '../json/index.ts';
import { celDuration } from './cel.ts';
import { declaredField, deref, fieldSchema, itemSchema } from './deref.ts';
import type { ResolveRef, Schema } from './schema.ts';

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** A field's name as rules spell it: CEL's own words and unusual characters are escaped. */
export function celName(name: string): string {
  if (reserved.has(name)) return `__${name}__`;
  return name.replace(/__|[.\-/]/g, (part) => escapes[part] ?? part);
}

const escapes: Record<string, string> = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' };

/** A value as rules see it: whole numbers are ints, texts with a time format are times, objects are maps of own keys. */
export function celValue(value: Json, schema: Schema, resolve: ResolveRef): unknown {
  const type = deref(schema, resolve);
  if (typeof value === 'number') return type.type === 'number' || !Number.isSafeInteger(value) ? value : BigInt(value);
  if (typeof value === 'string') return celText(value, type);
  if (isArray(value)) {
    const items = itemSchema(type, resolve);
    return value.map((item) => celValue(item, items, resolve));
  }
  if (!isObject(value)) return value;
  const map = new Map<string, unknown>();
  for (const key of Object.keys(value)) {
    const name = declaredField(type, key) === undefined ? key : celName(key);
    map.set(name, celValue(value[key] ?? null, fieldSchema(type, key, resolve), resolve));
  }
  return map;
}

function celText(text: string, { format }: Schema): unknown {
  if (format === 'date-time' || format === 'date') {
    const time = new Date(text);
    return Number.isNaN(time.getTime()) ? text : time;
  }
  return format === 'duration' ? (celDuration(text) ?? text) : text;
}

/** The size of the largest list or map in a value: what one loop of a rule may run over. */
export function widest(value: Json | undefined): number {
  if (isArray(value)) return value.reduce<number>((most, item) => Math.max(most, widest(item)), value.length);
  if (!isObject(value)) return 1;
  const values = Object.values(value);
  return values.reduce<number>((most, item) => Math.max(most, widest(item)), values.length);
}
