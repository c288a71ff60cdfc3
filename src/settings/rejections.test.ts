import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Rejection, Rejections } from './rejections.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function rejection(namespace: string, name: string, reason = 'no'): Rejection {
  return { about: { apiVersion: 'v1', kind: 'Secret', namespace, name, uid: `${namespace}/${name}` }, reason };
}

/** Whoever tells refusals, and who was told so far; each takes until it is let go. */
function stage() {
  const told: string[] = [];
  const open = new Map<string, () => void>();
  const rejections = new Rejections({
    invalid: () => undefined,
    unreadable: () => undefined,
    counted: () => undefined,
    rejected: ({ namespace, name }) => {
      told.push(`${namespace}/${name}`);
      return new Promise((resolve) => open.set(namespace, resolve));
    },
  });
  const letGo = async (namespace: string): Promise<void> => {
    open.get(namespace)?.();
    open.delete(namespace);
    await turn();
  };
  return { told, open, rejections, letGo };
}

test('a namespace is told one refusal at a time, and one that is slow to tell holds up no other', async () => {
  const { told, rejections, letGo } = stage();
  const all = ['1', '2', '3'].flatMap((name) => [rejection('slow', name), rejection('quick', name)]);
  rejections.update(all);
  await turn();
  await letGo('quick');
  await letGo('quick');
  assert.deepEqual(told, ['slow/1', 'quick/1', 'quick/2', 'quick/3']);
  rejections.update(all);
  await letGo('slow');
  assert.equal(told.at(-1), 'slow/2');
});

test('of very many namespaces some are told at once and all in the end, once each', async () => {
  const { told, open, rejections, letGo } = stage();
  const all = Array.from({ length: 300 }, (_, at) => [rejection(`n-${at}`, 'a'), rejection(`n-${at}`, 'b')]).flat();
  rejections.update(all);
  await turn();
  assert.equal(open.size, 64);
  const settled = rejections.settled();
  while (open.size > 0) await letGo([...open.keys()][0] ?? '');
  await settled;
  assert.equal(told.length, 600);
  assert.equal(new Set(told).size, 600);
  assert.equal(new Set(told.slice(0, 300)).size, 300);
  assert.ok(
    told.slice(0, 300).every((each) => each.endsWith('/a')),
    'namespaces did not take turns',
  );
});

test('a refusal that is gone before its turn is not told, and nobody is told after the end', async () => {
  const { told, rejections, letGo } = stage();
  rejections.update([rejection('a', '1'), rejection('a', '2'), rejection('a', '3')]);
  await turn();
  rejections.update([rejection('a', '1'), rejection('a', '3')]);
  await letGo('a');
  assert.deepEqual(told, ['a/1', 'a/3']);
  rejections.update([rejection('a', '4')]);
  rejections.stop();
  await letGo('a');
  await rejections.settled();
  assert.equal(told.length, 2);
});
