import { atLine, LuaError, LuaLimit } from '../errors.ts';
import { LuaFunction } from '../function.ts';
import type { Machine } from '../machine.ts';
import { call, put } from '../operations.ts';
import { LuaTable, type LuaValue } from '../table.ts';
import { numberOf, numberText, textOf, typeName } from '../text.ts';
import { type Arguments, type Implementation, libraryFunction } from './arguments.ts';
import { unpack } from './table.ts';

/** The functions without a table of their own. Nothing here loads code or reaches outside; `print` says nothing. */
export const base: Readonly<Record<string, Implementation>> = {
  assert: (args) => {
    const value = args.any(1);
    if (value !== undefined && value !== false) return args.values;
    throw thrown(args.machine, args.values.length < 2 ? 'assertion failed!' : args.at(2), 0);
  },
  error: (args) => {
    throw thrown(args.machine, args.at(1), args.whole(2, 1));
  },
  getmetatable: (args) => {
    const value = args.any(1);
    return value instanceof LuaTable ? (value.meta?.get('__metatable') ?? value.meta) : undefined;
  },
  ipairs: (args) => [stepThroughList, args.table(1), 0],
  next: (args) => {
    const table = args.table(1);
    const key = table.next(args.at(2), (count) => args.machine.charge(count));
    if (key === false) throw args.machine.fault("invalid key to 'next'");
    return key === undefined ? undefined : [key, table.get(key)];
  },
  pairs: (args) => pairs(args),
  pcall: (args) => protectedCall(args.machine, args.any(1), args.values.slice(1)),
  print: () => [],
  rawequal: (args) => args.any(1) === args.any(2),
  rawget: (args) => args.table(1).get(args.at(2)),
  rawlen: (args) => (typeof args.at(1) === 'string' ? args.text(1).length : args.table(1).length),
  rawset: (args) => {
    put(args.machine, args.table(1), [args.at(2), args.at(3)]);
    return args.at(1);
  },
  require: (args) => {
    const name = args.text(1);
    if (!requirable.has(name)) throw args.machine.fault(`module '${name}' not found`);
    return args.machine.globals.get(name);
  },
  select: (args) => {
    if (args.at(1) === '#') return args.values.length - 1;
    const from = args.whole(1);
    if (from === 0 || from < -(args.values.length - 1)) throw args.bad(1, 'index out of range');
    args.machine.charge(args.values.length);
    return from > 0 ? args.values.slice(from) : args.values.slice(from);
  },
  setmetatable: (args) => setMetatable(args),
  tonumber: (args) => toNumber(args),
  tostring: (args) => toText(args.machine, args.any(1)),
  type: (args) => typeName(args.any(1)),
  unpack,
};

/** Scripts ask for these by habit, `local os = require("os")`; there is nothing else to load. */
const requirable = new Set(['string', 'table', 'math', 'os']);

const stepThroughList = libraryFunction('ipairs', (args) => {
  const position = args.whole(2) + 1;
  const value = args.table(1).get(position);
  return value === undefined ? undefined : [position, value];
});

/** Walks over the keys there are at its start; a field that was cleared in the meantime is passed over. */
function pairs(args: Arguments): readonly LuaValue[] {
  const table = args.table(1);
  const keys = table.keys();
  args.machine.charge(keys.length);
  let at = 0;
  const step = libraryFunction('next', () => {
    while (at < keys.length) {
      const key = keys[at++];
      const value = table.get(key);
      if (value !== undefined) return [key, value];
    }
    return undefined;
  });
  return [step, table, undefined];
}

/** A text gets the line it was thrown at: that of the call for level 1, that of the caller's call for level 2. */
function thrown(machine: Machine, value: LuaValue, level: number): LuaError {
  if (typeof value !== 'string') {
    const text = textOf(value) ?? `(error object is a ${typeName(value)} value)`;
    return new LuaError(text, value);
  }
  const line = level <= 0 ? 0 : (machine.calls.at(-level) ?? 0);
  return new LuaError(atLine(line, value));
}

function protectedCall(machine: Machine, called: LuaValue, args: readonly LuaValue[]): readonly LuaValue[] {
  const depth = machine.calls.length;
  const { line } = machine;
  try {
    return [true, ...call(machine, called, args, { line, what: '' })];
  } catch (error) {
    if (error instanceof LuaLimit) throw error;
    machine.calls.length = depth;
    if (error instanceof LuaError) return [false, error.value as LuaValue]; // only values of scripts get in there
    if (error instanceof RangeError) return [false, atLine(line, 'stack overflow')];
    throw error;
  }
}

/** What a table can be given by another; whatever else would be passed over in silence is refused by name. */
const metamethods = new Set(['__index', '__newindex', '__call', '__tostring', '__metatable', '__name']);

function setMetatable(args: Arguments): LuaValue {
  const table = args.table(1);
  if (args.at(2) !== undefined) args.table(2);
  if (table.meta?.get('__metatable') !== undefined) throw args.machine.fault('cannot change a protected metatable');
  const meta = args.at(2);
  if (meta instanceof LuaTable) {
    for (const key of meta.mapKeys) {
      if (typeof key === 'string' && key.startsWith('__') && !metamethods.has(key)) {
        throw args.bad(2, `the metamethod '${key}' is not supported`);
      }
    }
  }
  table.meta = meta instanceof LuaTable ? meta : undefined;
  return table;
}

function toNumber(args: Arguments): LuaValue {
  const value = args.any(1);
  if (typeof value === 'string') args.machine.charge(value.length >> 6);
  if (args.at(2) === undefined) return numberOf(value);
  const radix = args.whole(2);
  if (radix < 2 || radix > 36) throw args.bad(2, 'base out of range');
  const digits = args.text(1).trim().toLowerCase();
  const valid = [...digits.replace(/^-/, '')].every((digit) => Number.parseInt(digit, 36) < radix);
  return valid && digits.replace(/^-/, '') !== '' ? Number.parseInt(digits, radix) : undefined;
}

/** A value as `tostring` writes it. Tables and functions have no address here: it would differ from run to run. */
export function toText(machine: Machine, value: LuaValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(value);
  if (value instanceof LuaTable) {
    const handler = value.meta?.get('__tostring');
    if (handler === undefined) return 'table';
    const text = textOf(call(machine, handler, [value], { line: machine.line, what: "metamethod '__tostring'" })[0]);
    if (text === undefined) throw machine.fault("'__tostring' must return a string");
    return text;
  }
  return value instanceof LuaFunction ? `function: ${value.name}` : value === undefined ? 'nil' : String(value);
}
