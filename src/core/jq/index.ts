/**
 * The part of jq that people use to say which fields of an object do not count: paths, `select`, tests and the functions
 * that go with them. A program is compiled once; running it is bounded by steps, not by time.
 *
 * Not here: definitions, `reduce`, `foreach`, formats, dates, assignment. They are refused when a program is compiled,
 * by name. Begin with `compile.ts`, then `run.ts`.
 */
export { compileJq, type Jq, type JqProblem } from './compile.ts';
export { type JqPaths, type JqResult, matchesOf, withoutMatches } from './delete.ts';
export { withoutPaths } from './delete-paths.ts';
export type { Step } from './run.ts';
