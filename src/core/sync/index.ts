/**
 * What to do next to make a cluster match: an Application's objects and hooks in the order of phases, waves and kinds, one
 * step at a time, with everything a step needs in its arguments, so that a restart at any point continues where it was.
 *
 * Pure: it plans, others carry out. Begin with `types.ts`, then `items.ts`, `course.ts` and `step.ts`.
 */
export { type AutomateInput, type Automation, automate, defaultPace, paceOf, type SelfHealPace } from './automate.ts';
export { Course, type CourseInput } from './course.ts';
export {
  cleanDeleteHooks,
  type DeleteHookInput,
  type DeleteHookStep,
  type DeleteHookType,
  deleteHookFinalizers,
  planDeleteHooks,
  withDeleteHookFinalizers,
  withDeleteHookNames,
} from './delete-hooks.ts';
export { type Item, isPrune } from './item.ts';
export { hookFinalizer, type ItemsInput, itemsOf } from './items.ts';
export {
  type Activity,
  type ActivityInput,
  activityOf,
  overdue,
  overdueReason,
  type WindowAnswer,
} from './lifecycle.ts';
export { type ObjectOptions, objectOptionsOf, type SyncOptions, syncOptionsOf } from './options.ts';
export { cascadeFinalizers, planRemoval, type Removal, type RemovalInput } from './removal.ts';
export { announce, resultsAfter, resultsFound } from './results.ts';
export { type AfterFailure, afterFailure, endedState, nextAttempt, retryDueInMs, terminated } from './retry.ts';
export type { Step, StepInput } from './step.ts';
export type { ApplyTask, DeleteTask, Outcome, ReleaseTask, ResultCode, SyncPhase, Task } from './types.ts';
