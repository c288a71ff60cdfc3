import { isArray, isObject, type Json } from '../../core/json/index.ts';
import { printed } from '../printed.ts';

/** A value as Go prints it with `%v`: `map[a:1 b:[x y]]`. */
export function goValue(value: Json): string {
  if (isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (value === null) return '<nil>';
  if (!isObject(value)) return printed(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${goValue(value[key] ?? null)}`).join(' ')}]`;
}

const kinds: { readonly [json: string]: string } = {
  number: 'int64',
  string: 'string',
  bool: 'bool',
  object: 'map[string]interface {}',
  array: '[]interface {}',
};

/**
 * What the real server says of a strategic patch whose outcome does not fit its type. It reads that outcome with
 * another decoder than JSON's, which has words of its own.
 */
export function strategicProblem(problem: string): string {
  const match = /^json: cannot unmarshal (\w+)(?: ([-\d.e]+))? into Go struct field \S+ of type (.*)$/.exec(problem);
  if (match === null) return problem.startsWith('illegal base64') ? `error decoding from json: ${problem}` : problem;
  const [, json = '', fraction, type = ''] = match;
  const from = fraction === undefined ? (kinds[json] ?? json) : 'float64';
  if (type.startsWith('[]')) return `cannot restore slice from ${from}`;
  if (type.startsWith('map[')) return `cannot restore map from ${from}`;
  if (type.includes('.')) return `cannot restore struct from: ${from}`;
  if (type === 'string' || fraction !== undefined) return `cannot convert ${from} to ${type}`;
  return `unrecognized type: ${type}`;
}
