import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArgosyError, type ErrorCode } from '../../core/errors/index.ts';
import { status } from '../testdata/scripted-server.ts';
import { fromNetwork, isUnprocessed } from './network.ts';
import { scrub } from './scrub.ts';
import { fromRefusal, parseRetryAfter } from './translate.ts';

const refuse = (code: number, body: string, retryAfter?: string): ArgosyError =>
  fromRefusal({ status: code, body, retryAfter, subject: 'get x', secrets: ['my-password'] });

const table: readonly (readonly [number, string, ErrorCode])[] = [
  [400, status(400, 'BadRequest'), 'kube-invalid'],
  [401, status(401, 'Unauthorized'), 'kube-unauthorized'],
  [401, 'no', 'kube-unauthorized'],
  [403, status(403, 'Forbidden'), 'kube-forbidden'],
  [403, '<html>blocked</html>', 'kube-unavailable'],
  [404, status(404, 'NotFound'), 'kube-not-found'],
  [404, '404 page not found\n', 'kube-not-found'],
  [404, '<html>nothing here</html>', 'kube-unavailable'],
  [405, status(405, 'MethodNotAllowed'), 'kube-invalid'],
  [409, status(409, 'Conflict'), 'kube-conflict'],
  [409, status(409, 'AlreadyExists'), 'kube-already-exists'],
  [410, status(410, 'Expired'), 'kube-gone'],
  [413, status(413, 'RequestEntityTooLarge'), 'kube-too-large'],
  [422, status(422, 'Invalid'), 'kube-invalid'],
  [429, 'Too many requests, please try again later.', 'kube-busy'],
  [500, status(500, 'InternalError', 'etcdserver: request is too large'), 'kube-too-large'],
  [500, status(500, 'InternalError', 'rpc error: trying to send message larger than max (3 vs. 2)'), 'kube-too-large'],
  [
    500,
    status(500, 'InternalError', 'failed to create typed patch object (a/b; /v1, Kind=C): .x: field not declared'),
    'kube-invalid',
  ],
  [500, status(500, 'InternalError'), 'kube-unavailable'],
  [502, '<html>', 'kube-unavailable'],
  [503, status(503, 'ServiceUnavailable'), 'kube-unavailable'],
  [504, status(504, 'Timeout'), 'kube-timeout'],
  [301, '', 'kube-malformed'],
  [418, '', 'kube-malformed'],
];
for (const [code, body, ours] of table)
  test(`${code} ${body.slice(0, 90)} is ${ours}`, () => assert.equal(refuse(code, body).code, ours));

test('a 403 with a Status is told from one without', () => {
  assert.equal(refuse(403, status(403, 'Forbidden')).reason, 'Forbidden');
  assert.equal(refuse(403, 'x').reason, undefined);
});

test('keeps the causes and the time to wait', () => {
  const body = JSON.stringify({
    kind: 'Status',
    code: 422,
    reason: 'Invalid',
    details: { retryAfterSeconds: 2, causes: [{ field: 'spec', reason: 'Required', message: 'my-password' }] },
  });
  assert.deepEqual(refuse(422, body).causes, [{ field: 'spec', reason: 'Required', message: '[redacted]' }]);
  assert.equal(refuse(429, body).retryAfterMs, 2000);
  assert.equal(refuse(429, body, '1').retryAfterMs, 1000);
  assert.deepEqual(['3', '-1', 'soon', '99999', undefined].map(parseRetryAfter), [
    3000,
    undefined,
    undefined,
    60_000,
    undefined,
  ]);
});

test('no message holds a secret or more than 2 KB', () => {
  const token = `eyJhbGciOiJSUzI1NiJ9.${'eyJzdWIiOiJ4In0'}.c2lnbmF0dXJl`;
  const texts = [
    `Bearer ${token}`,
    token,
    'authorization: basic YWRtaW46eA==',
    'https://user:pass@host/x',
    'has my-password in it',
    '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----',
  ];
  for (const text of texts) {
    const clean = scrub(text, ['my-password']);
    assert.doesNotMatch(clean, /eyJ|YWRtaW|pass@|my-password|MIIE/);
  }
  const secret = 'q'.repeat(900);
  for (let more = 0; more < 20; more++)
    assert.doesNotMatch(scrub(`${'-'.repeat(more * 45)}${secret.repeat(12)}`, [secret]), /q/, 'not even a part of it');
  assert.ok(refuse(400, status(400, 'BadRequest', 'x'.repeat(100_000))).message.length < 2200);
});

test('network errors say whether the server can have acted', () => {
  const coded = (code: string, message = code): Error => Object.assign(new Error(message), { code });
  assert.equal(fromNetwork(coded('CERT_HAS_EXPIRED'), 'x').code, 'kube-tls');
  assert.equal(fromNetwork(coded('ECONNRESET'), 'x').code, 'kube-unreachable');
  assert.equal(fromNetwork(coded('ETIMEDOUT'), 'x').code, 'kube-timeout');
  assert.equal(fromNetwork(coded('HPE_INVALID_CONSTANT'), 'x').code, 'kube-malformed');
  assert.equal(isUnprocessed(fromNetwork(coded('ECONNRESET'), 'x')), false);
  assert.equal(
    isUnprocessed(
      fromNetwork(coded('ERR_HTTP2_STREAM_ERROR', 'Stream closed with error code NGHTTP2_REFUSED_STREAM'), 'x'),
    ),
    true,
  );
  const ours = new ArgosyError('denied', 'no');
  assert.equal(fromNetwork(ours, 'x'), ours);
});
