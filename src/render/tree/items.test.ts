import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemsOf } from './items.ts';
import { memoryTree } from './memory.ts';

const file = (text: string) => ({ kind: 'file', content: Buffer.from(text) }) as const;
const files = new Map([
  ['a/one.yaml', file('1')],
  ['b/two.yaml', file('2')],
]);

/** A tree that counts its questions and has one place that cannot be read. */
function counting() {
  const plain = memoryTree('one', files);
  const asked: (readonly string[])[] = [];
  const at: typeof plain.at = async (paths) => {
    asked.push(paths);
    if (paths.includes('broken')) throw new Error('cannot be had');
    return plain.at(paths);
  };
  return { plain, asked, items: itemsOf({ ...plain, at }) };
}

test('all who ask at the same time are answered in one go, and what was answered is not asked for again', async () => {
  const { plain, asked, items } = counting();
  const wishes = [['a'], ['b', 'a/one.yaml'], ['nothing', 'a']];
  const answers = await Promise.all(wishes.map(async (paths) => items.at(paths)));
  assert.deepEqual(answers, await Promise.all(wishes.map((paths) => plain.at(paths))));
  assert.deepEqual(asked, [['a', 'b', 'a/one.yaml', 'nothing']]);
  assert.deepEqual(items.at(['nothing', 'b']), [undefined, ...(await plain.at(['b']))]);
});

test('who asks for what cannot be had spoils it for nobody else', async () => {
  const { plain, items } = counting();
  const ask = async (path: string) => items.at([path]);
  const [good, bad, other] = [ask('a'), ask('broken'), ask('b')];
  await assert.rejects(bad, /cannot be had/);
  assert.deepEqual(await Promise.all([good, other]), [await plain.at(['a']), await plain.at(['b'])]);
});
