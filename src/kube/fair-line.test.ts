import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Crowded, FairLine, type Ticket } from './fair-line.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A line whose work ends when told, and who was let through so far. */
function stage(places: number, waiting = 4096, perLane = 1024) {
  const line = new FairLine({ places, waiting, perLane });
  const begun: string[] = [];
  const lost: string[] = [];
  const open: { readonly lane: string; readonly end: () => void }[] = [];
  const come = (lane: string): boolean => {
    const ticket: Ticket | undefined = line.enter(lane);
    if (ticket === undefined) return false;
    const work = (): Promise<void> => {
      begun.push(lane);
      return new Promise((end) => open.push({ lane, end }));
    };
    void ticket
      .pass(work)
      .catch((error: unknown) => {
        assert.ok(error instanceof Crowded);
        lost.push(lane);
      })
      .finally(() => ticket.leave());
    return true;
  };
  /** Ends the work of the first of a lane, or of whoever began first. */
  const end = async (lane?: string): Promise<void> => {
    const at = lane === undefined ? 0 : open.findIndex((each) => each.lane === lane);
    for (const each of open.splice(at, 1)) each.end();
    await turn();
  };
  return { line, begun, lost, open, come, end };
}

test('lanes take turns: who comes after a crowd of others waits for the end of one work', async () => {
  const { begun, come, end } = stage(2);
  for (let at = 0; at < 1000; at++) come('flood');
  come('quiet');
  await turn();
  assert.deepEqual(begun, ['flood', 'flood']);
  await end();
  assert.deepEqual(begun, ['flood', 'flood', 'quiet']);
});

test('a lane whose work does not end takes one place while others wait', async () => {
  const { begun, come, end } = stage(2);
  for (let at = 0; at < 10; at++) come('slow');
  come('a');
  await turn();
  await end('slow');
  for (let at = 0; at < 20; at++) {
    come(at % 2 === 0 ? 'b' : 'c');
    await end(begun.at(-1));
  }
  assert.equal(begun.filter((lane) => lane === 'slow').length, 2);
});

test('a lane takes no more than its share, and in a full line its last give way to those who have fewer', async () => {
  const { come, lost } = stage(2);
  for (const lane of ['a', 'b', 'c', 'd']) {
    for (let at = 0; at < 1024; at++) assert.ok(come(lane));
    assert.ok(!come(lane));
  }
  await turn();
  assert.deepEqual(lost, []);
  for (let at = 0; at < 2000; at++) assert.ok(come(`newcomer-${at}`));
  await turn();
  assert.equal(lost.length, 2000);
  for (const lane of ['a', 'b', 'c', 'd']) {
    const count = lost.filter((each) => each === lane).length;
    assert.ok(count >= 499 && count <= 501, `${lane} lost ${count}`);
  }
});

test('where everybody has as little, who comes last finds no room', async () => {
  const { come, lost } = stage(1, 100);
  for (let at = 0; at < 100; at++) assert.ok(come(`lane-${at}`));
  assert.ok(!come('late'));
  await turn();
  assert.deepEqual(lost, []);
});

test('who leaves makes room', async () => {
  const { come, end, open } = stage(1, 4, 2);
  assert.ok(come('a'));
  assert.ok(come('a'));
  assert.ok(!come('a'));
  await turn();
  await end();
  assert.ok(come('a'));
  while (open.length > 0) await end();
  assert.ok(come('a'));
  assert.ok(come('a'));
});

test('work that fails gives its place back', async () => {
  const line = new FairLine({ places: 1, waiting: 4, perLane: 4 });
  const ticket = line.enter('a');
  assert.ok(ticket);
  await assert.rejects(ticket.pass(() => Promise.reject(new Error('no'))));
  assert.equal(await line.enter('b')?.pass(async () => 'done'), 'done');
});

test('in a rush everybody goes, and later ones wait for their turn again', async () => {
  const { line, begun, come, end, open } = stage(2, 100);
  for (let at = 0; at < 10; at++) come(`lane-${at}`);
  line.rush();
  await turn();
  assert.equal(begun.length, 10);
  come('late');
  await turn();
  assert.equal(begun.length, 10);
  while (open.length > 1) await end();
  assert.equal(begun.at(-1), 'late');
});
