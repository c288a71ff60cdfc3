import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArgosyError } from '../core/errors/index.ts';
import { type Admission, createMetricsLogin } from './metrics-login.ts';

function opened(answers: Readonly<Record<string, boolean | ArgosyError>>) {
  const asked: string[] = [];
  let time = 1_000_000;
  const login = createMetricsLogin({
    now: () => time,
    ask: (token) => {
      asked.push(token);
      const answer = answers[token];
      return answer instanceof ArgosyError ? Promise.reject(answer) : Promise.resolve(answer);
    },
  });
  const as = (token: string, address = '10.0.0.1'): Promise<Admission> =>
    login.admit({ authorization: `Bearer ${token}`, address });
  const pass = (ms: number): void => {
    time += ms;
  };
  return { login, asked, as, pass };
}

test('each token is judged by what the cluster says of its bearer', async () => {
  const { as, login } = opened({ good: true, poor: false, down: new ArgosyError('kube-unreachable', 'no connection') });
  assert.equal(await as('good'), 'allowed');
  assert.equal(await as('poor'), 'denied');
  assert.equal(await as('nobody'), 'unknown caller');
  assert.equal(await as('down'), 'no answer');
  for (const authorization of [undefined, '', 'Basic Z29vZA==', 'Bearer', 'Bearer good good', 'Bearer g\u00fct'])
    assert.equal(await login.admit({ authorization, address: '10.0.0.1' }), 'unknown caller');
});

test('an answer holds for a short time, and a right that was taken away ends with it', async () => {
  const answers: Record<string, boolean> = { good: true };
  const { as, asked, pass } = opened(answers);
  for (let scrape = 0; scrape < 5; scrape++) assert.equal(await as('good'), 'allowed');
  assert.deepEqual(asked, ['good']);
  answers['good'] = false;
  pass(60_000);
  assert.equal(await as('good'), 'denied');
  answers['good'] = true;
  pass(10_000);
  assert.equal(await as('good'), 'allowed');
});

test('many who ask with one token at once are one question', async () => {
  const { as, asked } = opened({ good: true });
  const answers = await Promise.all(Array.from({ length: 50 }, () => as('good')));
  assert.deepEqual(new Set(answers), new Set(['allowed']));
  assert.equal(asked.length, 1);
});

test('a flood of invented tokens costs few questions and keeps out nobody who was let in before', async () => {
  const { as, asked, pass } = opened({ good: true, other: true });
  assert.equal(await as('good', '10.0.0.2'), 'allowed');
  for (let turn = 0; turn < 100; turn++) {
    for (let n = 0; n < 20; n++) await as(`invented-${turn}-${n}`);
    pass(1_000);
  }
  assert.equal(await as('good', '10.0.0.1'), 'allowed');
  assert.equal(await as('other', '10.0.0.3'), 'allowed');
  const invented = asked.filter((token) => token.startsWith('invented'));
  assert.ok(invented.length <= 55, `${invented.length} of 2000`);
});

test('a flood from many addresses has few questions on their way at once', async () => {
  let [running, most] = [0, 0];
  const login = createMetricsLogin({
    now: () => 0,
    ask: async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return undefined;
    },
  });
  const all = Array.from({ length: 200 }, (_, n) =>
    login.admit({ authorization: `Bearer t${n}`, address: `10.0.1.${n}` }),
  );
  const answers = await Promise.all(all);
  assert.equal(most, 8);
  assert.equal(answers.filter((answer) => answer === 'too many').length, 192);
});
