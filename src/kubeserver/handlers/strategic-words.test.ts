import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goValue, strategicProblem } from './strategic-words.ts';

test('a value is printed as Go prints it', () => {
  assert.equal(goValue({ b: [1, 'x', null], a: { c: true } }), 'map[a:map[c:true] b:[1 x <nil>]]');
});

const field = 'into Go struct field X.spec.y of type';
const cases: [string, string][] = [
  [`json: cannot unmarshal string ${field} int32`, 'unrecognized type: int32'],
  [`json: cannot unmarshal number 1.5 ${field} int32`, 'cannot convert float64 to int32'],
  [`json: cannot unmarshal string ${field} v1.DeploymentSpec`, 'cannot restore struct from: string'],
  [`json: cannot unmarshal string ${field} []v1.Volume`, 'cannot restore slice from string'],
  [`json: cannot unmarshal string ${field} map[string]string`, 'cannot restore map from string'],
  [`json: cannot unmarshal number ${field} string`, 'cannot convert int64 to string'],
  [`json: cannot unmarshal number ${field} bool`, 'unrecognized type: bool'],
  ['illegal base64 data at input byte 0', 'error decoding from json: illegal base64 data at input byte 0'],
  ['strict decoding error: unknown field "spec.foo"', 'strict decoding error: unknown field "spec.foo"'],
];
for (const [problem, words] of cases)
  test(`${words}, for a strategic patch`, () => assert.equal(strategicProblem(problem), words));
