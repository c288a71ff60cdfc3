/**
 * What to do next to make a cluster match: tasks, their order, and when to wait or stop.
 *
 * Pure: it plans, others carry out. Begin with `types.ts`, then `plan.ts`.
 */
export { type PlanOptions, planSync } from './plan.ts';
export type * from './types.ts';
