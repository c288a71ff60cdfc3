import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArgosyError } from '../../core/errors/index.ts';
import type { Followed } from './followed.ts';
import { createMirrors, type Mirrors, type Read } from './mirrors.ts';

type Answer = 'same' | 'changed' | ArgosyError;

interface Stage {
  readonly mirrors: Mirrors;
  readonly told: string[];
  readonly read: Read;
  readonly fetches: () => number;
  answer: Answer;
  settings: number;
}

/** One repository that answers as it is told to. */
function stage(pollMs: number): Stage {
  let fetches = 0;
  const told: string[] = [];
  const unused = (): never => assert.fail('nobody reads it here');
  const followed: Followed = {
    fetch: async () => {
      fetches++;
      if (all.answer instanceof ArgosyError) throw all.answer;
      return { changed: all.answer === 'changed' };
    },
    resolve: unused,
    treeIds: unused,
    tree: unused,
  } as unknown as Followed; // only news are asked for
  const source = { repoURL: 'https://example.com/a' };
  const input = { source, url: source.repoURL, scope: '', revision: 'HEAD', path: '' };
  const all: Stage = {
    told,
    read: { input, open: () => followed },
    fetches: () => fetches,
    answer: 'changed',
    settings: 1,
    mirrors: createMirrors({
      pollMs: () => pollMs,
      random: () => 0.5,
      now: Date.now,
      settingsRevision: () => all.settings,
      onNews: async (users) => void told.push(`news ${users.join()}`),
      onFailed: (users) => void told.push(`failed ${users.join()}`),
      onDue: (users) => void told.push(`due ${users.join()}`),
    }),
  };
  return all;
}

async function until(good: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!good()) {
    assert.ok(Date.now() < deadline);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

const unreachable = new ArgosyError('git-unreachable', 'no answer');

test('a repository is asked once for all, and again only for those who insist', async () => {
  const all = stage(0);
  all.mirrors.follow('a', [all.read]);
  all.mirrors.follow('b', [all.read]);
  assert.equal(await all.mirrors.ask(all.read), undefined);
  assert.equal(await all.mirrors.ask(all.read), undefined);
  assert.deepEqual([all.fetches(), all.told], [1, []]);
  await all.mirrors.ask(all.read, 'normal');
  assert.deepEqual([all.fetches(), all.told], [2, ['news a,b']]);
  all.answer = 'same';
  await all.mirrors.poll('https://example.com/a');
  await all.mirrors.poll('https://example.com/other');
  assert.deepEqual([all.fetches(), all.told], [3, ['news a,b']]);
  all.mirrors.stop();
});

test('a failure is told once for each cause, tried by itself, and its end is news', async () => {
  const all = stage(5);
  all.mirrors.follow('a', [all.read]);
  all.answer = unreachable;
  const trouble = await all.mirrors.ask(all.read);
  assert.equal(trouble?.error, unreachable);
  await until(() => all.fetches() > 3);
  assert.deepEqual(all.told, ['failed a']);
  const later = await all.mirrors.ask(all.read);
  assert.deepEqual([later?.since, later?.error], [trouble?.since, unreachable]);
  all.answer = new ArgosyError('git-auth', 'who are you');
  await until(() => all.told.length > 1);
  all.answer = 'same';
  await until(() => all.told.length > 2);
  assert.deepEqual(all.told, ['failed a', 'failed a', 'news a']);
  assert.equal(await all.mirrors.ask(all.read), undefined);
  all.mirrors.stop();
});

test('while it fails nobody asks again, unless the settings have changed since', async () => {
  const all = stage(60_000);
  all.mirrors.follow('a', [all.read]);
  all.answer = unreachable;
  for (let passes = 0; passes < 3; passes++) await all.mirrors.ask(all.read);
  assert.equal(all.fetches(), 1);
  all.settings++;
  for (let passes = 0; passes < 3; passes++) await all.mirrors.ask(all.read);
  assert.equal(all.fetches(), 2);
  all.mirrors.stop();
});

test('a time that somebody waits for is told to the users of the repository', async () => {
  const all = stage(0);
  all.mirrors.follow('a', [all.read]);
  all.mirrors.lookAt(all.read.input, Date.now() + 60_000);
  all.mirrors.lookAt(all.read.input, Date.now() + 5);
  await until(() => all.told.length > 0);
  assert.deepEqual([all.told, all.fetches()], [['due a'], 0]);
  all.mirrors.stop();
});

test('a repository that nobody reads any more is forgotten', async () => {
  const all = stage(5);
  all.mirrors.follow('a', [all.read]);
  all.mirrors.follow('b', [all.read]);
  all.mirrors.follow('a', []);
  assert.deepEqual(all.mirrors.inUse(), [all.read.input]);
  all.mirrors.follow('b', []);
  assert.equal(all.mirrors.inUse().length, 0);
  all.mirrors.stop();
});
