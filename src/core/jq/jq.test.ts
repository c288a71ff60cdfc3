import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../json/index.ts';
import { compileJq, withoutMatches } from './index.ts';

function without(program: string, value: Json, steps?: number): Json | string {
  const jq = compileJq(program);
  assert.ok(jq.ok, jq.ok ? '' : jq.message);
  const result = withoutMatches(jq, value, steps);
  return result.ok ? result.value : `failed: ${result.message}`;
}

const pod: Json = {
  metadata: { annotations: { 'a/b': '1', c: '2' }, labels: { app: 'x' } },
  spec: {
    replicas: 3,
    containers: [
      { name: 'web', image: 'nginx:1', env: [{ name: 'A', value: '1' }, { name: 'B' }] },
      { name: 'side', image: 'proxy:2' },
    ],
  },
};

const cases: readonly [string, string, () => Json | string][] = [
  ['a field', '.spec.replicas', () => without('.spec["replicas"]', pod)],
  ['a field that is not there', '.spec.nothing.at.all', () => pod],
  [
    'an image by the name of its container',
    '.spec.containers[] | select(.name == "side") | .image',
    () => cut('spec.containers.1.image'),
  ],
  ['a quoted field', '.metadata.annotations."a/b"', () => cut('metadata.annotations.a/b')],
  ['a quoted field in brackets', '.metadata.annotations["a/b"]', () => cut('metadata.annotations.a/b')],
  ['an item by its place', '.spec.containers[0]', () => without('.spec.containers[-2]', pod)],
  ['several paths', '.spec.replicas, .metadata.labels', () => cut('spec.replicas', 'metadata.labels')],
  [
    'whatever has a name anywhere',
    '.. | select(type == "object" and .name? == "B")',
    () => cut('spec.containers.0.env.1'),
  ],
  ['what is optional', '.spec.containers[].env[]?.value', () => cut('spec.containers.0.env.0.value')],
  ['an optional field of no object', '.spec.replicas.x?', () => pod],
  [
    'tests by pattern',
    '.spec.containers[] | select(.image | test("^nginx:")) | .image',
    () => cut('spec.containers.0.image'),
  ],
  [
    'starts and ends',
    '.spec.containers[] | select((.name | startswith("we")) or (.name | endswith("zz"))) | .name',
    () => cut('spec.containers.0.name'),
  ],
  [
    'any and all',
    '.spec.containers[] | select(.env != null) | select(.env | any(.name == "A")) | .env',
    () => cut('spec.containers.0.env'),
  ],
  ['has and not', '.spec.containers[] | select(has("env") | not) | .image', () => cut('spec.containers.1.image')],
  ['contains', '.spec.containers[] | select(contains({name: "si"})) | .image', () => cut('spec.containers.1.image')],
  ['numbers', 'select(.spec.replicas > 2 and .spec.replicas * 2 == 6) | .spec.replicas', () => cut('spec.replicas')],
  ['alternatives', '(.spec.nothing // .spec.replicas)', () => cut('spec.replicas')],
  ['conditions', 'if .spec.replicas == 3 then .spec.replicas else .metadata end', () => cut('spec.replicas')],
  ['variables', '.metadata.labels.app as $app | select($app == "x") | .spec.replicas', () => cut('spec.replicas')],
  [
    'keys and entries',
    'select(.metadata.annotations | to_entries | map(.key) | length == 2) | .metadata.labels',
    () => cut('metadata.labels'),
  ],
  ['the first match', 'first(.spec.containers[].name)', () => cut('spec.containers.0.name')],
  [
    'one of several names',
    '.spec.containers[] | select(.name | IN("side", "x")) | .image',
    () => cut('spec.containers.1.image'),
  ],
];

/** The value without these paths, by hand. */
function cut(...paths: string[]): Json {
  const copy = structuredClone(pod) as Record<string, unknown>;
  for (const path of paths) {
    const steps = path === 'metadata.annotations.a/b' ? ['metadata', 'annotations', 'a/b'] : path.split('.');
    const last = steps.pop() ?? '';
    const parent = steps.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], copy);
    if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else delete (parent as Record<string, unknown>)[last];
  }
  return copy as Json;
}

for (const [title, program, expected] of cases) {
  test(`removes ${title}`, () => {
    assert.deepEqual(without(program, pod), expected());
  });
}

test('a text that is no program is refused when it is compiled, with the reason', () => {
  for (const source of [
    '.spec[',
    '.a |',
    'select(',
    '.a == ',
    '"x',
    'def f: 1; f',
    'reduce .[] as $x (0; . + $x)',
    '.a = 1',
    '@base64',
    'nonsense(.a)',
    '',
  ]) {
    const jq = compileJq(source);
    assert.equal(jq.ok, false, source);
  }
});

test('what a program makes up itself has no path to be removed', () => {
  assert.equal(without('"x"', pod), 'failed: invalid path expression');
  assert.equal(without('.spec.containers | map(.name)', pod), 'failed: invalid path expression');
});

test('errors on a value are told, unless the program says they do not matter', () => {
  assert.equal(without('.spec.replicas.x', pod), 'failed: cannot index number with string');
  assert.equal(without('.spec.replicas[]', pod), 'failed: cannot iterate over: number');
});

test('a program that takes too many steps ends, also inside ?', () => {
  assert.equal(without('[..|[..|[..|..]]]?', pod, 1000), 'failed: takes too many steps');
  assert.match(JSON.stringify(without('recurse(.)', pod)), /failed: (takes too many steps|nests too deep)/);
});

test('keys that JavaScript treats specially are plain data', () => {
  const value = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}') as Json;
  assert.equal(JSON.stringify(without('.["__proto__"].a', value)), '{"__proto__":{},"constructor":2}');
  assert.equal(JSON.stringify(without('.toString', value)), JSON.stringify(value));
});

test('no text makes the compiler fail in any other way', () => {
  const piece = fc.constantFrom(
    '.',
    '..',
    '[',
    ']',
    '(',
    ')',
    '|',
    ',',
    'select',
    '.a',
    '"x"',
    '1',
    '?',
    '==',
    'and',
    'if',
    'then',
    'else',
    'end',
    '{',
    '}',
    ':',
    '$x',
    'as',
    '//',
    '-',
    'map',
    ';',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const jq = compileJq(pieces.join(' '));
      if (jq.ok) withoutMatches(jq, pod, 5000);
      return true;
    }),
    { numRuns: 2000 },
  );
});
