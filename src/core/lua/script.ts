import type { Json } from '../json/index.ts';
import { parseLua } from './ast.ts';
import { compileChunk } from './compile/statement.ts';
import { LuaError } from './errors.ts';
import type { LuaFunction } from './function.ts';
import { library } from './library/arguments.ts';
import { base } from './library/base.ts';
import { mathLibrary } from './library/math.ts';
import { os } from './library/os.ts';
import { string } from './library/string.ts';
import { table } from './library/table.ts';
import { defaultLimits, type LuaLimits, Machine } from './machine.ts';
import { fromJson, type LuaTable, type LuaValue } from './table.ts';

/** What a script may see and use. */
export interface LuaEnvironment {
  /** Global variables; objects are read where the script touches them, never copied as a whole. */
  readonly globals: ReadonlyMap<string, Json>;
  /** Seconds since 1970, for `os.time`. */
  readonly now: () => number;
  readonly limits?: LuaLimits;
}

/** A script ready to run, as often as wanted: runs share nothing. */
export interface LuaScript {
  /** The last value the script returns. Throws LuaError with the line where it fails, LuaLimit where it takes too much. */
  run(environment: LuaEnvironment): LuaValue;
}

/** Compiles a script; throws LuaError with the line where it is no Lua. */
export function compileLua(source: string): LuaScript {
  const chunk = compiled(source);
  return { run: (environment) => run(chunk, environment) };
}

function compiled(source: string): LuaFunction {
  try {
    return compileChunk(parseLua(source));
  } catch (error) {
    if (error instanceof RangeError) throw new LuaError('the script is nested too deeply');
    throw error;
  }
}

function run(chunk: LuaFunction, { globals, now, limits = defaultLimits }: LuaEnvironment): LuaValue {
  const strings = libraries.string.copy();
  const machine = new Machine({ limits, strings, globals: globalsOf(globals, strings), now });
  try {
    return chunk.run([], machine).at(-1);
  } catch (error) {
    if (error instanceof RangeError) throw machine.fault('stack overflow');
    throw error;
  }
}

const libraries = {
  base: library(base),
  string: library(string),
  table: library(table),
  math: mathLibrary(),
  os: library(os),
};

/** Copied for each run: a script may change what it finds in a library, but only for itself. */
function globalsOf(given: ReadonlyMap<string, Json>, strings: LuaTable): LuaTable {
  const all = libraries.base.copy();
  all.set('string', strings);
  all.set('table', libraries.table.copy());
  all.set('math', libraries.math.copy());
  all.set('os', libraries.os.copy());
  all.set('_G', all);
  all.set('_VERSION', 'Lua 5.1');
  for (const [name, json] of given) all.set(name, fromJson(json));
  return all;
}
