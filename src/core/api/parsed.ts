/** What is wrong with one field: where it stands and what would be right. Never holds the value of a Secret. */
export interface Problem {
  /** Such as `spec.destinations[2].server`; empty for the object as a whole. */
  readonly path: string;
  readonly message: string;
}

/** A value read from foreign JSON, or the reasons why there is none. Warnings name parts that were left out of the value. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T; readonly warnings?: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** One line for people: every problem with its path. */
export function printProblems(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
}
