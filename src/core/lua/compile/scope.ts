import type { FunctionNode } from '../ast.ts';
import type { Machine } from '../machine.ts';
import type { LuaValue } from '../table.ts';

/** A compiled expression: its one value. */
export type Eval = (frame: Frame, machine: Machine) => LuaValue;
/** A compiled list of expressions: all values of its last one. */
export type EvalAll = (frame: Frame, machine: Machine) => readonly LuaValue[];
/** How the body of a function is compiled: statements know, and expressions ask. */
export type CompileFunction = (node: FunctionNode, scope: Scope, name: string) => Eval;

/** A local variable at run time: a place of its own, so that closures share it. */
export interface Box {
  value: LuaValue;
}

/** One call of a function: its locals, those it took from outside, and what came beyond its parameters. */
export interface Frame {
  readonly locals: Box[];
  readonly outer: readonly Box[];
  readonly rest: readonly LuaValue[];
}

/** Where a name leads. */
export type Binding =
  | { readonly in: 'locals'; readonly slot: number }
  | { readonly in: 'outer'; readonly slot: number }
  | { readonly in: 'globals' };

/** The names of one function while it is compiled. */
export class Scope {
  readonly #parent: Scope | undefined;
  readonly variadic: boolean;
  readonly compileFunction: CompileFunction;
  #blocks: Map<string, number>[] = [new Map()];
  #slots = 0;
  /** What a new closure takes along from the function around it, in the order of its slots. */
  readonly captures: Binding[] = [];
  readonly #captured = new Map<string, number>();
  /** Evaluated parts since the last time it was taken: what the statement around them costs. */
  cost = 0;

  constructor(parent: Scope | undefined, variadic: boolean, compileFunction: CompileFunction) {
    this.#parent = parent;
    this.variadic = variadic;
    this.compileFunction = compileFunction;
  }

  /** Compiles something inside a block of its own. */
  block<T>(compile: () => T): T {
    this.#blocks.push(new Map());
    const result = compile();
    this.#blocks.pop();
    return result;
  }

  /** Makes a local; from now on its name means this one. */
  declare(name: string): number {
    const slot = this.#slots++;
    this.#blocks.at(-1)?.set(name, slot);
    return slot;
  }

  resolve(name: string): Binding {
    const slot = this.#local(name);
    if (slot !== undefined) return { in: 'locals', slot };
    const outer = this.#parent?.resolve(name);
    if (outer === undefined || outer.in === 'globals') return { in: 'globals' };
    const key = `${outer.in}:${outer.slot}`;
    const known = this.#captured.get(key) ?? this.captures.push(outer) - 1;
    this.#captured.set(key, known);
    return { in: 'outer', slot: known };
  }

  #local(name: string): number | undefined {
    for (let i = this.#blocks.length - 1; i >= 0; i--) {
      const slot = this.#blocks[i]?.get(name);
      if (slot !== undefined) return slot;
    }
    return undefined;
  }

  /** The cost gathered by what `compile` compiles, kept apart from what is around it. */
  measured<T>(compile: () => T): { readonly result: T; readonly cost: number } {
    const before = this.cost;
    this.cost = 0;
    const result = compile();
    const cost = this.cost;
    this.cost = before;
    return { result, cost };
  }
}
