/**
 * How an object is doing, by the rules of its kind, and an Application by its objects.
 *
 * Pure: one file per kind under `kinds/`, object in, status and message out; what admins say in Lua stands before that.
 * Begin with `assess.ts`, then `custom.ts`.
 */
export { assess, hasHealth } from './assess.ts';
export { type CustomChecks, customChecks } from './custom.ts';
export type { Assess } from './kinds/read.ts';
export type { Health, HealthCode } from './types.ts';
export { healthOrder } from './types.ts';
export { aggregateHealth, type HealthPart, isWorse } from './worst.ts';
