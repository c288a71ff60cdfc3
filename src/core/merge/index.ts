/**
 * How two versions of an object become one: JSON patch, merge patch, strategic merge patch, and server-side apply
 * with its managed fields; the schemas that steer them; defaulting, pruning and validation by schema.
 *
 * Pure: the embedded cluster, the diff and the tests use the same functions. Begin with `schema.ts`, then `apply.ts`.
 */
export { type ApplyRequest, type ApplyResult, applyObject } from './apply.ts';
export { compareFields, type FieldComparison } from './compare.ts';
export { type Conflict, conflictCauses, conflictMessage } from './conflict.ts';
export { applyDefaults } from './defaults.ts';
export { fieldSetOf } from './field-set-of.ts';
export {
  difference,
  emptySet,
  type FieldSet,
  has,
  intersection,
  isEmpty,
  parseFields,
  pathsOf,
  printFields,
  sameSet,
  setOf,
  union,
} from './fields.ts';
export { convertSchema, schemaFromOpenApi, withTypeMeta } from './from-openapi.ts';
export { jsonPatch } from './json-patch.ts';
export { type Managed, parseManagers } from './managed.ts';
export { mergePatch } from './merge-patch.ts';
export { migrateManager } from './migrate.ts';
export { objectMetaSchema } from './object-meta.ts';
export type { PatchResult, RefusalCode } from './patch-result.ts';
export { type PathElement, printPath } from './path.ts';
export { type Problem, type ProblemType, printProblems, problem } from './problem.ts';
export { type Pruned, prune, strictDecodingError } from './prune.ts';
export { removeFields } from './remove.ts';
export { ruleError } from './rules.ts';
export type { ResolveRef, Schema } from './schema.ts';
export { strategicMergePatch } from './strategic.ts';
export { structuralProblems } from './structural.ts';
export { type UpdateRequest, updateManagedFields } from './update-managed-fields.ts';
export { type ValidateOptions, validate } from './validate.ts';
export { zeroObject } from './zero.ts';
