import { canonical, equal, isArray, isObject, type Json, own } from '../json/index.ts';
import { declaredField, deref, itemSchema } from './deref.ts';
import { hasFormat } from './formats.ts';
import { matchesPattern } from './pattern.ts';
import { type Problem, problem, typeProblem } from './problem.ts';
import type { ResolveRef, Schema } from './schema.ts';
import { elementOrNone } from './shape.ts';

/** What is wrong with a value by the plain words of its schema: types, limits, patterns, required fields. */
export function valueProblems(
  value: Json,
  schema: Schema,
  resolve: ResolveRef,
  old: Json | undefined,
): readonly Problem[] {
  const problems: Problem[] = [];
  check({ value, schema, path: '', old }, resolve, problems);
  return problems;
}

interface At {
  readonly value: Json;
  readonly schema: Schema;
  readonly path: string;
  readonly old: Json | undefined;
}

function check(at: At, resolve: ResolveRef, problems: Problem[]): void {
  const { value, schema, path } = at;
  // What was already stored like this stays acceptable, so that a stricter schema locks nobody out.
  if (at.old !== undefined && equal(at.old, value)) return;
  checkType(at, problems);
  if (value !== null) {
    checkAlternatives(at, resolve, problems);
    if (typeof value === 'string') checkText(value, schema, path, problems);
    if (typeof value === 'number') checkNumber(value, schema, path, problems);
    if (isArray(value)) checkList(value, at, resolve, problems);
  }
  if (
    schema.enum !== undefined &&
    !schema.enum.some((choice) => equal(choice, value)) &&
    !(value === null && schema.nullable)
  )
    problems.push(problem(path, 'Unsupported value', { value, detail: `supported values: ${quoted(schema.enum)}` }));
  if (isObject(value)) checkObject(value, at, resolve, problems);
}

function quoted(choices: readonly Json[]): string {
  return choices
    .map((choice) => JSON.stringify(typeof choice === 'string' ? choice : JSON.stringify(choice)))
    .join(', ');
}

function checkType({ value, schema, path }: At, problems: Problem[]): void {
  const expected = schema.intOrString === true ? 'integer,string' : schema.type;
  if (expected === undefined || (value === null && schema.nullable === true)) return;
  const actual = typeName(value);
  if (expected.split(',').includes(actual) || (expected === 'number' && actual === 'integer')) return;
  problems.push(typeProblem(path, actual, `${path} in body must be of type ${expected}: ${JSON.stringify(actual)}`));
}

function typeName(value: Json): string {
  if (value === null) return 'null';
  if (isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** Of length and pattern only the first mistake is told; the format is a matter of its own. */
function checkText(text: string, schema: Schema, path: string, problems: Problem[]): void {
  const wrong = textProblem(text, schema, path);
  if (wrong !== undefined) problems.push(wrong);
  const { format } = schema;
  if (format !== undefined && schema.intOrString !== true && !hasFormat(text, format))
    problems.push(typeProblem(path, text, `${path} in body must be of type ${format}: ${JSON.stringify(text)}`));
}

function textProblem(text: string, schema: Schema, path: string): Problem | undefined {
  const { minLength, maxLength, pattern } = schema;
  const length = minLength === undefined && maxLength === undefined ? 0 : Array.from(text).length;
  const invalid = (detail: string): Problem =>
    problem(path, 'Invalid value', { value: text, detail: `${path} in body ${detail}` });
  if (maxLength !== undefined && length > maxLength)
    return problem(path, 'Too long', {
      detail: `may not be more than ${maxLength} ${maxLength === 1 ? 'byte' : 'bytes'}`,
    });
  if (minLength !== undefined && length < minLength) return invalid(`should be at least ${minLength} chars long`);
  if (pattern !== undefined && !matchesPattern(text, pattern)) return invalid(`should match '${pattern}'`);
  return undefined;
}

function checkNumber(value: number, schema: Schema, path: string, problems: Problem[]): void {
  const invalid = (detail: string): void => {
    problems.push(problem(path, 'Invalid value', { value, detail: `${path} in body should be ${detail}` }));
  };
  if (schema.type === 'integer' && !fitsInteger(value, schema.format)) {
    const kind = schema.format === undefined ? '(default format)' : `with format ${schema.format}`;
    const detail = `Checked value must be of type integer ${kind} in ${path}`;
    problems.push(problem('', 'Invalid value', { value: '', detail }));
  }
  const { minimum, maximum, multipleOf, exclusiveMinimum, exclusiveMaximum } = schema;
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) invalid(`a multiple of ${multipleOf}`);
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum))
    invalid(`less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`);
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum))
    invalid(`greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`);
}

function fitsInteger(value: number, format: string | undefined): boolean {
  return Number.isInteger(value) && (format !== 'int32' || (value >= -(2 ** 31) && value < 2 ** 31));
}

function isMultiple(value: number, factor: number): boolean {
  const ratio = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(ratio - Math.round(ratio)) < 1e-9 * Math.max(1, Math.abs(ratio));
}

function checkList(list: readonly Json[], at: At, resolve: ResolveRef, problems: Problem[]): void {
  const { schema, path } = at;
  const items = itemSchema(schema, resolve);
  const olds = oldItems(at, resolve);
  if (schema.items !== undefined)
    list.forEach((value, index) => {
      const element = olds === undefined ? undefined : elementOrNone(schema, value, resolve);
      const old = element === undefined ? undefined : olds?.get(element);
      check({ value, schema: items, path: `${path}[${index}]`, old }, resolve, problems);
    });
  const { minItems, maxItems } = schema;
  if (minItems !== undefined && list.length < minItems)
    problems.push(
      problem(path, 'Invalid value', {
        value: list.length,
        detail: `${path} in body should have at least ${minItems} items`,
      }),
    );
  if (maxItems !== undefined && list.length > maxItems) problems.push(tooMany(path, list.length, maxItems));
  if (schema.uniqueItems && new Set(list.map(canonical)).size < list.length)
    problems.push(
      problem(path, 'Invalid value', { value: '', detail: `${path} in body shouldn't contain duplicates` }),
    );
}

/** Only items with keys can be found again in an older list. */
function oldItems({ old, schema }: At, resolve: ResolveRef): Map<string, Json> | undefined {
  if (!isArray(old) || schema.listType !== 'map') return undefined;
  return new Map(old.map((item) => [elementOrNone(schema, item, resolve) ?? '', item]));
}

function tooMany(path: string, actual: number, most: number): Problem {
  return problem(path, 'Too many', {
    value: actual,
    detail: `must have at most ${most} ${most === 1 ? 'item' : 'items'}`,
  });
}

function checkObject(object: { readonly [key: string]: Json }, at: At, resolve: ResolveRef, problems: Problem[]): void {
  const { schema, path } = at;
  const size = Object.keys(object).length;
  const { minProperties, maxProperties } = schema;
  if (minProperties !== undefined && size < minProperties)
    problems.push(
      problem(path, 'Invalid value', {
        value: size,
        detail: `${path} in body should have at least ${minProperties} properties`,
      }),
    );
  if (maxProperties !== undefined && size > maxProperties) problems.push(tooMany(path, size, maxProperties));
  for (const key of Object.keys(object)) {
    const field = declaredField(schema, key) ?? valuesOf(schema);
    if (field === undefined) continue;
    const below = path === '' ? key : `${path}.${key}`;
    check(
      { value: object[key] ?? null, schema: deref(field, resolve), path: below, old: own(at.old, key) },
      resolve,
      problems,
    );
  }
  for (const key of requiredOf(schema))
    if (!Object.hasOwn(object, key)) problems.push(problem(path === '' ? key : `${path}.${key}`, 'Required value'));
}

/** An object inside an object must say what it is. */
function requiredOf(schema: Schema): readonly string[] {
  const required = schema.required ?? [];
  return schema.embeddedResource === true ? [...new Set(['apiVersion', 'kind', ...required])] : required;
}

function valuesOf(schema: Schema): Schema | undefined {
  return schema.additionalProperties === true ? undefined : schema.additionalProperties;
}

/** `allOf`, `anyOf`, `oneOf` and `not`; their summary names no field, the best attempt's mistakes do. */
function checkAlternatives(at: At, resolve: ResolveRef, problems: Problem[]): void {
  const { schema, path } = at;
  const attempt = (part: Schema): readonly Problem[] => {
    const found: Problem[] = [];
    check({ ...at, schema: deref(part, resolve), old: undefined }, resolve, found);
    return found;
  };
  const say = (detail: string): void => {
    problems.push(problem('', 'Invalid value', { value: '', detail: `"${path}" ${detail}` }));
  };
  if (schema.anyOf !== undefined && schema.intOrString !== true) checkAny(schema.anyOf.map(attempt), say, problems);
  if (schema.oneOf !== undefined) checkOne(schema.oneOf.map(attempt), say, problems);
  if (schema.allOf !== undefined) checkAll(schema.allOf.map(attempt), say, problems);
  if (schema.not !== undefined && attempt(schema.not).length === 0) say('must not validate the schema (not)');
}

type Attempts = readonly (readonly Problem[])[];
type Say = (detail: string) => void;

function checkAny(attempts: Attempts, say: Say, problems: Problem[]): void {
  if (attempts.some((found) => found.length === 0)) return;
  say('must validate at least one schema (anyOf)');
  problems.push(...(attempts[0] ?? []));
}

function checkOne(attempts: Attempts, say: Say, problems: Problem[]): void {
  const valid = attempts.filter((found) => found.length === 0).length;
  if (valid === 1) return;
  say(
    `must validate one and only one schema (oneOf). ${valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`}`,
  );
  if (valid === 0) problems.push(...(attempts[0] ?? []));
}

function checkAll(attempts: Attempts, say: Say, problems: Problem[]): void {
  const valid = attempts.filter((found) => found.length === 0).length;
  for (const found of attempts) problems.push(...found);
  if (valid < attempts.length) say(`must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
}
