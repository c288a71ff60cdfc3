import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Automaton, codesOf, type Node } from './automaton.ts';
import { exactly } from './glob-parse.ts';

const a = exactly(97);
const b = exactly(98);
const many = (part: Node, min = 0, max = Number.POSITIVE_INFINITY): Node => ({ type: 'repeat', part, min, max });
const row = (...parts: readonly Node[]): Node => ({ type: 'sequence', parts });
const either = (...parts: readonly Node[]): Node => ({ type: 'either', parts });
const ahead = (part: Node, negative = false): Node => ({ type: 'ahead', part, negative });

function machine(node: Node): Automaton {
  const made = Automaton.of(node);
  assert.ok(made);
  return made;
}

test('each kind of node matches what it says', () => {
  const rows: readonly [Node, string, boolean][] = [
    [row(), '', true],
    [row(), 'a', false],
    [row(a, b), 'ab', true],
    [either(a, row(b, b)), 'bb', true],
    [either(a, row(b, b)), 'b', false],
    [either(), '', false],
    [many(a), '', true],
    [many(a), 'aaa', true],
    [many(a, 2, 3), 'a', false],
    [many(a, 2, 3), 'aaa', true],
    [many(a, 2, 3), 'aaaa', false],
    [many(a, 0, 0), '', true],
    [many(a, 0, 0), 'a', false],
    [many(many(a)), 'aaaa', true],
    [many(row()), '', true],
    [row(ahead(a), either(a, b)), 'a', true],
    [row(ahead(a), either(a, b)), 'b', false],
    [row(ahead(a, true), either(a, b)), 'b', true],
    [row(ahead(ahead(a, true), true), a), 'a', true],
  ];
  for (const [node, text, wanted] of rows) assert.equal(machine(node).matchesWhole(codesOf(text)), wanted);
});

test('a match within a text may begin and end anywhere', () => {
  assert.equal(machine(row(a, b)).matchesWithin(codesOf('xxabxx')), true);
  assert.equal(machine(row(a, b)).matchesWithin(codesOf('xxa')), false);
  assert.equal(machine(row()).matchesWithin(codesOf('')), true);
});

test('an assertion sees the text and the place', () => {
  const third: Node = { type: 'assert', holds: (text, at) => at === 2 && text.length === 4 };
  assert.equal(machine(row(third, a)).matchesWithin(codesOf('bbab')), true);
  assert.equal(machine(row(third, a)).matchesWithin(codesOf('abab')), true);
  assert.equal(machine(row(third, a)).matchesWithin(codesOf('abba')), false);
});

test('characters beyond the first plane are one character', () => {
  assert.deepEqual(codesOf('a😀'), [97, 0x1f600]);
  assert.equal(machine({ type: 'char', is: () => true }).matchesWhole(codesOf('😀')), true);
});

test('the work of any machine on any text is at most its size times the text, twice over', () => {
  const node: fc.Arbitrary<Node> = fc.letrec<{ node: Node }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(a, b),
      fc.array(tie('node'), { maxLength: 3 }).map((parts) => row(...parts)),
      fc.array(tie('node'), { maxLength: 3 }).map((parts) => either(...parts)),
      tie('node').map((part) => many(part)),
      fc.tuple(tie('node'), fc.nat(3), fc.nat(3)).map(([part, min, more]) => many(part, min, min + more)),
      fc.tuple(tie('node'), fc.boolean()).map(([part, negative]) => ahead(part, negative)),
    ),
  })).node;
  const text = fc.array(fc.constantFrom('a', 'b'), { maxLength: 60 }).map((each) => each.join(''));
  fc.assert(
    fc.property(node, text, (each, sample) => {
      const made = Automaton.of(each);
      if (made === undefined) return;
      const counter = { steps: 0 };
      made.matchesWithin(codesOf(sample), counter);
      assert.ok(counter.steps <= 2 * made.size * (sample.length + 1), `${counter.steps} for ${made.size}`);
    }),
    { numRuns: 2000 },
  );
});

test('a machine agrees with one that tries everything', () => {
  const leaf = fc.constantFrom<Node>(a, b);
  const node = fc.letrec<{ node: Node }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.tuple(tie('node'), tie('node')).map(([x, y]) => row(x, y)),
      fc.tuple(tie('node'), tie('node')).map(([x, y]) => either(x, y)),
      tie('node').map((part) => many(part, 0, 2)),
      fc.tuple(leaf, fc.boolean()).map(([part, negative]) => ahead(part, negative)),
    ),
  })).node;
  const text = fc.array(fc.constantFrom('a', 'b'), { maxLength: 5 }).map((each) => each.join(''));
  fc.assert(
    fc.property(node, text, (each, sample) => {
      assert.equal(machine(each).matchesWhole(codesOf(sample)), ends(each, sample, 0).has(sample.length));
    }),
    { numRuns: 2000 },
  );
});

/** Every place at which a node may end that begins here, by trying everything. */
function ends(node: Node, text: string, at: number): Set<number> {
  switch (node.type) {
    case 'char':
      return new Set(at < text.length && node.is(text.charCodeAt(at)) ? [at + 1] : []);
    case 'sequence':
      return node.parts.reduce((from, part) => flat(from, (each) => ends(part, text, each)), new Set([at]));
    case 'either':
      return flat(new Set(node.parts.keys()), (index) => {
        const part = node.parts[index];
        return part === undefined ? new Set() : ends(part, text, at);
      });
    case 'repeat': {
      let current = new Set([at]);
      const found = new Set(node.min === 0 ? current : []);
      for (let times = 1; times <= node.max; times++) {
        current = flat(current, (each) => ends(node.part, text, each));
        if (times >= node.min) for (const each of current) found.add(each);
      }
      return found;
    }
    case 'assert':
      return new Set([at]);
    case 'ahead':
      return new Set(ends(node.part, text, at).size > 0 !== node.negative ? [at] : []);
  }
}

function flat<T>(from: ReadonlySet<T>, step: (each: T) => ReadonlySet<number>): Set<number> {
  return new Set([...from].flatMap((each) => [...step(each)]));
}
