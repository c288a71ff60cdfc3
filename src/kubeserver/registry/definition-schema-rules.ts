import { isObject, type Json, type JsonObject, objectAt, own } from '../../core/json/index.ts';
import { convertSchema, validate } from '../../core/merge/index.ts';
import type { Cause } from '../status.ts';
import { invalidValue } from './names.ts';

const required = (field: string, why: string): Cause => ({
  field,
  reason: 'FieldValueRequired',
  message: `Required value: ${why}`,
});
const forbidden = (field: string, why: string): Cause => ({
  field,
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${why}`,
});
const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** What keeps a CRD's schema from being structural. */
export function schemaProblems(schema: JsonObject, field: string): Cause[] {
  const causes: Cause[] = [];
  if (own(schema, 'type') === undefined) causes.push(required(`${field}.type`, 'must not be empty at the root'));
  else if (own(schema, 'type') !== 'object')
    causes.push(invalidValue(`${field}.type`, own(schema, 'type'), 'must be object at the root'));
  return [...causes, ...inside(schema, field)];
}

function inside(schema: JsonObject, field: string): Cause[] {
  const causes: Cause[] = [];
  const properties = objectAt(schema, 'properties');
  for (const [name, property] of Object.entries(properties ?? {}))
    causes.push(...part(property, `${field}.properties[${name}]`, 'must not be empty for specified object fields'));
  const items = own(schema, 'items');
  if (items !== undefined) causes.push(...part(items, `${field}.items`, 'must not be empty for specified array items'));
  else if (own(schema, 'type') === 'array') causes.push(required(`${field}.items`, 'must be specified'));
  const values = own(schema, 'additionalProperties');
  if (values !== undefined && properties !== undefined)
    causes.push(forbidden(`${field}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'));
  if (isObject(values))
    causes.push(...part(values, `${field}.additionalProperties`, 'must not be empty for specified object fields'));
  return [...causes, ...ownProblems(schema, field)];
}

function part(value: Json, field: string, why: string): Cause[] {
  if (!isObject(value)) return [];
  const causes: Cause[] = [];
  const free =
    own(value, 'x-kubernetes-int-or-string') === true || own(value, 'x-kubernetes-preserve-unknown-fields') === true;
  const type = own(value, 'type');
  if (type === undefined && !free) causes.push(required(`${field}.type`, why));
  if (typeof type === 'string' && !types.includes(type))
    causes.push({
      field: `${field}.type`,
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${JSON.stringify(type)}: supported values: ${types.map((name) => JSON.stringify(name)).join(', ')}`,
    });
  return [...causes, ...inside(value, field)];
}

function ownProblems(schema: JsonObject, field: string): Cause[] {
  const causes: Cause[] = [];
  if (own(schema, 'uniqueItems') === true)
    causes.push(
      forbidden(
        `${field}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    );
  if (own(schema, '$ref') !== undefined) causes.push(forbidden(`${field}.$ref`, '$ref is not supported'));
  const keys = own(schema, 'x-kubernetes-list-map-keys');
  if (own(schema, 'x-kubernetes-list-type') === 'map' && !Array.isArray(keys))
    causes.push(required(`${field}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'));
  const value = own(schema, 'default');
  if (value === undefined) return causes;
  const { default: _default, ...bare } = schema;
  const wrong = validate(value, convertSchema(bare), () => undefined);
  return [
    ...causes,
    ...wrong.map(({ message, reason }) => ({
      field: `${field}.default`,
      reason: reason as Cause['reason'],
      message: message.replace(/ in body /, '$&'),
    })),
  ]; // both lists are Kubernetes'
}
