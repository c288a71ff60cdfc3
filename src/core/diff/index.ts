/**
 * What an Application asks for against what a cluster holds: normalised, compared, judged.
 *
 * Pure: values in, values out. What to do about a difference is for `core/sync`. Begin with `types.ts`, then `compare.ts`.
 */
export { type CompareOptions, compare, isOurs } from './compare.ts';
export { type DiffersOptions, differenceOf, differs } from './differs.ts';
export { type Rendered, type TargetOptions, targetsOf } from './targets.ts';
export type * from './types.ts';
