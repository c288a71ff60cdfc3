/** One thing a decision looked at: where it stands, what was compared, what came of it. Never holds a secret. */
export interface Fact {
  /** What was being decided: `association`, `source`, `destination`, … */
  readonly step: string;
  /** Kind, namespace and name of the object that holds the fact, or the setting's home. */
  readonly object: string;
  /** The resourceVersion of that object; empty where it has none. */
  readonly revision: string;
  /** Path of the field inside it, such as `spec.destinations[2].namespace`. */
  readonly field: string;
  /** What was held against what, as one sentence. */
  readonly compared: string;
  /** Whether this fact settled its step. */
  readonly decides: boolean;
  /** The smallest change that would turn the step the other way; only on deciding facts. */
  readonly change?: string;
}

/** Collects facts while a decision is made; a decision without one keeps no trace and allocates nothing. */
export interface Recorder {
  note(fact: Fact): void;
}

/** How many facts one decision may leave behind: a list of thousands of entries is cut, and says so. */
export const factLimit = 200;

/** A recorder that keeps the facts in order, cutting what explains nothing new. */
export class FactList implements Recorder {
  readonly facts: Fact[] = [];
  #dropped = 0;

  note(fact: Fact): void {
    if (this.facts.length >= factLimit && !fact.decides) this.#dropped += 1;
    else this.facts.push(fact);
  }

  /** How many non-deciding facts were left out. */
  get dropped(): number {
    return this.#dropped;
  }
}
