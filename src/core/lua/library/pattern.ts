import type { Machine } from '../machine.ts';
import type { LuaValue } from '../table.ts';
import { classEnd, matchesClass } from './pattern-class.ts';

/** A capture: where it begins and how long it is; open ones and those of a position have no length. */
interface Capture {
  readonly start: number;
  length: number | 'open' | 'position';
}

/** What was found. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly captures: readonly LuaValue[];
}

const maxCaptures = 32;
/** As in Lua: deeper matches are refused. What repeats a single character does not count. */
const maxDepth = 200;

/**
 * Lua's patterns, by backtracking as Lua does it. Backtracking can take exponential time: every tried position is a step
 * of the run's budget.
 */
export class Matcher {
  readonly #machine: Machine;
  readonly #text: string;
  readonly #pattern: string;
  #captures: Capture[] = [];
  #depth = 0;

  constructor(machine: Machine, text: string, pattern: string) {
    this.#machine = machine;
    this.#text = text;
    this.#pattern = pattern;
  }

  /** The first match that begins at a position or, unless the pattern is anchored, after it. */
  find(from: number): Match | undefined {
    const anchored = this.#pattern.startsWith('^');
    for (let start = from; start <= this.#text.length; start++) {
      const found = this.at(start);
      if (found !== undefined || anchored) return found;
    }
    return undefined;
  }

  /** The match that begins exactly at a position. */
  at(start: number): Match | undefined {
    this.#captures = [];
    this.#depth = 0;
    const end = this.#match(start, this.#pattern.startsWith('^') ? 1 : 0);
    if (end === undefined) return undefined;
    return { start, end, captures: this.#captures.map((capture) => this.#value(capture)) };
  }

  #value({ start, length }: Capture): LuaValue {
    if (length === 'position') return start + 1;
    if (length === 'open') throw this.#machine.fault('unfinished capture');
    this.#machine.allocate(length);
    return this.#text.slice(start, start + length);
  }

  #match(start: number, from: number): number | undefined {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw this.#machine.fault('pattern too complex');
    const end = this.#run(start, from);
    this.#depth -= 1;
    return end;
  }

  /** The end of a match of the pattern from `p` on at `s`; loops over what needs no way back. */
  #run(start: number, from: number): number | undefined {
    let [s, p] = [start, from];
    for (;;) {
      this.#machine.charge(1);
      if (p >= this.#pattern.length) return s;
      const special = this.#special(s, p);
      if (special === 'no') return undefined;
      if (typeof special === 'number') return special;
      if (special !== undefined) {
        [s, p] = special.at;
        continue;
      }
      const end = classEnd(this.#machine, this.#pattern, p);
      const repeat = this.#pattern[end];
      if (repeat === '*' || repeat === '+' || repeat === '-') return this.#repeat(s, p, end);
      const single = this.#single(s, p, end);
      if (repeat === '?') {
        const taken = single ? this.#match(s + 1, end + 1) : undefined;
        if (taken !== undefined) return taken;
        p = end + 1;
        continue;
      }
      if (!single) return undefined;
      s += 1;
      p = end;
    }
  }

  /** Captures, `%b`, `%f`, back references and the final `$`; undefined where `p` is an ordinary class. */
  #special(s: number, p: number): 'no' | number | { readonly at: [number, number] } | undefined {
    const first = this.#pattern[p];
    const second = this.#pattern[p + 1];
    if (first === '(') {
      return second === ')' ? this.#begin(s, p + 2, 'position') : this.#begin(s, p + 1, 'open');
    }
    if (first === ')') return this.#close(s, p + 1);
    if (first === '$' && p + 1 === this.#pattern.length) return s === this.#text.length ? s : 'no';
    if (first !== '%' || second === undefined) return undefined;
    if (second === 'b') return this.#balance(s, p + 2);
    if (second === 'f') return this.#frontier(s, p + 2);
    return second >= '0' && second <= '9' ? this.#back(s, p, second) : undefined;
  }

  #begin(s: number, p: number, length: 'open' | 'position'): number | 'no' {
    if (this.#captures.length >= maxCaptures) throw this.#machine.fault('too many captures');
    this.#captures.push({ start: s, length });
    const end = this.#match(s, p);
    if (end === undefined) this.#captures.pop();
    return end ?? 'no';
  }

  #close(s: number, p: number): number | 'no' {
    const open = this.#captures.findLast(({ length }) => length === 'open');
    if (open === undefined) throw this.#machine.fault('invalid pattern capture');
    open.length = s - open.start;
    const end = this.#match(s, p);
    if (end === undefined) open.length = 'open';
    return end ?? 'no';
  }

  #balance(s: number, p: number): 'no' | { readonly at: [number, number] } {
    const [open, close] = [this.#pattern[p], this.#pattern[p + 1]];
    if (open === undefined || close === undefined) throw this.#machine.fault("missing arguments to '%b'");
    if (this.#text[s] !== open) return 'no';
    let depth = 1;
    for (let i = s + 1; i < this.#text.length; i++) {
      this.#machine.charge(1);
      const character = this.#text[i];
      if (character === close) depth -= 1;
      else if (character === open) depth += 1;
      if (depth === 0) return { at: [i + 1, p + 2] };
    }
    return 'no';
  }

  #frontier(s: number, p: number): 'no' | { readonly at: [number, number] } {
    if (this.#pattern[p] !== '[') throw this.#machine.fault("missing '[' after '%f' in pattern");
    const end = classEnd(this.#machine, this.#pattern, p);
    const before = s === 0 ? 0 : this.#text.charCodeAt(s - 1);
    const here = s < this.#text.length ? this.#text.charCodeAt(s) : 0;
    const inside = (code: number): boolean => matchesClass(this.#pattern, p, end, code);
    return !inside(before) && inside(here) ? { at: [s, end] } : 'no';
  }

  #back(s: number, p: number, digit: string): 'no' | { readonly at: [number, number] } {
    const capture = this.#captures[Number(digit) - 1];
    if (capture === undefined || typeof capture.length !== 'number') {
      throw this.#machine.fault(`invalid capture index %${digit}`);
    }
    this.#machine.charge(capture.length);
    const text = this.#text.slice(capture.start, capture.start + capture.length);
    return this.#text.startsWith(text, s) ? { at: [s + text.length, p + 2] } : 'no';
  }

  #single(s: number, p: number, end: number): boolean {
    if (s >= this.#text.length) return false;
    this.#machine.charge(end - p > 8 ? (end - p) >> 3 : 0);
    return matchesClass(this.#pattern, p, end, this.#text.charCodeAt(s));
  }

  /** `*`, `+` and `-`: as many or as few as lead to a match. */
  #repeat(s: number, p: number, end: number): number | undefined {
    const kind = this.#pattern[end];
    if (kind === '-') return this.#fewest(s, p, end);
    let count = 0;
    while (this.#single(s + count, p, end)) {
      this.#machine.charge(1);
      count += 1;
    }
    for (; count >= (kind === '+' ? 1 : 0); count--) {
      const found = this.#match(s + count, end + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #fewest(s: number, p: number, end: number): number | undefined {
    for (let at = s; ; at++) {
      const found = this.#match(at, end + 1);
      if (found !== undefined) return found;
      if (!this.#single(at, p, end)) return undefined;
      this.#machine.charge(1);
    }
  }
}
