import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { AuditRecord } from '../ports.ts';
import { auditEvent, openAudit } from './audit.ts';
import { parseRequest } from './request-info.ts';

const time = new Date('2026-01-02T03:04:05.678Z');

function record(method: string, url: string, more: Partial<AuditRecord> = {}): AuditRecord {
  return {
    auditID: 'id',
    stage: 'ResponseComplete',
    info: parseRequest(method, url),
    requestURI: url,
    user: { name: 'jane', uid: '', groups: ['dev'], extra: {} },
    impersonated: undefined,
    sourceIP: '127.0.0.1',
    userAgent: 'test',
    requestReceived: time,
    stageTime: time,
    code: 200,
    annotations: { 'authorization.k8s.io/decision': 'allow' },
    ...more,
  };
}

test('a write is told with its bodies, as the real server tells it', () => {
  const requestObject = { metadata: { name: 'a', uid: 'u', resourceVersion: '7' } };
  const responseObject = { kind: 'ConfigMap' };
  const impersonated = { name: 'bob', uid: 'b', groups: [], extra: { team: ['red'] } };
  const put = record('PUT', '/api/v1/namespaces/n/configmaps/a', { requestObject, responseObject, impersonated });
  assert.deepEqual(auditEvent(put, 'RequestResponse'), {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'RequestResponse',
    auditID: 'id',
    stage: 'ResponseComplete',
    requestURI: '/api/v1/namespaces/n/configmaps/a',
    verb: 'update',
    user: { username: 'jane', groups: ['dev'] },
    impersonatedUser: { username: 'bob', uid: 'b', extra: { team: ['red'] } },
    sourceIPs: ['127.0.0.1'],
    userAgent: 'test',
    objectRef: {
      resource: 'configmaps',
      namespace: 'n',
      name: 'a',
      uid: 'u',
      apiVersion: 'v1',
      resourceVersion: '7',
    },
    responseStatus: { metadata: {}, code: 200 },
    requestObject,
    responseObject,
    requestReceivedTimestamp: '2026-01-02T03:04:05.678000Z',
    stageTimestamp: '2026-01-02T03:04:05.678000Z',
    annotations: { 'authorization.k8s.io/decision': 'allow' },
  });
  assert.equal(auditEvent(put, 'Request')['responseObject'], undefined);
});

const quiet: [string, string][] = [
  ['GET', '/api/v1/namespaces/n/configmaps'],
  ['POST', '/api/v1/namespaces/n/secrets'],
  ['PATCH', '/api/v1/namespaces/n/secrets/s'],
  ['POST', '/api/v1/namespaces/n/serviceaccounts/s/token'],
  ['POST', '/apis/authentication.k8s.io/v1/tokenreviews'],
  ['GET', '/version'],
];

for (const [method, url] of quiet)
  test(`${method} ${url} is told by metadata only`, () => {
    const body = { kind: 'X', token: 'secret' };
    const event = auditEvent(record(method, url, { requestObject: body, responseObject: body }), 'RequestResponse');
    assert.equal(event['level'], 'Metadata');
    assert.doesNotMatch(JSON.stringify(event), /"secret"/);
  });

test('a refusal is told with its Status, a wrong credential without a user', () => {
  const responseObject = { kind: 'Status', status: 'Failure', message: 'no', reason: 'Unauthorized', code: 401 };
  const event = auditEvent(record('GET', '/api', { code: 401, responseObject, annotations: {} }), 'Metadata');
  assert.deepEqual(event['user'], {});
  assert.equal(event['annotations'], undefined);
  const status = { metadata: {}, status: 'Failure', message: 'no', reason: 'Unauthorized', code: 401 };
  assert.deepEqual(event['responseStatus'], status);
});

test('the log keeps the order and every line of it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  try {
    const file = join(folder, 'audit.log');
    const auditor = openAudit(file);
    for (let index = 0; index < 500; index += 1) auditor.record(record('GET', `/${index}`));
    await auditor.close();
    auditor.record(record('GET', '/late'));
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    const paths = lines.map((line): unknown => JSON.parse(line).requestURI);
    assert.deepEqual(
      paths,
      Array.from({ length: 500 }, (_item, index) => `/${index}`),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
