/** Counts elementary steps, so that a test can hold the work against pattern × text. */
export interface StepCounter {
  steps: number;
}

/** A pattern ready for use. */
export interface Compiled {
  readonly ok: true;
  /** The text that alone matches, where the pattern holds nothing special: lets callers keep it in a Map. */
  readonly literal?: string;
  /** Every text that matches begins with this; empty where nothing is known. */
  readonly prefix: string;
  /** Tells whether the whole text matches (a regex: whether any part of it does). */
  matches(text: string, counter?: StepCounter): boolean;
}

/** Why a pattern cannot be used. Whoever holds it must choose the safe side: an allow permits nothing, a deny denies. */
export interface PatternProblem {
  readonly ok: false;
  readonly message: string;
}

/** Longer patterns are refused: nobody writes them by hand, and the work of a match grows with them. */
export const maxPatternLength = 1024;

/** Refuses what is too long to be a pattern. */
export function tooLong(pattern: string): PatternProblem | undefined {
  return pattern.length > maxPatternLength ? bad(`is longer than ${maxPatternLength} characters`) : undefined;
}

export function bad(message: string): PatternProblem {
  return { ok: false, message };
}

/** A pattern that only equals itself. */
export function literalPattern(literal: string): Compiled {
  return {
    ok: true,
    literal,
    prefix: literal,
    matches: (text, counter) => {
      if (counter !== undefined) counter.steps += 1;
      return text === literal;
    },
  };
}
