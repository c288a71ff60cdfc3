import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duplicateKeys, goJsonProblem } from './go-json.ts';

const broken: [string, string][] = [
  ['x', "invalid character 'x' looking for beginning of value"],
  ['{', 'unexpected end of JSON input'],
  ['', 'unexpected end of JSON input'],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
  ['[1 2]', "invalid character '2' after array element"],
  ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
  ['{"a":1}}', "invalid character '}' after top-level value"],
  ['tru', 'unexpected end of JSON input'],
  ['nul!', "invalid character '!' in literal null (expecting 'l')"],
];
for (const [text, problem] of broken)
  test(`${JSON.stringify(text)} is refused in Go's words`, () => assert.equal(goJsonProblem(text), problem));

test('keys given twice are named with their path', () => {
  assert.deepEqual(duplicateKeys('{"a":1,"b":{"c":1,"c":2},"d":[{"e":1,"e":2}],"a":3}'), ['b.c', 'd[0].e', 'a']);
  assert.deepEqual(duplicateKeys('{"a":{"x":1},"b":{"x":1}}'), []);
});
