import { atLine, LuaError, LuaLimit } from './errors.ts';
import type { LuaTable } from './table.ts';

/** How much one run may take; whoever wrote the script. */
export interface LuaLimits {
  /** Evaluated parts of the script, tried positions of a pattern, moved elements. */
  readonly steps: number;
  /** Bytes taken over the whole run: what is given back does not count. */
  readonly memory: number;
  /** Calls inside calls. */
  readonly depth: number;
}

/** The checks that Argo CD ships stay below 1,000 steps and 1 MB on their examples; this keeps a hostile one below a blink. */
export const defaultLimits: LuaLimits = { steps: 200_000, memory: 16 * 1024 * 1024, depth: 200 };

/** The state of one run: what it has used, where it stands, and the string library that every string answers to. */
export class Machine {
  readonly #limits: LuaLimits;
  #steps = 0;
  #memory = 0;
  /** Lines of the calls that are under way, the innermost last. */
  readonly calls: number[] = [];
  /** The line of the newest call: a library function complains about it. */
  line = 0;
  readonly globals: LuaTable;
  readonly strings: LuaTable;
  /** Seconds since 1970. */
  readonly now: () => number;

  constructor(parts: { limits: LuaLimits; globals: LuaTable; strings: LuaTable; now: () => number }) {
    this.#limits = parts.limits;
    this.globals = parts.globals;
    this.strings = parts.strings;
    this.now = parts.now;
  }

  get steps(): number {
    return this.#steps;
  }

  charge(steps: number): void {
    this.#steps += steps;
    if (this.#steps > this.#limits.steps) throw this.#limit(`the script takes more than ${this.#limits.steps} steps`);
  }

  allocate(bytes: number): void {
    this.#memory += bytes;
    if (this.#memory > this.#limits.memory) {
      throw this.#limit(`the script takes more than ${this.#limits.memory} bytes of memory`);
    }
  }

  enter(line: number): void {
    this.line = line;
    if (this.calls.length >= this.#limits.depth) throw this.fault('stack overflow', line);
    this.calls.push(line);
  }

  leave(): void {
    this.calls.pop();
  }

  /** An error of the script at a line, by default at the newest call. */
  fault(message: string, line: number = this.line): LuaError {
    return new LuaError(atLine(line, message));
  }

  #limit(message: string): LuaLimit {
    return new LuaLimit(atLine(this.line, message));
  }
}

/** What a new table and one more entry of a table count as, in bytes. */
export const tableBytes = 64;
export const entryBytes = 40;
