/**
 * What an Application asks for against what a cluster holds: normalised, compared, judged.
 *
 * Pure: values in, values out. Begin with `types.ts`.
 */
export type * from './types.ts';
