import type { Json } from '../json/index.ts';
import { deref } from './deref.ts';
import { listProblems } from './list-problems.ts';
import { type Problem, problem } from './problem.ts';
import { ruleProblems } from './rules.ts';
import type { ResolveRef, Schema } from './schema.ts';
import { valueProblems } from './value-problems.ts';

export interface ValidateOptions {
  /** The stored value: what did not change since is not held against an update, and rules may compare with it. */
  readonly old?: Json | undefined;
}

/** Kinds of mistakes after which rules cannot be trusted to run. */
const blocking = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** Everything wrong with a value by its schema, in the words a real API server has for custom resources. */
export function validate(
  value: Json,
  schema: Schema,
  resolve: ResolveRef,
  options: ValidateOptions = {},
): readonly Problem[] {
  const type = deref(schema, resolve);
  const problems = [
    ...valueProblems(value, type, resolve, options.old),
    ...newListProblems(value, type, resolve, options),
  ];
  if (!hasRules(type, resolve)) return problems;
  if (problems.some(({ reason }) => blocking.has(reason))) return [...problems, unchecked];
  return [...problems, ...ruleProblems(value, type, resolve, options.old)];
}

const unchecked = problem('', 'Invalid value', {
  value: null,
  detail:
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
});

/** Duplicates that were there before do not stop an update. */
function newListProblems(
  value: Json,
  schema: Schema,
  resolve: ResolveRef,
  { old }: ValidateOptions,
): readonly Problem[] {
  if (old !== undefined && listProblems(old, schema, resolve).length > 0) return [];
  return listProblems(value, schema, resolve);
}

const known = new WeakMap<Schema, boolean>();

function hasRules(schema: Schema, resolve: ResolveRef): boolean {
  const answer = known.get(schema);
  if (answer !== undefined) return answer;
  known.set(schema, false); // a type met again on the way adds nothing
  const parts = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  const found =
    (schema.validations?.length ?? 0) > 0 ||
    parts.some((part) => part !== undefined && part !== true && hasRules(deref(part, resolve), resolve));
  known.set(schema, found);
  return found;
}
