import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inLanes, spareIn } from './lanes.ts';
import type { World } from './world.ts';

/** A watch of its own for each test: what is to spare is counted by it. */
const watch = (): Pick<World, 'application'> => ({ application: () => undefined });
const wide = { most: () => Number.POSITIVE_INFINITY };
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Tasks that are over when the test says so; tells how many are under way. */
class Works {
  readonly begun: number[] = [];
  readonly #ends = new Map<number, (error?: Error) => void>();
  most = 0;

  readonly run = (task: number): Promise<string> => {
    this.begun.push(task);
    return new Promise((resolve, reject) => {
      this.#ends.set(task, (error) => (error === undefined ? resolve(`done ${task}`) : reject(error)));
      this.most = Math.max(this.most, this.#ends.size);
    });
  };

  /** Ends those under way, the last first, until nothing more is begun. */
  async endAll(): Promise<void> {
    while (this.#ends.size > 0) {
      const under = [...this.#ends.keys()].toReversed();
      for (const task of under) await this.end(task);
    }
  }

  async end(task: number, error?: Error): Promise<void> {
    const end = this.#ends.get(task);
    this.#ends.delete(task);
    end?.(error);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('eight are under way at once, begun in order and answered in order, whichever is over first', async () => {
  const works = new Works();
  const all = inLanes(numbers(30), works.run, { ...wide, spare: spareIn('c', watch()) });
  assert.deepEqual(works.begun, numbers(8));
  await works.endAll();
  assert.equal(works.most, 8);
  assert.deepEqual(works.begun, numbers(30));
  assert.deepEqual(
    await all,
    numbers(30).map((task) => `done ${task}`),
  );
});

test('whoever wants to be careful begins with fewer, and with more as soon as he is sure', async () => {
  const works = new Works();
  let most = 3;
  const all = inLanes(numbers(30), works.run, { most: () => most, spare: spareIn('c', watch()) });
  assert.deepEqual(works.begun, numbers(3));
  most = 8;
  await works.end(0);
  assert.deepEqual(works.begun, numbers(8 + 1));
  await works.endAll();
  assert.equal((await all).length, 30);
});

test('after a fault nothing is begun, and it is told once those under way are over', async () => {
  const works = new Works();
  let told = false;
  const all = inLanes(numbers(30), works.run, { ...wide, spare: spareIn('c', watch()) }).catch((error: unknown) => {
    told = true;
    return error;
  });
  await works.end(2, new Error('broken'));
  assert.equal(told, false);
  await works.endAll();
  assert.equal(String(await all), 'Error: broken');
  assert.equal(works.begun.length, 8);
});

test('in a crowded cluster each has one under way at least, and what is given back is shared again', async () => {
  const here = watch();
  const crowd = Array.from({ length: 20 }, () => {
    const works = new Works();
    return { works, all: inLanes(numbers(20), works.run, { ...wide, spare: spareIn('c', here) }) };
  });
  const underWay = crowd.map(({ works }) => works.begun.length);
  assert.deepEqual(underWay, [8, 8, 8, 8, 8, 8, 3, ...Array.from({ length: 13 }, () => 1)]);
  const elsewhere = new Works();
  const other = inLanes(numbers(9), elsewhere.run, { ...wide, spare: spareIn('another', here) });
  assert.equal(elsewhere.begun.length, 8);
  await elsewhere.endAll();
  await other;
  await crowd[0]?.works.endAll();
  await crowd[19]?.works.end(0);
  assert.ok((crowd[19]?.works.begun.length ?? 0) > 2);
  for (const { works } of crowd) await works.endAll();
  for (const { all } of crowd) assert.equal((await all).length, 20);
});
