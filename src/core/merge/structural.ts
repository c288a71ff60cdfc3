import { equal, isArray, isObject, type Json, type JsonObject, own } from '../json/index.ts';
import { convertSchema } from './from-openapi.ts';
import { isPattern } from './pattern.ts';
import { type Problem, type ProblemType, problem } from './problem.ts';
import { ruleError } from './rules.ts';
import { valueProblems } from './value-problems.ts';

/**
 * What a CRD's schema may not say, or lacks to be structural. `root` is its path: `spec.validation.openAPIV3Schema`
 * where all versions have the same schema, else `spec.versions[0].schema.openAPIV3Schema`.
 */
export function structuralProblems(schema: Json, root: string): readonly Problem[] {
  if (!isObject(schema)) return [];
  const words: Problem[] = [];
  walk(schema, root, (part, path) => words.push(...wordProblems(part, path)));
  // Only a schema that says nothing impossible is asked whether it is structural.
  if (words.length > 0) return words;
  const problems = [...rootProblems(schema, root)];
  walk(schema, root, (part, path) => problems.push(...shapeProblems(part, path, path === root)));
  return problems;
}

type Visit = (schema: JsonObject, path: string) => void;

function walk(schema: JsonObject, path: string, visit: Visit): void {
  visit(schema, path);
  for (const [below, child] of childrenOf(schema, path)) walk(child, below, visit);
}

function childrenOf(schema: JsonObject, path: string): [string, JsonObject][] {
  const properties = own(schema, 'properties');
  const named = isObject(properties)
    ? Object.entries(properties).map(([name, child]): [string, Json] => [`${path}.properties[${name}]`, child])
    : [];
  const rest: [string, Json][] = ['items', 'additionalProperties'].map((word) => [
    `${path}.${word}`,
    own(schema, word) ?? null,
  ]);
  return [...named, ...rest].filter((row): row is [string, JsonObject] => isObject(row[1]));
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const listTypes = ['atomic', 'set', 'map'];

/** Words and combinations of words that are refused wherever they stand. */
function wordProblems(schema: JsonObject, path: string): readonly Problem[] {
  const problems: Problem[] = [];
  const say = (word: string, type: ProblemType, shown: { value?: Json; detail: string }): void => {
    problems.push(problem(`${path}.${word}`, type, shown));
  };
  const [type, pattern] = [own(schema, 'type'), own(schema, 'pattern')];
  if (own(schema, '$ref') !== undefined) say('$ref', 'Forbidden', { detail: '$ref is not supported' });
  if (own(schema, 'uniqueItems') === true)
    say('uniqueItems', 'Forbidden', {
      detail: 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    });
  if (isObject(own(schema, 'properties')) && isObject(own(schema, 'additionalProperties')))
    say('additionalProperties', 'Forbidden', { detail: 'additionalProperties and properties are mutual exclusive' });
  if (typeof type === 'string' && type !== '' && !types.includes(type))
    say('type', 'Unsupported value', { value: type, detail: supported(types) });
  if (typeof pattern === 'string' && !isPattern(pattern))
    say('pattern', 'Invalid value', { value: pattern, detail: "must be a valid regular expression, but isn't" });
  if (own(schema, 'x-kubernetes-preserve-unknown-fields') === false)
    say('x-kubernetes-preserve-unknown-fields', 'Invalid value', { value: false, detail: 'must be true or undefined' });
  return [...problems, ...listProblemsOf(schema, path), ...rulesProblems(schema, path)];
}

function supported(choices: readonly string[]): string {
  return `supported values: ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`;
}

function listProblemsOf(schema: JsonObject, path: string): readonly Problem[] {
  const listType = own(schema, 'x-kubernetes-list-type');
  if (typeof listType !== 'string') return [];
  const [type, items] = [own(schema, 'type'), own(schema, 'items')];
  const at = `${path}.x-kubernetes-list-type`;
  if (!listTypes.includes(listType))
    return [problem(at, 'Unsupported value', { value: listType, detail: supported(listTypes) })];
  if (type !== 'array') {
    const detail = 'must be array if x-kubernetes-list-type is specified';
    return [problem(`${path}.type`, 'Invalid value', { value: type ?? '', detail })];
  }
  if (listType === 'map') return keyProblems(schema, path);
  const mapType = own(items, 'x-kubernetes-map-type') ?? null;
  if (listType !== 'set' || own(items, 'type') !== 'object' || mapType === 'atomic') return [];
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  return [problem(`${path}.items.x-kubernetes-map-type`, 'Invalid value', { value: mapType, detail })];
}

function keyProblems(schema: JsonObject, path: string): readonly Problem[] {
  const given = own(schema, 'x-kubernetes-list-map-keys');
  const keys = isArray(given) ? given.filter((key) => typeof key === 'string') : [];
  const at = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0)
    return [problem(at, 'Required value', { detail: 'must not be empty if x-kubernetes-list-type is map' })];
  const items = own(schema, 'items');
  const propertyOf = (key: string): Json | undefined => own(own(items, 'properties'), key);
  if (keys.some((key) => propertyOf(key) === undefined))
    return [problem(at, 'Invalid value', { value: keys, detail: 'entries must all be names of item properties' })];
  const required = own(items, 'required');
  return keys
    .filter((key) => own(propertyOf(key), 'default') === undefined && !(isArray(required) && required.includes(key)))
    .map((key) =>
      problem(`${path}.items.properties[${key}].default`, 'Required value', {
        detail: 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      }),
    );
}

function rulesProblems(schema: JsonObject, path: string): readonly Problem[] {
  const rules = own(schema, 'x-kubernetes-validations');
  if (!isArray(rules)) return [];
  return rules.flatMap((item, index) => {
    const at = `${path}.x-kubernetes-validations[${index}].rule`;
    const rule = own(item, 'rule');
    if (typeof rule !== 'string' || rule.trim() === '')
      return [problem(at, 'Required value', { detail: 'rule is not specified' })];
    const error = ruleError(rule);
    return error === undefined
      ? []
      : [problem(at, 'Invalid value', { value: rule, detail: `compilation failed: ERROR: ${error}` })];
  });
}

function rootProblems(schema: JsonObject, root: string): readonly Problem[] {
  const type = own(schema, 'type');
  if (type === undefined || type === '')
    return [problem(`${root}.type`, 'Required value', { detail: 'must not be empty at the root' })];
  if (type !== 'object')
    return [problem(`${root}.type`, 'Invalid value', { value: type, detail: 'must be object at the root' })];
  const known = Object.keys((own(own(own(schema, 'properties'), 'metadata'), 'properties') ?? {}) as JsonObject); // or nothing
  if (known.every((name) => name === 'name' || name === 'generateName')) return [];
  const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
  return [problem(`${root}.properties[metadata]`, 'Forbidden', { detail })];
}

/** What every part of a structural schema must say about the shape of its values. */
function shapeProblems(schema: JsonObject, path: string, isRoot: boolean): readonly Problem[] {
  const problems: Problem[] = [];
  const type = own(schema, 'type');
  const preserves = own(schema, 'x-kubernetes-preserve-unknown-fields') === true;
  const isFree = preserves || own(schema, 'x-kubernetes-int-or-string') === true;
  if (!isRoot && !isFree && (type === undefined || type === '')) {
    const where = path.endsWith('.items') ? 'array items' : 'object fields';
    problems.push(problem(`${path}.type`, 'Required value', { detail: `must not be empty for specified ${where}` }));
  }
  if (type === 'array' && own(schema, 'items') === undefined)
    problems.push(problem(`${path}.items`, 'Required value', { detail: 'must be specified' }));
  if (own(schema, 'x-kubernetes-embedded-resource') === true) problems.push(...embeddedProblems(schema, path));
  for (const [below, part] of alternativesOf(schema, path)) problems.push(...judgeProblems(part, below));
  problems.push(...judgeProblems(own(schema, 'not'), `${path}.not`));
  return [...problems, ...defaultProblems(schema, path)];
}

/** The parts of `allOf`, `anyOf` and `oneOf`, but not the two words that spell out a number or a text. */
function alternativesOf(schema: JsonObject, path: string): [string, Json][] {
  const isEither = own(schema, 'x-kubernetes-int-or-string') === true;
  return ['allOf', 'anyOf', 'oneOf'].flatMap((word) => {
    const parts = own(schema, word);
    if (!isArray(parts) || (isEither && word === 'anyOf' && equal(parts, either))) return [];
    const rows = parts.map((part, index): [string, Json] => [`${path}.${word}[${index}]`, part]);
    return isEither && word === 'allOf' ? rows.filter(([, part]) => !equal(own(part, 'anyOf'), either)) : rows;
  });
}

const either: Json = [{ type: 'integer' }, { type: 'string' }];

function embeddedProblems(schema: JsonObject, path: string): readonly Problem[] {
  const problems: Problem[] = [];
  const type = own(schema, 'type');
  if (own(schema, 'x-kubernetes-preserve-unknown-fields') !== true && !isObject(own(schema, 'properties')))
    problems.push(
      problem(`${path}.properties`, 'Required value', {
        detail:
          'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      }),
    );
  if (type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    problems.push(problem(`${path}.type`, 'Invalid value', { value: type ?? '', detail }));
  }
  return problems;
}

const structure = ['type', 'default', 'nullable', 'title', 'description', 'additionalProperties'];

/** Inside `allOf`, `anyOf`, `oneOf` and `not` a schema may only judge values, not shape them. */
function judgeProblems(schema: Json | undefined, path: string): readonly Problem[] {
  if (!isObject(schema)) return [];
  const here = structure
    .filter((word) => own(schema, word) !== undefined)
    .map((word) =>
      problem(`${path}.${word}`, 'Forbidden', {
        detail: `must be ${word === 'type' ? 'empty' : 'undefined'} to be structural`,
      }),
    );
  return [...here, ...childrenOf(schema, path).flatMap(([below, child]) => judgeProblems(child, below))];
}

function defaultProblems(schema: JsonObject, path: string): readonly Problem[] {
  const value = own(schema, 'default');
  if (value === undefined) return [];
  return valueProblems(value, convertSchema(schema), () => undefined, undefined).map((found) => ({
    ...found,
    path: found.path === '<nil>' ? `${path}.default` : `${path}.default.${found.path}`,
  }));
}
