/**
 * Lua as health checks and actions use it: 5.1 with `goto`, compiled to closures once and run many times, each run within
 * a budget of steps, memory and depth.
 *
 * Nothing in here reads, writes or loads; the clock comes in. What a script's answer means is for `core/health`. Left out:
 * coroutines, `load` and its kin (`require` knows the libraries that are there anyway), `io`, `debug`, `math.random`, metamethods for operators. Begin with `script.ts`, then
 * `compile/statement.ts`.
 */
export { LuaError, LuaLimit } from './errors.ts';
export { toJson } from './json.ts';
export { defaultLimits, type LuaLimits } from './machine.ts';
export { compileLua, type LuaEnvironment, type LuaScript } from './script.ts';
export { LuaTable, type LuaValue } from './table.ts';
export { typeName } from './text.ts';
