import type { Machine } from './machine.ts';
import type { LuaValue } from './table.ts';

/** Something a script can call: its own functions and those of the library. */
export class LuaFunction {
  readonly name: string;
  readonly run: (args: readonly LuaValue[], machine: Machine) => readonly LuaValue[];

  constructor(name: string, run: (args: readonly LuaValue[], machine: Machine) => readonly LuaValue[]) {
    this.name = name;
    this.run = run;
  }
}
