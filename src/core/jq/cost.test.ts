import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../json/index.ts';
import { weightOf } from './cost.ts';
import { compileJq, matchesOf } from './index.ts';

const list = Array.from({ length: 2000 }, (_, i) => ({ name: `n${i}`, env: [{ name: 'a', value: 'x'.repeat(20) }] }));
const data = Object.fromEntries(list.map(({ name }) => [name, 'v'.repeat(50)]));
const large: Json = { spec: { list, data, text: 'a'.repeat(100_000) } };

/** What a program answers about the large value, and how many steps it took of so many. */
function ran(source: string, steps: number): { answer: string; used: number } {
  const jq = compileJq(source);
  assert.ok(jq.ok, jq.ok ? '' : jq.message);
  const meter = { steps };
  const found = matchesOf(jq, large, meter);
  return { answer: found.ok ? 'done' : found.message, used: steps - meter.steps };
}

// Each would be asked two thousand times, and looks at the whole value each time.
const costly = [
  '.spec.list | sort',
  '.spec.list | unique',
  '.spec.list - .spec.list',
  '.spec.list == .spec.list',
  '.spec.list < .spec.list',
  '.spec.list + .spec.list',
  '.spec | contains({list: [{name: "zz"}]})',
  '.spec | inside({})',
  '.spec | tojson',
  '.spec.data | keys',
  '.spec.data | to_entries',
  '.spec.data | with_entries(.)',
  '.spec.list | map(.env) | add',
  '.spec.list | reverse',
  '[.spec.list[]]',
  'del(.spec.list[0])',
  '.spec.text | split("")',
  '.spec.text / ""',
  '.spec.text[1:]',
  '.spec.text | test("(a*)*b")',
  '.spec.text | ascii_upcase',
  '[.spec.list[] | startswith("a")?]',
];

test('what looks at a large value costs as much as there is in it', () => {
  for (const each of costly) {
    const { answer } = ran(`.spec.list[] as $x | select([${each}] | length > 9)`, 200_000);
    assert.equal(answer, 'takes too many steps', each);
  }
});

test('what looks at a few fields of a large value costs little', () => {
  const fair: readonly [string, number][] = [
    ['.spec.list[0].env[] | select(.name == "a") | .value', 100],
    ['.spec.list[] | select(.name == "n7") | .env', 40_000],
    ['.spec.data | select(. == "text")', 100],
    ['.spec | select(has("list") and (.text | startswith("a"))) | .text', 100],
    ['.spec.list[3] | select(contains({name: "n3"})) | .env', 100],
    ['.spec.data["n9"]', 100],
  ];
  for (const [source, most] of fair) {
    const { answer, used } = ran(source, 200_000);
    assert.equal(answer, 'done', source);
    assert.ok(used <= most, `${source} takes ${used} steps`);
  }
});

test('a value that is made of itself many times over is not counted to its end', () => {
  let value: Json = 'x';
  for (let i = 0; i < 200; i++) value = [value, value];
  assert.ok(weightOf(value, 1000) > 1000);
});
