import type { StepCounter } from './pattern.ts';

/** The text under test as code points. */
export type Codes = readonly number[];

/** What a pattern says, whichever dialect it was written in. */
export type Node =
  | { readonly type: 'char'; readonly is: (code: number) => boolean }
  | { readonly type: 'sequence'; readonly parts: readonly Node[] }
  | { readonly type: 'either'; readonly parts: readonly Node[] }
  | { readonly type: 'repeat'; readonly part: Node; readonly min: number; readonly max: number }
  | { readonly type: 'assert'; readonly holds: (text: Codes, at: number) => boolean }
  | { readonly type: 'ahead'; readonly part: Node; readonly negative: boolean };

/** Counted repeats are written out; beyond this size, lookaheads included, a pattern is refused. */
const maxStates = 2000;

/** The states a pattern may still use, shared with its lookaheads: a repeat writes them out, too. */
interface Budget {
  states: number;
}

type Condition = (at: number, run: Run) => boolean;

interface Edge {
  readonly from: number;
  readonly condition: Condition | undefined;
}

/** The parts of one run that conditions look at. */
interface Run {
  readonly text: Codes;
  /** Per lookahead, per position: does its body match from there? */
  readonly ahead: readonly Uint8Array[];
}

/**
 * A pattern as states and edges. A run walks the text once from its end to its beginning and keeps, per position, the set of
 * states from which the end of the pattern can be reached. No path is ever taken back, so the work is at most
 * (states + edges) × (length of the text + 1) for any pattern and any text; lookaheads are machines of their own, run first.
 */
export class Automaton {
  readonly #chars: { readonly from: number; readonly is: (code: number) => boolean; readonly to: number }[] = [];
  readonly #into: Edge[][] = [];
  readonly #lookaheads: Automaton[];
  readonly #start: number;
  readonly #accept: number;

  readonly #budget: Budget;

  private constructor(node: Node, lookaheads: Automaton[], budget: Budget) {
    this.#lookaheads = lookaheads;
    this.#budget = budget;
    this.#start = this.#state();
    this.#accept = this.#add(node, this.#start);
  }

  /** Undefined where the pattern is too large once its repeats are written out. */
  static of(node: Node): Automaton | undefined {
    try {
      return new Automaton(node, [], { states: maxStates });
    } catch (error) {
      if (error instanceof TooLarge) return undefined;
      throw error;
    }
  }

  /** Size of the machine with its lookaheads: the pattern's share in the bound on the work. */
  get size(): number {
    return [this, ...this.#lookaheads].reduce((sum, each) => sum + each.#ownSize(), 0);
  }

  #ownSize(): number {
    return this.#into.reduce((sum, list) => sum + list.length, this.#chars.length + this.#into.length);
  }

  /** True where the whole text matches. */
  matchesWhole(text: Codes, counter?: StepCounter): boolean {
    return this.#run(text, true, this.#aheadTables(text, counter), counter)[0] === 1;
  }

  /** True where any part of the text matches. */
  matchesWithin(text: Codes, counter?: StepCounter): boolean {
    return this.#run(text, false, this.#aheadTables(text, counter), counter).includes(1);
  }

  /** Inner lookaheads come before outer ones in the list, so each finds the tables it needs. */
  #aheadTables(text: Codes, counter: StepCounter | undefined): Uint8Array[] {
    const tables: Uint8Array[] = [];
    for (const each of this.#lookaheads) tables.push(each.#run(text, false, tables, counter));
    return tables;
  }

  /** Per position: can the end of the pattern be reached from its start there? */
  #run(text: Codes, toTheEnd: boolean, ahead: readonly Uint8Array[], counter: StepCounter | undefined): Uint8Array {
    const starts = new Uint8Array(text.length + 1);
    let next = new Uint8Array(this.#into.length);
    let here = new Uint8Array(this.#into.length);
    const run: Run = { text, ahead };
    let steps = 0;
    for (let at = text.length; at >= 0; at--) {
      const reached: number[] = [];
      const reach = (state: number): void => {
        if (here[state] === 0) {
          here[state] = 1;
          reached.push(state);
        }
      };
      if (!toTheEnd || at === text.length) reach(this.#accept);
      const code = text[at];
      steps += this.#chars.length;
      if (code !== undefined) {
        for (const { from, is, to } of this.#chars) if (next[to] === 1 && is(code)) reach(from);
      }
      for (let state = reached.pop(); state !== undefined; state = reached.pop()) {
        const edges = this.#into[state] ?? [];
        steps += edges.length + 1;
        for (const { from, condition } of edges) if (condition === undefined || condition(at, run)) reach(from);
      }
      starts[at] = here[this.#start] ?? 0;
      [next, here] = [here, next];
      here.fill(0);
    }
    if (counter !== undefined) counter.steps += steps;
    return starts;
  }

  #state(): number {
    if (this.#budget.states-- <= 0) throw new TooLarge();
    return this.#into.push([]) - 1;
  }

  #edge(from: number, to: number, condition?: Condition): void {
    this.#into[to]?.push({ from, condition });
  }

  /** Adds a node that begins at a state; answers the state at which it ends. */
  #add(node: Node, from: number): number {
    switch (node.type) {
      case 'char': {
        const to = this.#state();
        this.#chars.push({ from, is: node.is, to });
        return to;
      }
      case 'sequence':
        return node.parts.reduce((state, part) => this.#add(part, state), from);
      case 'either': {
        const ends = node.parts.map((part) => this.#add(part, this.#branch(from)));
        return this.#join(ends);
      }
      case 'repeat':
        return this.#repeat(node.part, node.min, node.max, from);
      case 'assert': {
        const to = this.#state();
        this.#edge(from, to, (at, { text }) => node.holds(text, at));
        return to;
      }
      case 'ahead':
        return this.#lookAhead(node.part, node.negative, from);
    }
  }

  #branch(from: number): number {
    const state = this.#state();
    this.#edge(from, state);
    return state;
  }

  #join(ends: readonly number[]): number {
    const end = this.#state();
    for (const each of ends) this.#edge(each, end);
    return end;
  }

  #repeat(part: Node, min: number, max: number, from: number): number {
    let state = from;
    for (let done = 0; done < min; done++) state = this.#add(part, this.#branch(state));
    if (max === Number.POSITIVE_INFINITY) {
      const loop = this.#branch(state);
      this.#edge(this.#add(part, loop), loop);
      return this.#branch(loop);
    }
    const ends = [state];
    for (let done = min; done < max; done++) {
      state = this.#add(part, this.#branch(state));
      ends.push(state);
    }
    return this.#join(ends);
  }

  #lookAhead(part: Node, negative: boolean, from: number): number {
    const machine = new Automaton(part, this.#lookaheads, this.#budget);
    const index = this.#lookaheads.push(machine) - 1;
    const to = this.#state();
    this.#edge(from, to, (at, { ahead }) => (ahead[index]?.[at] === 1) !== negative);
    return to;
  }
}

class TooLarge extends Error {}

/** The code points of a text. */
export function codesOf(text: string): Codes {
  const codes: number[] = [];
  for (const char of text) codes.push(char.codePointAt(0) ?? 0);
  return codes;
}
