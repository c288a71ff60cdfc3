/**
 * How an object is doing, by the rules of its kind.
 *
 * Pure: values in, values out. Begin with `types.ts`.
 */
export type { Health, HealthCode } from './types.ts';
export { healthOrder } from './types.ts';
