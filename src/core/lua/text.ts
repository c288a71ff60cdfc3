import { LuaFunction } from './function.ts';
import { LuaTable, type LuaValue } from './table.ts';

/** The name of a value's type, as `type` says it. */
export function typeName(value: LuaValue): string {
  if (value === undefined) return 'nil';
  if (value instanceof LuaTable) return 'table';
  return value instanceof LuaFunction ? 'function' : typeof value;
}

/** A number as `tostring` and `..` write it: whole ones without a point. */
export function numberText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  return Object.is(value, -0) ? '0' : String(value);
}

const hexadecimal = /^([+-]?)0[xX]([0-9a-fA-F]+)$/;
const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** The number a text spells, undefined where it spells none. */
export function numberOf(value: LuaValue): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  const trimmed = value.trim();
  if (decimal.test(trimmed)) return Number(trimmed);
  const hex = hexadecimal.exec(trimmed);
  if (hex === null) return undefined;
  return (hex[1] === '-' ? -1 : 1) * Number.parseInt(hex[2] ?? '', 16);
}

/** Strings and numbers stand for texts; nothing else does. */
export function textOf(value: LuaValue): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? numberText(value) : undefined;
}
