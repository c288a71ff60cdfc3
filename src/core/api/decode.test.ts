import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { equal, type Json } from '../json/index.ts';
import { anyObject, type Decode, flag, integer, integerOrText, list, map, Notes, shape, text } from './decode.ts';
import { printProblems } from './parsed.ts';

function read<T>(decode: Decode<T>, json: Json): { readonly value: T | undefined; readonly notes: string } {
  const notes = new Notes();
  const value = decode(json, 'x', notes);
  return { value, notes: printProblems(notes.problems) };
}

test('primitives take their own type and name any other', () => {
  const rows: readonly [Decode<unknown>, Json, string][] = [
    [text, '', ''],
    [text, 1, 'x: must be a string, not a number'],
    [text, null, 'x: must be a string, not null'],
    [flag, false, ''],
    [flag, 'true', 'x: must be true or false, not a string'],
    [integer, -3, ''],
    [integer, 1.5, 'x: must be an integer, not a number'],
    [integer, 2 ** 60, 'x: must be an integer, not a number'],
    [integerOrText, '25%', ''],
    [integerOrText, 3, ''],
    [integerOrText, 0.5, 'x: must be an integer or a string, not a number'],
    [anyObject, {}, ''],
    [anyObject, [], 'x: must be an object, not a list'],
  ];
  for (const [decode, json, wanted] of rows) assert.equal(read(decode, json).notes, wanted, JSON.stringify(json));
});

test('a list keeps its good items and its identity where all are good', () => {
  const good: Json = ['a', 'b'];
  assert.equal(read(list(text), good).value, good);
  assert.deepEqual(read(list(text), ['a', 1, 'b']), {
    value: ['a', 'b'],
    notes: 'x[1]: must be a string, not a number',
  });
  assert.equal(read(list(text), {}).value, undefined);
});

test('a map keeps its good values, keys that name a prototype among them', () => {
  const json = JSON.parse('{"__proto__":"a","constructor":"b","bad":1}') as Json;
  const { value, notes } = read(map(text), json);
  assert.equal(notes, 'x.bad: must be a string, not a number');
  assert.deepEqual(Object.entries(value ?? {}), [
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ]);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
});

interface Point {
  readonly x: number;
  readonly label?: string;
}
const point = shape<Point>({ x: integer, label: text }, { x: 0 });

test('a shape leaves out what is null or wrong, keeps what it does not know, fills in what is missing', () => {
  const whole: Json = { x: 1, label: 'a', more: [1] };
  assert.equal(read(point, whole).value, whole);
  assert.deepEqual(read(point, { label: null, more: 1 }).value, { x: 0, more: 1 });
  assert.deepEqual(read(point, { x: '1' }), { value: { x: 0 }, notes: 'x.x: must be an integer, not a string' });
  assert.equal(read(point, 'x').value, undefined);
});

test('a field named like a decoder of Object.prototype is unknown, not a decoder', () => {
  const json = JSON.parse('{"x":1,"toString":"a","hasOwnProperty":[]}') as Json;
  assert.equal(read(point, json).value, json);
});

test('whatever a decoder answers without a note is what was given, apart from nulls', () => {
  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
  const decode = list(map(list(text)));
  fc.assert(
    fc.property(json, (value) => {
      const { value: answer, notes } = read(decode, value);
      if (notes === '') assert.ok(equal(answer as unknown as Json, value));
    }),
  );
});

test('twenty problems are enough', () => {
  const notes = new Notes();
  for (let i = 0; i < 1000; i++) notes.add(`${i}`, 'x');
  assert.equal(notes.problems.length, 20);
});
