import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArgosyError } from '../core/errors/index.ts';
import { type Json, stringAt } from '../core/json/index.ts';
import type { KubeObject } from '../core/objects/index.ts';
import { eventWriter } from './events.ts';
import type { EventNote, Writer } from './types.ts';

const about = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'web', namespace: 'team-a', uid: 'u' },
};
const note = (change: Partial<EventNote> = {}): EventNote => ({
  type: 'Normal',
  reason: 'Synced',
  message: 'done',
  about,
  ...change,
});

function recorder(fail: (verb: string) => Error | undefined = () => undefined) {
  const calls: { verb: string; body: Json; name: string }[] = [];
  const run = (verb: string, name: string, body: unknown): Promise<KubeObject> => {
    calls.push({ verb, name, body: body as Json });
    const error = fail(verb);
    return error === undefined ? Promise.resolve(body as KubeObject) : Promise.reject(error);
  };
  const writer: Pick<Writer, 'create' | 'patch'> = {
    create: (_, object) => run('create', object.metadata.name ?? '', object),
    patch: (_, __, name, ___, body) => run('patch', name, body),
  };
  return { calls, writer };
}

test('notes that say the same become one Event with a count', async () => {
  const { calls, writer } = recorder();
  let now = 1_000_000;
  const events = eventWriter(writer, { component: 'argosy', now: () => now });
  for (let turn = 0; turn < 3; turn++) events.write(note());
  events.write(note({ reason: 'Other' }));
  await events.flush();
  assert.deepEqual(calls.map(({ verb }) => verb).toSorted(), ['create', 'create', 'patch', 'patch']);
  const same = calls.filter(({ name }) => name === calls[0]?.name);
  assert.deepEqual(
    same.map(({ body }) => (body as { count?: number }).count),
    [1, 2, 3],
  );
  now += 11 * 60_000;
  events.write(note());
  await events.flush();
  assert.equal(calls.at(-1)?.verb, 'create', 'after the window it is news again');
});

test('an Event names its object and its time, and stays within the size the API takes', async () => {
  const { calls, writer } = recorder();
  const events = eventWriter(writer, { component: 'argosy', now: () => 0 });
  events.write(note({ message: 'x'.repeat(5000) }));
  await events.flush();
  const body = calls[0]?.body as { [key: string]: Json };
  assert.deepEqual(body['involvedObject'], {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    name: 'web',
    namespace: 'team-a',
    uid: 'u',
    resourceVersion: '',
  });
  assert.equal(body['firstTimestamp'], '1970-01-01T00:00:00Z');
  assert.equal(stringAt(body, 'message')?.length, 1024);
});

test('an Event that expired is written anew; one that cannot be written is lost, quietly', async () => {
  const lost: string[] = [];
  const gone = recorder((verb) => (verb === 'patch' ? new ArgosyError('kube-not-found', 'gone') : undefined));
  const events = eventWriter(gone.writer, {
    component: 'argosy',
    now: () => 0,
    onLost: (error) => lost.push(error.message),
  });
  events.write(note());
  events.write(note());
  await events.flush();
  assert.deepEqual(
    gone.calls.map(({ verb }) => verb),
    ['create', 'patch', 'create'],
  );
  const broken = eventWriter(recorder(() => new Error('no')).writer, {
    component: 'a',
    now: () => 0,
    onLost: (error) => lost.push(error.message),
  });
  for (let turn = 0; turn < 300; turn++) broken.write(note({ message: String(turn) }));
  await broken.flush();
  assert.equal(lost.length, 300);
});

test('in a rush few Events are under way at once, none is lost, and the end waits for no line', async () => {
  const open: (() => void)[] = [];
  const begin = (): Promise<KubeObject> =>
    new Promise((resolve) => {
      open.push(() => resolve({ apiVersion: 'v1', kind: 'Event', metadata: {} }));
    });
  const events = eventWriter({ create: begin, patch: begin }, { component: 'argosy', now: () => 0 });
  for (let turn = 0; turn < 1000; turn++) events.write(note({ message: `note ${turn}` }));
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  await turn();
  assert.equal(open.length, 2);
  open.splice(0, 1)[0]?.();
  await turn();
  assert.equal(open.length, 2);
  const flushed = events.flush();
  await turn();
  assert.equal(open.length, 999);
  for (const end of open.splice(0)) end();
  await flushed;
});

test('a namespace in a rush costs another neither its turn nor its Events', async () => {
  const open: (() => void)[] = [];
  const begun: string[] = [];
  const begin = (object: KubeObject): Promise<KubeObject> => {
    begun.push(object.metadata.namespace ?? '');
    return new Promise((resolve) => open.push(() => resolve(object)));
  };
  const lost: string[] = [];
  const events = eventWriter(
    { create: (_, object) => begin(object), patch: () => Promise.reject(new Error('nothing is told twice')) },
    { component: 'argosy', now: () => 0, onLost: ({ message }) => lost.push(message) },
  );
  const tell = (namespace: string, at: number): void =>
    events.write(note({ message: `note ${at}`, about: { ...about, metadata: { ...about.metadata, namespace } } }));
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  for (let at = 0; at < 5000; at++) tell('flood', at);
  tell('quiet', 0);
  await turn();
  assert.equal(lost.length, 5000 - 4096);
  assert.ok(lost.every((message) => message.includes('flood')));
  open.shift()?.();
  await turn();
  assert.deepEqual(begun, ['flood', 'flood', 'quiet']);
  const delivered = events.deliver(note({ about: { ...about, metadata: { ...about.metadata, namespace: 'third' } } }));
  for (let ended = 0; ended < 2; ended++) {
    await turn();
    open.shift()?.();
  }
  await turn();
  assert.deepEqual(begun.slice(3), ['flood', 'third']);
  open.pop()?.();
  await delivered;
  const flushed = events.flush();
  await turn();
  for (const end of open.splice(0)) end();
  await flushed;
});
