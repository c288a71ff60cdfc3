import { LuaFunction } from './function.ts';
import { entryBytes, type Machine } from './machine.ts';
import { LuaTable, type LuaValue } from './table.ts';
import { numberOf, textOf, typeName } from './text.ts';

/** Where in the script something happens, and how the script calls it: `field 'status'`. */
export interface Place {
  readonly line: number;
  readonly what: string;
}

/** A chain of `__index` tables longer than this is a loop. */
const maxChain = 100;

/** `table[key]`, with `__index`. */
export function index(machine: Machine, base: LuaValue, key: LuaValue, place: Place): LuaValue {
  let current = base;
  for (let links = 0; links < maxChain; links++) {
    if (typeof current === 'string') return machine.strings.get(key);
    if (!(current instanceof LuaTable)) throw misuse(machine, 'index', current, place);
    const found = current.get(key);
    if (found !== undefined || current.meta === undefined) return found;
    const next = current.meta.get('__index');
    if (next === undefined) return undefined;
    if (next instanceof LuaFunction) return call(machine, next, [current, key], place)[0];
    current = next;
  }
  throw machine.fault("a loop of '__index' tables", place.line);
}

/** `table[key] = value`, with `__newindex`. */
export function setIndex(machine: Machine, base: LuaValue, entry: readonly [LuaValue, LuaValue], place: Place): void {
  const [key, value] = entry;
  let current = base;
  for (let links = 0; links < maxChain; links++) {
    if (!(current instanceof LuaTable)) throw misuse(machine, 'index', current, place);
    const next = current.meta?.get('__newindex');
    if (next === undefined || current.get(key) !== undefined) {
      put(machine, current, entry, place.line);
      return;
    }
    if (next instanceof LuaFunction) {
      call(machine, next, [current, key, value], place);
      return;
    }
    current = next;
  }
  throw machine.fault("a loop of '__newindex' tables", place.line);
}

/** Sets an entry as it is, and counts it. */
export function put(
  machine: Machine,
  table: LuaTable,
  [key, value]: readonly [LuaValue, LuaValue],
  line?: number,
): void {
  if (key === undefined) throw machine.fault('a table index is nil', line);
  if (typeof key === 'number' && Number.isNaN(key)) throw machine.fault('a table index is NaN', line);
  if (value !== undefined) machine.allocate(entryBytes);
  table.set(key, value);
}

/** Calls a value, with `__call`. */
export function call(machine: Machine, called: LuaValue, args: readonly LuaValue[], place: Place): readonly LuaValue[] {
  if (called instanceof LuaFunction) {
    if (args.length > 8) machine.charge(args.length);
    machine.enter(place.line);
    const results = called.run(args, machine);
    machine.leave();
    return results;
  }
  const handler = called instanceof LuaTable ? called.meta?.get('__call') : undefined;
  if (!(handler instanceof LuaFunction)) throw misuse(machine, 'call', called, place);
  return call(machine, handler, [called, ...args], place);
}

function misuse(machine: Machine, verb: string, value: LuaValue, { line, what }: Place): Error {
  return machine.fault(`attempt to ${verb} a ${typeName(value)} value${what === '' ? '' : ` (${what})`}`, line);
}

/** `#value`. */
export function lengthOf(machine: Machine, value: LuaValue, place: Place): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof LuaTable) return value.length;
  throw misuse(machine, 'get length of', value, place);
}

type Arithmetic = (a: number, b: number) => number;

/** The operators on numbers; texts that spell numbers count as those. */
export const arithmetic: ReadonlyMap<string, Arithmetic> = new Map<string, Arithmetic>([
  ['+', (a, b) => a + b],
  ['-', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['/', (a, b) => a / b],
  ['^', (a, b) => a ** b],
  ['%', modulo],
]);

/** Lua's remainder has the sign of the divisor. */
export function modulo(a: number, b: number): number {
  if (!Number.isFinite(b)) return Number.isFinite(a) && !Number.isNaN(b) ? (a * b >= 0 ? a : b) : Number.NaN;
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
}

/** An operand as a number. */
export function operand(machine: Machine, value: LuaValue, place: Place): number {
  if (typeof value === 'string') machine.charge(value.length >> 6);
  const number = numberOf(value);
  if (number === undefined) throw misuse(machine, 'perform arithmetic on', value, place);
  return number;
}

/** `a .. b`. */
export function concat(
  machine: Machine,
  values: readonly [LuaValue, LuaValue],
  places: readonly [Place, Place],
): string {
  const left = textOf(values[0]);
  const right = textOf(values[1]);
  if (left === undefined) throw misuse(machine, 'concatenate', values[0], places[0]);
  if (right === undefined) throw misuse(machine, 'concatenate', values[1], places[1]);
  machine.allocate(left.length + right.length);
  return left + right;
}

/** `a == b`; long texts cost what comparing them costs. */
export function same(machine: Machine, a: LuaValue, b: LuaValue): boolean {
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) machine.charge(a.length >> 6);
  return a === b;
}

/** `a < b`: two numbers or two texts, byte by byte. */
export function less(machine: Machine, a: LuaValue, b: LuaValue, line?: number): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  if (typeof a === 'string' && typeof b === 'string') {
    machine.charge(Math.min(a.length, b.length) >> 6);
    return a < b;
  }
  throw machine.fault(comparison(a, b), line);
}

/** `a <= b`; not the opposite of `b < a`, because of NaN. */
export function atMost(machine: Machine, a: LuaValue, b: LuaValue, line?: number): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a <= b;
  return !less(machine, b, a, line);
}

function comparison(a: LuaValue, b: LuaValue): string {
  const [left, right] = [typeName(a), typeName(b)];
  return left === right ? `attempt to compare two ${left} values` : `attempt to compare ${left} with ${right}`;
}
