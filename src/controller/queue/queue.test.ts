import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createQueue, type QueueClock } from './queue.ts';

/** A clock that only moves when told. */
function handClock(): QueueClock & { advance(ms: number): void } {
  let now = 0;
  const timers = new Set<{ at: number; run: () => void }>();
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      now += ms;
      for (const timer of [...timers].sort((a, b) => a.at - b.at)) {
        if (timer.at <= now && timers.delete(timer)) timer.run();
      }
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const tenantOf = (key: string): string => key.split('/')[0] ?? '';

test('a key added twice while waiting is worked on once', async () => {
  const seen: string[] = [];
  const queue = createQueue({ workers: 1, tenantOf, clock: handClock(), work: async (key) => void seen.push(key) });
  queue.add('a/1');
  queue.add('a/2');
  queue.add('a/2');
  await turn();
  assert.deepEqual(seen, ['a/1', 'a/2']);
});

test('a key whose tenant changes while it waits keeps its turn and is worked on once', async () => {
  const seen: string[] = [];
  let tenant = 'a';
  const gates: (() => void)[] = [];
  const queue = createQueue({
    workers: 1,
    tenantOf: () => tenant,
    clock: handClock(),
    work: async (key) => {
      seen.push(key);
      await new Promise<void>((resolve) => gates.push(resolve));
      return undefined;
    },
  });
  queue.add('1');
  queue.add('2');
  tenant = 'b';
  queue.add('2');
  assert.equal(queue.waiting, 1);
  for (let pass = 0; pass < 3; pass++) {
    await turn();
    gates.shift()?.();
  }
  await turn();
  assert.deepEqual(seen, ['1', '2']);
});

test('a key added while it is worked on is worked on exactly once more, never twice at a time', async () => {
  let active = 0;
  let passes = 0;
  const gates: (() => void)[] = [];
  const queue = createQueue({
    workers: 4,
    tenantOf,
    clock: handClock(),
    work: async () => {
      assert.equal(++active, 1);
      passes++;
      await new Promise<void>((resolve) => gates.push(resolve));
      active--;
      return undefined;
    },
  });
  queue.add('a/1');
  queue.add('a/1');
  queue.add('a/1');
  await turn();
  gates.shift()?.();
  await turn();
  gates.shift()?.();
  await turn();
  assert.equal(passes, 2);
});

test('one tenant with a hundred keys delays another by the running passes only', async () => {
  const order: string[] = [];
  const queue = createQueue({
    workers: 2,
    tenantOf,
    clock: handClock(),
    work: async (key) => {
      order.push(key);
      await turn();
      return undefined;
    },
  });
  for (let i = 0; i < 100; i++) queue.add(`noisy/${i}`);
  queue.add('quiet/1');
  for (let i = 0; i < 10; i++) await turn();
  assert.ok(order.indexOf('quiet/1') <= 3, `quiet came at ${order.indexOf('quiet/1')}`);
});

test('the earlier of two appointments stands, and an immediate one replaces both', async () => {
  const clock = handClock();
  let passes = 0;
  const queue = createQueue({ workers: 1, tenantOf, clock, work: async () => void passes++ });
  queue.addAfter('a/1', 1000);
  queue.addAfter('a/1', 500);
  queue.addAfter('a/1', 2000);
  clock.advance(500);
  await turn();
  assert.equal(passes, 1);
  clock.advance(5000);
  await turn();
  assert.equal(passes, 1);
});

test('a failing key backs off and an idle queue has no timer', async () => {
  const clock = handClock();
  const failures: number[] = [];
  let fail = true;
  const queue = createQueue({
    workers: 1,
    tenantOf,
    clock,
    onError: (_key, _error, count) => failures.push(count),
    work: async () => {
      if (fail) throw new Error('no');
      return undefined;
    },
  });
  queue.add('a/1');
  await turn();
  clock.advance(1000);
  await turn();
  fail = false;
  clock.advance(2000);
  await turn();
  assert.deepEqual(failures, [1, 2]);
  assert.equal(queue.waiting + queue.running, 0);
});

test('what failed by something that is over is tried again now, from the beginning and as one of the timers', async () => {
  const clock = handClock();
  const passes: string[] = [];
  const queue = createQueue({
    workers: 20,
    tenantOf,
    clock,
    work: async (key, failures) => {
      passes.push(`${key} ${failures}`);
      if (key.includes('away')) throw new Error('no');
      return undefined;
    },
  });
  for (const key of ['a/away', 'b/away', 'a/fine']) queue.add(key);
  await turn();
  clock.advance(1000);
  await turn();
  passes.length = 0;
  queue.retry((key) => key.startsWith('a/'));
  await turn();
  assert.deepEqual(passes, ['a/away 0']);
  // Its failures count from one again, those of the other go on.
  clock.advance(1000);
  await turn();
  assert.deepEqual(passes.slice(1), ['a/away 1']);
  clock.advance(1000);
  await turn();
  assert.deepEqual(passes.slice(2), ['b/away 2']);
});

test('however many are tried again at once, what somebody changes is begun at once', async () => {
  const clock = handClock();
  let isAway = true;
  const begun: string[] = [];
  const queue = createQueue({
    workers: 20,
    tenantOf,
    clock,
    work: async (key) => {
      if (isAway) throw new Error('no');
      begun.push(key);
      return new Promise(() => undefined);
    },
  });
  for (let i = 0; i < 100; i++) queue.add(`a/${i}`);
  for (let i = 0; i < 20; i++) await turn();
  isAway = false;
  queue.retry(() => true);
  queue.add('a/changed');
  queue.add('b/1');
  await turn();
  assert.deepEqual(begun.slice(-2), ['a/changed', 'b/1']);
  assert.equal(begun.length, 4 + 2);
});

test('stop waits for what runs and takes nothing more', async () => {
  let open: () => void = () => undefined;
  const queue = createQueue({
    workers: 1,
    tenantOf,
    clock: handClock(),
    work: () => new Promise((resolve) => (open = () => resolve(undefined))),
  });
  queue.add('a/1');
  const stopped = queue.stop();
  queue.add('a/2');
  open();
  await stopped;
  assert.equal(queue.running, 0);
});

test('passes that wait for what does not answer, however many, keep no place from others', async () => {
  const clock = handClock();
  const begun: string[] = [];
  const queue = createQueue({
    workers: 4,
    perTenant: 3,
    patienceMs: 100,
    tenantOf,
    clock,
    work: async (key) => {
      begun.push(key);
      if (!key.startsWith('quiet/')) await queue.outside(key, () => new Promise(() => undefined));
      return undefined;
    },
  });
  for (let i = 0; i < 1000; i++) queue.add(`dead/${i}`);
  // No tenant holds every place: another's work begins at once.
  queue.add('quiet/1');
  await turn();
  assert.deepEqual(begun, ['dead/0', 'dead/1', 'dead/2', 'quiet/1']);
  // Two dead tenants hold them all, and lend them as soon as they have waited long enough.
  for (let i = 0; i < 1000; i++) queue.add(`gone/${i}`);
  await turn();
  begun.length = 0;
  queue.add('quiet/2');
  await turn();
  assert.deepEqual(begun, []);
  clock.advance(100);
  await turn();
  assert.equal(begun[0], 'quiet/2');
  for (let i = 0; i < 1000; i++) clock.advance(100);
  await turn();
  // They are not begun without end either.
  assert.ok(queue.running >= 2 * 64 && queue.running <= 2 * (64 + 3), `${queue.running} are running`);
  queue.add('quiet/3');
  await turn();
  assert.equal(begun.at(-1), 'quiet/3');
});

test('passes that have lent their place go on only with one, and no more of them than there are', async () => {
  const clock = handClock();
  const answers: (() => void)[] = [];
  const ends: (() => void)[] = [];
  let [working, most] = [0, 0];
  const queue = createQueue({
    workers: 4,
    perTenant: 3,
    patienceMs: 100,
    tenantOf,
    clock,
    work: async (key) => {
      await queue.outside(key, () => new Promise<void>((resolve) => answers.push(resolve)));
      most = Math.max(most, ++working);
      await new Promise<void>((resolve) => ends.push(resolve));
      working--;
      return undefined;
    },
  });
  for (let i = 0; i < 20; i++) queue.add(`a/${i}`);
  for (let i = 0; i < 20; i++) clock.advance(100);
  assert.equal(answers.length, 20);
  for (const answer of answers) answer();
  for (let i = 0; i < 20; i++) {
    await turn();
    ends.shift()?.();
  }
  await turn();
  assert.equal(most, 3);
  assert.equal(queue.running + queue.waiting, 0);
});

test('a pass whose work is not answered lends its place in the end, and comes to its own as any other', async () => {
  const clock = handClock();
  let [passes, end] = [0, (): void => undefined];
  const queue = createQueue({
    workers: 1,
    patienceMs: 1,
    tenantOf,
    clock,
    work: (key) => {
      if (key !== 'a/1') return Promise.resolve(undefined);
      passes++;
      return new Promise((resolve) => (end = () => resolve(undefined)));
    },
  });
  queue.add('a/1');
  queue.add('b/1');
  await turn();
  assert.equal(queue.waiting, 1);
  clock.advance(60_000);
  await turn();
  assert.equal(queue.waiting, 0);
  queue.add('a/1');
  assert.equal(passes, 1);
  end();
  await turn();
  assert.equal(passes, 2);
  end();
  await turn();
  assert.equal(queue.running + queue.waiting, 0);
});

test('stop lets those go on who wait for a place', async () => {
  const clock = handClock();
  const answers: (() => void)[] = [];
  const queue = createQueue({
    workers: 1,
    patienceMs: 100,
    tenantOf,
    clock,
    work: async (key) => {
      await queue.outside(key, () => new Promise<void>((resolve) => answers.push(resolve)));
      return undefined;
    },
  });
  queue.add('a/1');
  clock.advance(100);
  queue.add('b/1');
  await turn();
  answers[0]?.();
  await turn();
  const stopped = queue.stop();
  answers[1]?.();
  await stopped;
  assert.equal(queue.running, 0);
});

test('what only a timer asks for takes few places, and waits for no event', async () => {
  const clock = handClock();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const queue = createQueue({
    workers: 20,
    tenantOf,
    clock,
    work: (key) => {
      begun.push(key);
      return new Promise((resolve) => ends.push(() => resolve(undefined)));
    },
  });
  for (let i = 0; i < 30; i++) queue.addAfter(`a/loop-${i}`, 1000);
  clock.advance(1000);
  assert.equal(queue.running, 4);
  // Something happened to these: they wait for no timer, and one of them waited as a loop before.
  queue.add('a/changed');
  queue.add('a/loop-29');
  assert.deepEqual(begun.slice(4), ['a/changed', 'a/loop-29']);
  // Changes without end do not keep the loops from their turn.
  for (let i = 0; i < 200; i++) queue.add(`a/${i}`);
  for (let i = 0; i < 100; i++) {
    ends.shift()?.();
    await turn();
  }
  const loops = begun.slice(6).filter((key) => key.startsWith('a/loop')).length;
  assert.ok(loops >= 15, `${loops} of ${begun.length - 6}`);
  for (let i = 0; i < 400; i++) {
    ends.shift()?.();
    await turn();
  }
  assert.equal(begun.length, 30 + 1 + 200);
  assert.equal(queue.running + queue.waiting, 0);
});
