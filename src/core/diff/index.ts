/**
 * What an Application asks for against what a cluster holds: normalised, compared, judged.
 *
 * Pure: values in, values out. The question is what a server-side apply of the target would change; who owns which field
 * answers most of it without a schema. What to do about a difference is for `core/sync`. Begin with `types.ts`, then
 * `compare.ts` (the Application), `judge.ts` (its rules) and `differs.ts` (one pair).
 */
export { type ComparedBefore, type CompareOptions, compare, comparing } from './compare.ts';
export { declaredKinds } from './declared-kinds.ts';
export { type DiffersOptions, differenceOf, differs } from './differs.ts';
export { type DryRunVerdict, type Prediction, type ServerSideDiff, serverSideDiffOf } from './dry-run.ts';
export { type DiffSettings, Judge, type JudgeOptions } from './judge.ts';
export { masked, type Shown } from './mask.ts';
export { type RelevanceSettings, relevanceOf } from './relevance.ts';
export { type Rendered, type TargetOptions, targetsOf } from './targets.ts';
export { isOurs, type Mark, markOf, type Tracking, withName } from './tracking.ts';
export type * from './types.ts';
export { isUnlisted } from './unlisted.ts';
