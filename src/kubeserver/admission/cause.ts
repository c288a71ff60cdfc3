import { isArray, isObject, type Json, type JsonObject } from '../../core/json/index.ts';
import type { Cause } from '../status.ts';

/** Looks at an object (and at what it replaces) and says what is wrong with it. */
export type Check = (object: JsonObject, old: JsonObject | undefined) => Cause[];

/** A value as the real server prints it in a cause. */
function shown(value: Json | undefined): string {
  return JSON.stringify(value ?? null);
}

export function invalidValue(field: string, value: Json | undefined, why: string): Cause {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${shown(value)}: ${why}` };
}

export function required(field: string, why = ''): Cause {
  return { field, reason: 'FieldValueRequired', message: why === '' ? 'Required value' : `Required value: ${why}` };
}

export function forbiddenField(field: string, why: string): Cause {
  return { field, reason: 'FieldValueForbidden', message: `Forbidden: ${why}` };
}

export function duplicate(field: string, value: Json): Cause {
  return { field, reason: 'FieldValueDuplicate', message: `Duplicate value: ${shown(value)}` };
}

export function notFoundValue(field: string, value: Json): Cause {
  return { field, reason: 'FieldValueNotFound', message: `Not found: ${shown(value)}` };
}

export function unsupported(field: string, value: Json | undefined, supported: readonly string[]): Cause {
  const list = supported.map((item) => `"${item}"`).join(', ');
  const message = `Unsupported value: ${shown(value)}: supported values: ${list}`;
  return { field, reason: 'FieldValueNotSupported', message };
}

/** The objects in a list with their paths; anything else in it is the schema's business. */
export function each(value: Json | undefined, field: string): { item: JsonObject; path: string; index: number }[] {
  if (!isArray(value)) return [];
  return value.flatMap((item, index) => (isObject(item) ? [{ item, path: `${field}[${index}]`, index }] : []));
}

/** A cause if a number is there and below zero. */
export function nonNegative(object: JsonObject | undefined, field: string, path: string): Cause[] {
  const value = object?.[field];
  if (typeof value !== 'number' || value >= 0) return [];
  return [invalidValue(`${path}.${field}`, value, 'must be greater than or equal to 0')];
}

/** A cause unless the value, if given, is one of a list. */
export function oneOf(value: Json | undefined, field: string, supported: readonly string[]): Cause[] {
  if (value === undefined || value === null || value === '') return [];
  return typeof value === 'string' && supported.includes(value) ? [] : [unsupported(field, value, supported)];
}
