import { LuaFunction } from '../function.ts';
import type { Machine } from '../machine.ts';
import { LuaTable, type LuaValue } from '../table.ts';
import { numberOf, textOf, typeName } from '../text.ts';

/** The arguments of one call of a library function, read with the complaints Lua has for wrong ones. */
export class Arguments {
  readonly machine: Machine;
  readonly #name: string;
  readonly values: readonly LuaValue[];

  constructor(machine: Machine, name: string, values: readonly LuaValue[]) {
    this.machine = machine;
    this.#name = name;
    this.values = values;
  }

  /** The argument at a position from 1 on. */
  at(position: number): LuaValue {
    return this.values[position - 1];
  }

  any(position: number): LuaValue {
    if (this.values.length < position) throw this.bad(position, 'value expected');
    return this.at(position);
  }

  text(position: number, absent?: string): string {
    const value = this.at(position);
    if (value === undefined && absent !== undefined) return absent;
    const text = textOf(value);
    if (text === undefined) throw this.#wrong(position, 'string');
    return text;
  }

  number(position: number, absent?: number): number {
    const value = this.at(position);
    if (value === undefined && absent !== undefined) return absent;
    const number = numberOf(value);
    if (number === undefined) throw this.#wrong(position, 'number');
    return number;
  }

  /** A number without its fraction. */
  whole(position: number, absent?: number): number {
    return Math.trunc(this.number(position, absent));
  }

  table(position: number): LuaTable {
    const value = this.at(position);
    if (!(value instanceof LuaTable)) throw this.#wrong(position, 'table');
    return value;
  }

  bad(position: number, reason: string): Error {
    return this.machine.fault(`bad argument #${position} to '${this.#name}' (${reason})`);
  }

  #wrong(position: number, expected: string): Error {
    const got = this.values.length < position ? 'no value' : typeName(this.at(position));
    return this.bad(position, `${expected} expected, got ${got}`);
  }
}

/** A library function in terms of its arguments; a lone result may stand without a list. */
export type Implementation = (args: Arguments) => readonly LuaValue[] | LuaValue;

/** Makes a table of library functions. */
export function library(functions: Readonly<Record<string, Implementation>>): LuaTable {
  const table = new LuaTable();
  for (const [name, run] of Object.entries(functions)) table.set(name, libraryFunction(name, run));
  return table;
}

/** Makes one library function. */
export function libraryFunction(name: string, run: Implementation): LuaFunction {
  return new LuaFunction(name, (values, machine) => {
    const result = run(new Arguments(machine, name, values));
    return isList(result) ? result : [result];
  });
}

function isList(result: readonly LuaValue[] | LuaValue): result is readonly LuaValue[] {
  return Array.isArray(result);
}
