import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Repository } from './repository.ts';
import { createRepositoryWatcher, type PollOutcome } from './watcher.ts';

/** A clock that is moved by hand. */
function createClock() {
  let now = 0;
  const timers = new Set<{ at: number; act: () => void }>();
  return {
    now: () => now,
    timers,
    after: (ms: number, act: () => void) => {
      const timer = { at: now + ms, act };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async advance(ms: number) {
      const end = now + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        now = next.at;
        timers.delete(next);
        next.act();
        await setImmediate();
      }
      now = end;
    },
  };
}

function setUp(interval = 100) {
  const clock = createClock();
  const looks: number[] = [];
  let answer: () => Promise<{ changed: boolean }> = async () => ({ changed: false });
  // Only what the watcher uses of a repository.
  const repository = {
    url: 'https://git.example/team/app.git',
    fetch: () => {
      looks.push(clock.now());
      return answer();
    },
  } as unknown as Repository;
  const watcher = createRepositoryWatcher({
    ...clock,
    intervalMs: () => interval,
    jitterMs: () => 20,
    minGapMs: 10,
    random: () => 0.5,
  });
  const answerWith = (next: typeof answer): void => {
    answer = next;
  };
  return { clock, looks, repository, watcher, answerWith };
}

test('looks at once and then every interval with its jitter, once for all listeners', async () => {
  const { clock, looks, repository, watcher } = setUp();
  const heard: PollOutcome[] = [];
  const stops = [1, 2, 3].map(() => watcher.watch(repository, (outcome) => void heard.push(outcome)));
  await clock.advance(250);
  assert.deepEqual(looks, [0, 110, 220]);
  assert.equal(heard.length, 9);
  for (const stop of stops) stop();
  assert.equal(clock.timers.size, 0);
});

test('T-053: a thousand hints make one early look', async () => {
  const { clock, looks, repository, watcher } = setUp(1000);
  watcher.watch(repository, () => undefined);
  await clock.advance(50);
  for (let hint = 0; hint < 1000; hint += 1) assert.equal(watcher.notify({ urls: ['git@git.example:Team/app'] }), 1);
  await clock.advance(50);
  assert.deepEqual(looks, [0, 50]);
});

test('hints in a row wait for the least gap between looks', async () => {
  const { clock, looks, repository, watcher } = setUp(1000);
  watcher.watch(repository, () => undefined);
  for (let at = 0; at < 30; at += 1) {
    watcher.notify({ urls: ['https://git.example/team/app'] });
    await clock.advance(1);
  }
  assert.deepEqual(looks, [0, 10, 20, 30]);
});

test('a hint for an unknown repository does nothing', async () => {
  const { clock, looks, repository, watcher } = setUp(1000);
  watcher.watch(repository, () => undefined);
  await clock.advance(50);
  assert.equal(watcher.notify({ urls: ['https://git.example/other', 'nonsense', ''] }), 0);
  await clock.advance(50);
  assert.deepEqual(looks, [0]);
});

test('a hint while a look is under way brings another, as the first may have come too early', async () => {
  const { clock, looks, repository, watcher, answerWith } = setUp(1000);
  let release = (): void => undefined;
  answerWith(
    () =>
      new Promise((resolve) => {
        release = () => resolve({ changed: true });
      }),
  );
  watcher.watch(repository, () => undefined);
  await clock.advance(1);
  watcher.notify({ urls: [repository.url] });
  await clock.advance(1);
  assert.deepEqual(looks, [0]);
  release();
  await setImmediate();
  await clock.advance(20);
  assert.deepEqual(looks, [0, 10]);
  watcher.close();
});

test('a failed look is told and looked at again after the interval', async () => {
  const { clock, looks, repository, watcher, answerWith } = setUp();
  const heard: PollOutcome[] = [];
  answerWith(() => Promise.reject(new Error('down')));
  watcher.watch(repository, (outcome) => void heard.push(outcome));
  await clock.advance(120);
  assert.deepEqual([looks.length, heard.map(({ ok }) => ok)], [2, [false, false]]);
});

test('without an interval only hints make it look', async () => {
  const { clock, looks, repository, watcher } = setUp(0);
  watcher.watch(repository, () => undefined);
  await clock.advance(5000);
  watcher.notify({ urls: [repository.url] });
  await clock.advance(5000);
  assert.deepEqual(looks, [0, 5000]);
});
