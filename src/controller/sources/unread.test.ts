import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseApplication } from '../../core/api/index.ts';
import { ArgosyError } from '../../core/errors/index.ts';
import type { Json } from '../../core/json/index.ts';
import { hasNewSources, saysNothing, Unreads } from './unread.ts';

const graceMs = 180_000;

function unreads(): { all: Unreads; at: (ms: number) => void } {
  let now = 1_000_000;
  const all = new Unreads({ now: () => now, graceMs: () => graceMs, againMs: () => 10_000 });
  return { all, at: (ms) => (now = 1_000_000 + ms) };
}

const unreachable = new ArgosyError('git-unreachable', 'the server cannot be reached');
const repository = { error: unreachable, since: 1_000_000, asked: false, seen: '\n', passes: true };
const render = {
  error: new ArgosyError('render-failed', 'no such key'),
  since: undefined,
  asked: false,
  seen: 'abc',
  passes: false,
};

test('a repository that cannot be read goes unsaid during the grace period, and is said after it', () => {
  const { all, at } = unreads();
  const first = all.note('a/b', repository);
  assert.deepEqual([first.unread.told, first.lookAt], [false, 1_000_000 + graceMs]);
  at(graceMs - 1);
  assert.equal(all.note('a/b', repository).unread.told, false);
  assert.deepEqual(all.due(['a/b']), []);
  at(graceMs);
  assert.deepEqual(all.due(['a/b', 'c/d']), ['a/b']);
  const later = all.note('a/b', repository);
  assert.deepEqual([later.unread.told, later.unread.since, later.lookAt], [true, 1_000_000, Number.POSITIVE_INFINITY]);
  assert.match(later.unread.message, /^the server cannot be reached; not readable since 1970-01-01T00:16:40Z, /);
});

test('what somebody asks for is said at once, and stays said', () => {
  const { all } = unreads();
  assert.equal(all.note('a/b', { ...repository, asked: true }).unread.told, true);
  assert.equal(all.note('a/b', repository).unread.told, true);
  all.forget('a/b');
  assert.equal(all.note('a/b', repository).unread.told, false);
});

test('what was read and cannot be rendered is said at once, in the words of now', () => {
  const { all } = unreads();
  assert.match(all.note('a/b', render).unread.message, /^no such key;/);
  const other = { ...render, error: new ArgosyError('render-failed', 'another key') };
  const { unread, lookAt } = all.note('a/b', other);
  assert.deepEqual([unread.told, lookAt], [true, Number.POSITIVE_INFINITY]);
  assert.match(unread.message, /^another key;/);
});

test('what the outside has caused is tried again, ever more rarely, and keeps its first words', () => {
  const { all, at } = unreads();
  const late = { ...render, passes: true, error: new ArgosyError('spawn-deadline', 'helm ran for 61 s') };
  assert.equal(all.note('a/b', late).lookAt, 1_010_000);
  at(10_000);
  assert.deepEqual(all.due(['a/b']), ['a/b']);
  const again = all.note('a/b', { ...late, error: new ArgosyError('spawn-deadline', 'helm ran for 62 s') });
  assert.equal(again.lookAt, 1_030_000);
  assert.match(again.unread.message, /61 s/);
  for (let tries = 0; tries < 20; tries++) all.note('a/b', { ...late, asked: true });
  assert.equal(all.note('a/b', late).lookAt, 1_010_000 + 300_000);
});

test('those who wait to know their cluster are told apart', () => {
  const { all } = unreads();
  all.note('a/b', render);
  all.note('c/d', { ...render, error: new ArgosyError('unknown', 'what the cluster can do is not known') });
  assert.deepEqual(all.waitingToKnow(), ['c/d']);
});

test('trying again is in vain as long as the sources lead to the same', () => {
  const { all } = unreads();
  all.note('a/b', render);
  assert.equal(all.isInVain('a/b', 'abc'), true);
  assert.equal(all.isInVain('a/b', 'def'), false);
  assert.equal(all.isInVain('c/d', 'abc'), false);
});

test('sources are new when they are not those of the last comparison', () => {
  const source = { repoURL: 'https://example.com/a', path: 'x' };
  const app = (spec: object, comparedTo: object | undefined): boolean => {
    const parsed = parseApplication({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'a', namespace: 'b' },
      spec: { project: 'p', destination: { server: 'https://example.com' }, ...spec },
      ...(comparedTo === undefined ? {} : { status: { sync: { status: 'Synced', comparedTo } } }),
    } as unknown as Json);
    assert.ok(parsed.ok);
    return hasNewSources(parsed.value);
  };
  assert.equal(app({ source }, undefined), true);
  assert.equal(app({ source }, { source, destination: { server: 'https://example.com' } }), false);
  assert.equal(app({ source: { ...source, path: 'y' } }, { source }), true);
  assert.equal(app({ sources: [source] }, { sources: [source] }), false);
  assert.equal(app({ sources: [source] }, { source }), true);
});

test('only a status that says something is worth a grace period', () => {
  const app = (sync: Json): boolean => {
    const parsed = parseApplication({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'shop', namespace: 'team-a' },
      spec: { project: 'team-a', destination: {} },
      status: { sync },
    });
    assert.ok(parsed.ok);
    return saysNothing(parsed.value);
  };
  assert.equal(app({ status: 'Unknown' }), true);
  assert.equal(app({ status: 'Synced' }), false);
  assert.equal(app({ status: 'OutOfSync' }), false);
});
