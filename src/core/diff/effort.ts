import { type Jq, type JqPaths, matchesOf } from '../jq/index.ts';
import type { Json } from '../json/index.ts';

/** About a tenth of a second: rules are written by tenants, and run where everybody's work is done. */
const mostSteps = 200_000;
/** Others have a turn between two objects, not within one: no object may take longer than they can wait. */
const mostOfOne = 40_000;

/** What the ignore rules of one Application may cost in one comparison, for all its objects together and for each. */
export class Effort {
  #left: number;
  #leftForThis = mostOfOne;

  constructor(steps = mostSteps) {
    this.#left = steps;
  }

  /** Whether more was asked for than there is: what was found since is not to be trusted. */
  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** The next object brings its share of steps along. */
  nextObject(share: number): void {
    if (this.isSpent) return;
    this.#left += share;
    this.#leftForThis = mostOfOne;
  }

  /** Takes some of it, for work that is none of a program's. */
  spend(steps: number): void {
    this.#left -= steps;
    this.#leftForThis -= steps;
    if (this.#leftForThis < 0) this.#left = -1;
  }

  /** What a program finds in a value. */
  matches(jq: Jq, value: Json): JqPaths {
    const given = Math.min(this.#left, this.#leftForThis);
    const meter = { steps: given };
    const found = matchesOf(jq, value, meter);
    this.spend(given - meter.steps);
    return found;
  }
}
