/**
 * JSON values as the house sees them: immutable, compared by meaning, never by identity.
 *
 * Everything read from a cluster, a repository or a file is one of these until a parser in `core/api` has named it.
 * Patches and merges live in `core/merge`; here is only what every room needs. Begin with `value.ts`.
 */
export { canonical } from './canonical.ts';
export { equal } from './equal.ts';
export { at, objectAt, own, stringAt } from './read.ts';
export type { Json, JsonArray, JsonObject, MutableJson, MutableJsonObject } from './value.ts';
export { isArray, isObject, thaw } from './value.ts';
