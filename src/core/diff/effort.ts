import { type Jq, type JqPaths, matchesOf } from '../jq/index.ts';
import type { Json } from '../json/index.ts';

/** About a tenth of a second: rules are written by tenants, and run where everybody's work is done. */
const mostSteps = 200_000;

/** What the ignore rules of one Application may cost in one comparison, for all its objects together. */
export class Effort {
  readonly #meter: { steps: number };

  constructor(steps = mostSteps) {
    this.#meter = { steps };
  }

  /** Whether more was asked for than there is: what was found since is not to be trusted. */
  get isSpent(): boolean {
    return this.#meter.steps < 0;
  }

  /** Takes some of it, for work that is none of a program's. */
  spend(steps: number): void {
    this.#meter.steps -= steps;
  }

  /** What a program finds in a value. */
  matches(jq: Jq, value: Json): JqPaths {
    return matchesOf(jq, value, this.#meter);
  }
}
