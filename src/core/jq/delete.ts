import type { Json } from '../json/index.ts';
import type { Jq } from './compile.ts';
import { withoutPaths } from './delete-paths.ts';
import { pathsFound, type Step } from './run.ts';
import { JqFailure } from './values.ts';

export type JqResult = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly message: string };

/** Enough for a thousand fields looked at a hundred times; a second of jq does less. */
const budget = 200_000;

export type JqPaths =
  | { readonly ok: true; readonly paths: readonly (readonly Step[])[] }
  | { readonly ok: false; readonly message: string };

/** The paths to everything a program finds in a value; of the meter's steps those that are left stay on it. */
export function matchesOf(jq: Jq, value: Json, meter: { steps: number } = { steps: budget }): JqPaths {
  const state = { steps: Math.min(meter.steps, budget), names: new Map<string, Json>() };
  const given = state.steps;
  try {
    return { ok: true, paths: pathsFound(jq.program, value, state) };
  } catch (error) {
    if (error instanceof JqFailure) return { ok: false, message: error.message };
    // Deeply nested values end the stack before the steps.
    if (error instanceof RangeError) return { ok: false, message: 'nests too deep' };
    throw error;
  } finally {
    meter.steps -= given - state.steps;
  }
}

/** jq's `del(program)`: the value without what the program finds in it. */
export function withoutMatches(jq: Jq, value: Json, steps = budget): JqResult {
  const found = matchesOf(jq, value, { steps });
  return found.ok ? { ok: true, value: withoutPaths(value, found.paths) } : found;
}
