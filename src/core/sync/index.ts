/**
 * What to do next to make a cluster match: tasks, their order, and when to wait or stop.
 *
 * Pure: values in, values out. Begin with `types.ts`.
 */
export type * from './types.ts';
