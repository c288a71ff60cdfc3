import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FaultStage, openFaultStage } from '../support/fault-stage.ts';
import { until } from '../support/story.ts';
import { endState, type Subject, untilSynced } from '../support/ten-waves.ts';

let faults: FaultStage;
let calm: unknown;

before(async () => {
  faults = await openFaultStage('writers');
  await faults.startController();
  const subject = await faults.begin('calm');
  await faults.proveCalm(subject);
  calm = objectsOf(await endState(subject));
});

after(() => faults?.stop());

const objectsOf = (state: unknown): unknown => (state as { objects: unknown }).objects; // of `endState`
const made = ({ name }: Subject): (string | undefined)[] => byController(name, ({ code }) => code === 201);
const deleted = ({ name }: Subject): (string | undefined)[] =>
  byController(name, ({ code, verb }) => verb.startsWith('delete') && code < 300);

function byController(name: string, counts: (write: { verb: string; code: number }) => boolean): string[] {
  return faults.stage
    .writes('configmaps', 'writers-shop')
    .filter(({ userAgent, objectRef }) => userAgent === 'argosy/test' && objectRef?.name?.startsWith(`${name}-`))
    .filter(({ verb, responseStatus }) => counts({ verb, code: responseStatus?.code ?? 0 }))
    .map(({ objectRef }) => objectRef?.name?.slice(name.length + 1) ?? '');
}

const untilObjects = (subject: Subject): Promise<unknown> =>
  until(
    async () => JSON.stringify(objectsOf(await endState(subject))),
    (found) => found === JSON.stringify(calm),
    240_000,
  );

test('fields that another manager takes in the middle of a sync are put right', async () => {
  const { subject, release } = await faults.beginHeldAt('fields', 'w6');
  await faults.stage.apply(
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fields-w2, namespace: writers-shop}\ndata: {text: other}\n',
  );
  release();
  await untilObjects(subject);
  await untilSynced(subject);
  assert.deepEqual(deleted(subject), ['old', 'mid']);
  assert.deepEqual(
    made(subject).filter((part) => ['pre', 'mid', 'post'].includes(part ?? '')),
    ['pre', 'mid', 'post'],
  );
});

test('what somebody deletes right after it was applied is made again, and nothing else', async () => {
  const { subject, release } = await faults.beginHeldAt('deleted', 'w6');
  await faults.stage.remove('ConfigMap', 'writers-shop', 'deleted-w2');
  release();
  await untilObjects(subject);
  await untilSynced(subject);
  assert.deepEqual(deleted(subject), ['old', 'mid']);
  const parts = made(subject);
  assert.deepEqual(
    parts.filter((part) => part !== 'w2'),
    [...new Set(parts)].filter((part) => part !== 'w2'),
    'something else was made twice',
  );
  assert.equal(parts.filter((part) => part === 'w2').length, 2);
});

test('an object that took the place of one to be pruned is left alone', async () => {
  const { subject, release } = await faults.beginHeldAt('replaced', 'old');
  // Of the same name, not marked as the Application's: the delete on its way meant another one.
  await faults.stage.remove('ConfigMap', 'writers-shop', 'replaced-old');
  await faults.stage.apply(
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: replaced-old, namespace: writers-shop}\n',
  );
  release();
  await untilSynced(subject);
  assert.deepEqual(deleted(subject), ['mid']);
  assert.notEqual(await faults.stage.get('ConfigMap', 'writers-shop', 'replaced-old'), undefined);
});
