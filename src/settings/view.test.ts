import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../core/objects/index.ts';
import { View } from './view.ts';

const object = (name: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'n', resourceVersion },
});

interface Seen {
  readonly view: View<string>;
  readonly told: string[];
}

function stage(isFinal?: (value: string) => boolean): Seen {
  const told: string[] = [];
  const view: View<string> = new View<string>({
    keep: ({ metadata }, before) => {
      told.push(`keep ${metadata.name} ${before ?? '-'}`);
      return metadata.name === 'nothing' ? undefined : `${metadata.name}@${metadata.resourceVersion}`;
    },
    onDrop: (value) => told.push(`drop ${value}`),
    onChange: () => told.push(`change [${[...view.entries()].map(([, value]) => value).join(' ')}]`),
    onBroken: (error) => told.push(`broken ${error.message}`),
    ...(isFinal === undefined ? {} : { isFinal }),
  });
  return { view, told };
}

test('half a list is not acted on', () => {
  const { view, told } = stage();
  view.restart();
  view.upsert(object('a', '1'));
  assert.equal(view.isWhole, false);
  assert.deepEqual(told, ['keep a -']);
  view.complete();
  assert.deepEqual(told, ['keep a -', 'change [a@1]']);
  assert.equal(view.isWhole, true);
});

test('an empty list is an answer', () => {
  const { view, told } = stage();
  view.restart();
  view.complete();
  assert.deepEqual(told, ['change []']);
});

test('what a new list does not name goes when it is complete, not before', () => {
  const { view, told } = stage();
  view.restart();
  for (const name of ['a', 'b']) view.upsert(object(name, '1'));
  view.complete();
  told.length = 0;
  view.restart();
  view.upsert(object('a', '1'));
  assert.equal(view.get('n/b'), 'b@1');
  view.complete();
  assert.deepEqual(told, ['drop b@1', 'change [a@1]'], 'a did not change and was not read again');
});

test('a list that is begun again counts anew', () => {
  const { view } = stage();
  view.restart();
  view.upsert(object('a', '1'));
  view.restart();
  view.upsert(object('b', '1'));
  view.complete();
  assert.deepEqual([...view.entries()], [['n/b', 'b@1']]);
});

test('after the list every event counts at once; bookmarks say nothing', () => {
  const { view, told } = stage();
  view.restart();
  view.complete();
  told.length = 0;
  view.upsert(object('a', '1'));
  view.upsert(object('a', '1'));
  view.complete();
  view.upsert(object('a', '2'));
  view.remove(object('a', '3'));
  view.remove(object('a', '3'));
  assert.deepEqual(told, ['keep a -', 'change [a@1]', 'keep a a@1', 'change [a@2]', 'drop a@2', 'change []']);
});

test('a broken view keeps what it knew and tells of its recovery', () => {
  const { view, told } = stage();
  view.restart();
  view.upsert(object('a', '1'));
  view.complete();
  told.length = 0;
  assert.equal(view.broken(new Error('x')), 'retry');
  view.broken(new Error('x'));
  assert.equal(view.get('n/a'), 'a@1');
  assert.equal(view.error?.message, 'x');
  view.complete();
  assert.equal(view.error, undefined);
  assert.deepEqual(told, ['broken x', 'change [a@1]']);
});

test('a view that cannot be had is answered but not whole', () => {
  const { view } = stage();
  assert.equal(view.isAnswered, false);
  view.broken(new Error('x'));
  assert.equal(view.isAnswered, true);
  assert.equal(view.isWhole, false);
});

test('an object of which nothing is kept is gone', () => {
  const { view } = stage();
  view.restart();
  view.upsert(object('nothing', '1'));
  view.complete();
  assert.deepEqual([...view.entries()], []);
});

test('what is not final is read again though it did not change', () => {
  const { view, told } = stage(() => false);
  view.restart();
  view.complete();
  view.upsert(object('a', '1'));
  view.upsert(object('a', '1'));
  assert.equal(told.filter((line) => line.startsWith('keep')).length, 2);
});

test('a closed view takes in nothing and says nothing', () => {
  const { view, told } = stage();
  view.restart();
  view.upsert(object('a', '1'));
  view.complete();
  told.length = 0;
  view.close();
  view.upsert(object('b', '1'));
  view.remove(object('a', '1'));
  view.broken(new Error('x'));
  view.complete();
  assert.deepEqual([...view.entries()], [['n/a', 'a@1']]);
  assert.deepEqual(told, []);
});
