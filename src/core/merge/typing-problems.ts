import { isArray, isObject, type Json, own } from '../json/index.ts';
import { declaredField, fieldSchema, itemSchema } from './deref.ts';
import { fieldElement, type PathElement, printElement } from './path.ts';
import type { ResolveRef, Schema } from './schema.ts';
import { isAtomic, itemElement, shapeOf } from './shape.ts';

/** Why a configuration cannot be applied to its type, in the API server's words; undefined where it can. */
export function typingProblems(value: Json, schema: Schema, resolve: ResolveRef): string | undefined {
  const problems: string[] = [];
  check({ value, schema, path: undefined }, resolve, problems);
  if (problems.length <= 1) return problems[0];
  return `errors:\n${[...problems]
    .sort()
    .map((problem) => `  ${problem}`)
    .join('\n')}`;
}

interface At {
  readonly value: Json;
  readonly schema: Schema;
  readonly path: Trail | undefined;
}

/** The way to a value, written out only where something is wrong with it. */
interface Trail {
  readonly up: Trail | undefined;
  readonly element: PathElement;
}

function print(trail: Trail | undefined): string {
  return trail === undefined ? '' : print(trail.up) + printElement(trail.element);
}

function check(at: At, resolve: ResolveRef, problems: string[]): void {
  const { value, schema, path } = at;
  const shape = shapeOf(value, schema);
  const expected = expectedShape(schema);
  if (expected !== undefined && expected !== shape) {
    problems.push(`${print(path)}: expected ${expectedName(schema)}, got ${describe(value)}`);
    return;
  }
  if (isArray(value)) checkItems(value, at, resolve, problems);
  else if (isObject(value)) checkKeys(value, at, resolve, problems);
  else if (value !== null && !isOfType(value, schema))
    problems.push(`${print(path)}: expected ${expectedName(schema)}, got ${describeScalar(value, schema)}`);
}

/** Go prints the same value in a way of its own for each expected type. */
function describeScalar(value: string | number | boolean, { type }: Schema): string {
  if (type === 'string') return `&value.valueUnstructured{Value:${JSON.stringify(value)}}`;
  return type === 'boolean' ? describe(value) : typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Whether a scalar is of its type; times and quantities are texts that also take something else. */
function isOfType(value: string | number | boolean, { type, format, intOrString }: Schema): boolean {
  if (intOrString === true || format === 'quantity' || format === 'date-time') return true;
  if (type === 'string' || type === 'boolean') return typeof value === type;
  return (type !== 'integer' && type !== 'number') || typeof value === 'number';
}

function expectedShape(schema: Schema): string | undefined {
  if (schema.intOrString || schema.type === undefined || schema.preserveUnknownFields) return undefined;
  return schema.type === 'object' ? 'map' : schema.type === 'array' ? 'list' : 'scalar';
}

function expectedName(schema: Schema): string {
  if (schema.type === 'object') return 'map';
  if (schema.type === 'array') return 'list';
  return schema.type === 'integer' || schema.type === 'number' ? 'numeric (int or float)' : String(schema.type);
}

function describe(value: Json): string {
  return `&{${typeof value === 'string' ? value : JSON.stringify(value)}}`;
}

function checkItems(list: readonly Json[], at: At, resolve: ResolveRef, problems: string[]): void {
  const items = itemSchema(at.schema, resolve);
  const keyed = !isAtomic(at.schema, 'list');
  const seen = new Set<PathElement>();
  list.forEach((item, index) => {
    const element = keyed ? itemElement(at.schema, item, resolve) : `i:${index}`;
    if (typeof element !== 'string') {
      problems.push(`${print(at.path)}: element ${index}: ${element.problem}`);
      return;
    }
    if (seen.has(element)) problems.push(`${print(at.path)}: duplicate entries for key ${printElement(element)}`);
    seen.add(element);
    check({ value: item, schema: items, path: { up: at.path, element } }, resolve, problems);
  });
}

function checkKeys(map: { readonly [key: string]: Json }, at: At, resolve: ResolveRef, problems: string[]): void {
  const open = isOpen(at.schema);
  for (const key of Object.keys(map).sort()) {
    const path = { up: at.path, element: fieldElement(key) };
    if (!open && declaredField(at.schema, key) === undefined) {
      // The first unknown field, in the order of names, ends the look at this object.
      problems.push(`${print(path)}: field not declared in schema`);
      return;
    }
    check({ value: own(map, key) ?? null, schema: fieldSchema(at.schema, key, resolve), path }, resolve, problems);
  }
}

/** Maps, and types that name no fields, take any key. */
function isOpen(schema: Schema): boolean {
  return (
    schema.properties === undefined ||
    schema.additionalProperties !== undefined ||
    schema.preserveUnknownFields === true
  );
}
