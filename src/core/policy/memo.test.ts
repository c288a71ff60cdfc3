import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { KindMemo } from './kind-memo.ts';
import { AnswerMemo, PairMemo } from './memo.ts';

test('an answer is kept once it was asked for again, and soon even where marks collide', () => {
  const memo = new AnswerMemo<number>();
  const texts = Array.from({ length: 5000 }, (_, i) => `team-${i}-text`);
  for (let round = 0; round < 40; round++) {
    for (const [i, text] of texts.entries()) if (memo.get(text) === undefined) memo.offer(text, i);
  }
  assert.deepEqual(
    texts.filter((text, i) => memo.get(text) !== i),
    [],
  );
});

test('what is offered is what comes back, kept or not', () => {
  const memo = new AnswerMemo<string>();
  for (const text of ['', 'a', 'a', '__proto__', 'constructor']) {
    assert.equal(memo.offer(text, `of ${text}`), `of ${text}`);
    assert.ok([undefined, `of ${text}`].includes(memo.get(text)));
  }
});

test('texts without measure are answered, and not kept', () => {
  const long = 'x'.repeat(100_000);
  const [memo, pairs, cluster] = [new AnswerMemo<number>(), new PairMemo<object, string, number>(), {}];
  for (let round = 0; round < 20; round++) {
    assert.deepEqual([memo.offer(long, 1), pairs.offer(cluster, long, 2)], [1, 2]);
    assert.deepEqual([memo.get(long), pairs.get(cluster, long)], [undefined, undefined]);
  }
  const kinds = new KindMemo();
  assert.notEqual(kinds.of('x.io', long), kinds.of('x.io', long));
  assert.equal(kinds.of('x.io', 'Gear'), kinds.of('x.io', 'Gear'));
});

test('two keys stay two keys', () => {
  const memo = new PairMemo<object, string | undefined, string>();
  const [a, b] = [{}, {}];
  for (let round = 0; round < 3; round++) {
    memo.offer(a, 'x', 'a x');
    memo.offer(b, 'x', 'b x');
    memo.offer(a, undefined, 'a alone');
  }
  assert.deepEqual(
    [memo.get(a, 'x'), memo.get(b, 'x'), memo.get(a, undefined), memo.get(b, undefined)],
    ['a x', 'b x', 'a alone', undefined],
  );
});

test('a memo holds on to no first key: a Secret that changes for ever leaves nothing behind', async () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert.ok(typeof collect === 'function');
  const memo = new PairMemo<object, string, string>();
  const seen: WeakRef<object>[] = [];
  const turn = (i: number): void => {
    const cluster = { revision: i };
    seen.push(new WeakRef(cluster));
    for (let asked = 0; asked < 3; asked++) memo.offer(cluster, 'team-a', 'allowed');
  };
  for (let i = 0; i < 1000; i++) turn(i);
  await new Promise(setImmediate);
  collect();
  const left = seen.filter((each) => each.deref() !== undefined).length;
  assert.ok(left <= 2, `${left} old values are still held`);
});
