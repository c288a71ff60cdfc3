import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArgosyError } from '../../core/errors/index.ts';
import { Answers, Closeups, refusedForMs } from './closeup.ts';

const answer = (value: string, good = true) => Promise.resolve({ value, good });
const never = (): never => assert.fail('it was asked again');

test('an answer is good as long as its token, and asked for again after that', async () => {
  const answers = new Answers<string>(() => 0);
  assert.equal(await answers.recall('a', '1', () => answer('one')), 'one');
  assert.equal(await answers.recall('a', '1', never), 'one');
  assert.equal(await answers.recall('a', '2', () => answer('two')), 'two');
  assert.equal(await answers.recall('a', '2', never), 'two');
});

test('an answer that does not belong to its token is used once', async () => {
  const answers = new Answers<string>(() => 0);
  assert.equal(await answers.recall('a', '1', () => answer('early', false)), 'early');
  assert.equal(await answers.recall('a', '1', () => answer('right')), 'right');
});

test('a refusal is good for a while, and then asked for again', async () => {
  let now = 0;
  const answers = new Answers<string>(() => now);
  const refused = new ArgosyError('kube-forbidden', 'no');
  await assert.rejects(
    answers.recall('a', '1', () => Promise.reject(refused)),
    refused,
  );
  await assert.rejects(answers.recall('a', '1', never), refused);
  now = refusedForMs;
  assert.equal(await answers.recall('a', '1', () => answer('yes')), 'yes');
});

test('a mistake of ours is not remembered', async () => {
  const answers = new Answers<string>(() => 0);
  await assert.rejects(answers.recall('a', '1', () => Promise.reject(new TypeError('ours'))));
  assert.equal(await answers.recall('a', '1', () => answer('one')), 'one');
});

test('what is no longer asked for is forgotten, as is an Application that went', async () => {
  const closeups = new Closeups(() => 0);
  const { versions } = closeups.of('team/shop');
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} };
  let asked = 0;
  const ask = () => {
    asked++;
    return Promise.resolve({ value: object, good: true });
  };
  await versions.recall('a', '1', ask);
  closeups.of('team/shop').keepOnly(['b']);
  await versions.recall('a', '1', ask);
  closeups.forget('team/shop');
  await closeups.of('team/shop').versions.recall('a', '1', ask);
  assert.equal(asked, 3);
});
