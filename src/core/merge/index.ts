/**
 * How two versions of an object become one: JSON patch, merge patch, strategic merge patch, and server-side apply
 * with its managed fields; the schemas that steer them; defaulting, pruning and validation by schema.
 *
 * Pure: the embedded cluster, the diff and the tests use the same functions. Begin with `schema.ts`.
 */
export type { ResolveRef, Schema } from './schema.ts';
