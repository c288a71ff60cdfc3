import { equal, isArray, isObject, type Json, own } from '../json/index.ts';
import { type CelRule, type CelScope, compileRule, optional } from './cel.ts';
import { celValue, widest } from './cel-value.ts';
import { declaredField, deref, itemSchema } from './deref.ts';
import { type Problem, problem } from './problem.ts';
import type { ResolveRef, Schema } from './schema.ts';
import { elementOrNone } from './shape.ts';

type Rule = NonNullable<Schema['validations']>[number];
type Ready = Extract<CelRule, { kind: 'ready' }>;

/** What all rules of one object may cost together, in steps of evaluation. */
const budget = 10_000_000;
const maxMessage = 5 * 1024;

/** The rules (`x-kubernetes-validations`) an object breaks; rules that compare with `oldSelf` run only where there is one. */
export function ruleProblems(
  value: Json,
  schema: Schema,
  resolve: ResolveRef,
  old: Json | undefined,
): readonly Problem[] {
  const walk: Walk = { resolve, problems: [], left: budget };
  visit({ value, schema, path: '', old }, walk);
  return walk.problems;
}

interface Walk {
  readonly resolve: ResolveRef;
  readonly problems: Problem[];
  left: number;
}

interface At {
  readonly value: Json;
  readonly schema: Schema;
  readonly path: string;
  readonly old: Json | undefined;
}

function visit(at: At, walk: Walk): void {
  if (at.value === null || walk.left < 0) return;
  if ((at.schema.validations?.length ?? 0) > 0) checkRules(at, walk);
  if (isArray(at.value)) visitItems(at.value, at, walk);
  else if (isObject(at.value)) visitFields(at.value, at, walk);
}

function visitItems(list: readonly Json[], { schema, path, old }: At, walk: Walk): void {
  const items = itemSchema(schema, walk.resolve);
  const elementOf = (item: Json): string | undefined => elementOrNone(schema, item, walk.resolve);
  const olds =
    isArray(old) && schema.listType === 'map' ? new Map(old.map((item) => [elementOf(item), item])) : undefined;
  list.forEach((value, index) => {
    visit({ value, schema: items, path: `${path}[${index}]`, old: olds?.get(elementOf(value)) }, walk);
  });
}

function visitFields(object: { readonly [key: string]: Json }, { schema, path, old }: At, walk: Walk): void {
  for (const key of Object.keys(object)) {
    const declared = declaredField(schema, key);
    const values = schema.additionalProperties === true ? undefined : schema.additionalProperties;
    const field = declared ?? values;
    if (field === undefined) continue;
    const below = declared === undefined ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    visit({ value: object[key] ?? null, schema: deref(field, walk.resolve), path: below, old: own(old, key) }, walk);
  }
}

function checkRules(at: At, walk: Walk): void {
  const self = celValue(at.value, at.schema, walk.resolve);
  const oldSelf = at.old === undefined || at.old === null ? undefined : celValue(at.old, at.schema, walk.resolve);
  const width = Math.max(widest(at.value), widest(at.old));
  for (const rule of at.schema.validations ?? []) {
    const compiled = compileRule(rule.rule);
    if (compiled.kind === 'broken') {
      walk.problems.push(invalid(at, `rule compile error: ${compiled.error}`));
      continue;
    }
    if (compiled.usesOldSelf && oldSelf === undefined && rule.optionalOldSelf !== true) continue;
    walk.left -= compiled.nodes * width ** compiled.nesting;
    if (walk.left < 0) {
      walk.problems.push(
        invalid(at, 'validation failed due to running out of cost budget, no further validation rules will be run'),
      );
      return;
    }
    checkRule({ ...at, rule, compiled }, { self, oldSelf: rule.optionalOldSelf ? optional(oldSelf) : oldSelf }, walk);
  }
}

function checkRule(at: At & { rule: Rule; compiled: Ready }, scope: CelScope, walk: Walk): void {
  const { rule, compiled } = at;
  const outcome = compiled.run(scope);
  if (outcome.kind === 'failed') {
    walk.problems.push(invalid(at, failure(outcome.error, rule)));
    return;
  }
  if (outcome.value === true) return;
  // A rule without memory does not hold against an update what was like this before.
  if (!compiled.usesOldSelf && at.old !== undefined && equal(at.old, at.value)) return;
  walk.problems.push(broken(at, messageFor(rule, scope)));
}

function failure(error: string, rule: Rule): string {
  const name = titleOf(rule);
  return error.startsWith('no such overload')
    ? `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`
    : `${error} evaluating rule: ${name}`;
}

function titleOf(rule: Rule): string {
  return (rule.message === undefined || rule.message === '' ? rule.rule : rule.message).trim();
}

function messageFor(rule: Rule, scope: CelScope): string {
  const fallback =
    rule.message === undefined || rule.message === '' ? `failed rule: ${rule.rule.trim()}` : rule.message.trim();
  if (rule.messageExpression === undefined || rule.messageExpression === '') return fallback;
  const compiled = compileRule(rule.messageExpression);
  const outcome = compiled.kind === 'ready' ? compiled.run(scope) : undefined;
  const text = outcome?.kind === 'value' && typeof outcome.value === 'string' ? outcome.value.trim() : '';
  return text === '' || text.includes('\n') || text.length > maxMessage ? fallback : text;
}

/** Rules that could not run show the type of the value, not the value. */
function invalid({ path, schema }: At, detail: string): Problem {
  return problem(path, 'Invalid value', { value: schema.type ?? '', detail });
}

function broken(at: At & { rule: Rule }, detail: string): Problem {
  const field = (at.rule.fieldPath ?? '').replace(/^\./, '');
  const path = field === '' ? at.path : at.path === '' ? field : `${at.path}.${field}`;
  const isWhole = at.schema.type === 'object' || at.schema.type === 'array';
  const value = isWhole ? {} : { value: at.value };
  if (at.rule.reason === 'FieldValueForbidden') return problem(path, 'Forbidden', { detail });
  if (at.rule.reason === 'FieldValueRequired') return problem(path, 'Required value', { detail });
  if (at.rule.reason === 'FieldValueDuplicate') return problem(path, 'Duplicate value', value);
  return problem(path, 'Invalid value', { ...value, detail });
}

/** Why an expression of a CRD cannot be used; undefined where it can. */
export function ruleError(expression: string): string | undefined {
  const compiled = compileRule(expression);
  return compiled.kind === 'broken' ? compiled.error : undefined;
}
