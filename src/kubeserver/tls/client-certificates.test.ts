import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type EmbeddedCluster, startCluster } from '../index.ts';
import { Journal } from '../store/journal.ts';
import { issue, type KeyPair, makeAuthority, type Subject } from './certificates.ts';
import { type Identity, loadIdentity } from './identity.ts';

let [dataDir, cluster, identity]: [string, EmbeddedCluster | undefined, Identity | undefined] = [
  '',
  undefined,
  undefined,
];

before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'argosy-certificates-'));
  const journal = new Journal(dataDir);
  identity = loadIdentity(journal, '127.0.0.1', new Date(), randomBytes);
  journal.close();
  cluster = await startCluster({ dataDir, actors: false });
});

after(async () => {
  await cluster?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const issuer = { commonName: 'argosy-embedded-ca' };

function clientOf(subject: Subject, authority?: KeyPair, now = new Date()): KeyPair {
  assert.ok(identity);
  return issue(authority ?? identity.authority, issuer, { subject, usage: 'client', now, serial: randomBytes(16) });
}

interface Who {
  readonly status: number;
  readonly user?: unknown;
  readonly groups?: unknown;
}

function whoIs(status: number, text: string): Who {
  const info = JSON.parse(text)?.status?.userInfo ?? {};
  return status === 201 ? { status, user: info.username, groups: info.groups } : { status };
}

const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

async function askOverHttp1(pair: KeyPair | undefined): Promise<Who> {
  const headers = { 'content-type': 'application/json' };
  const tls = { ca: cluster?.caPem ?? '', ...(pair === undefined ? {} : { cert: pair.certificate, key: pair.key }) };
  const outgoing = request(`${cluster?.url}${path}`, { method: 'POST', agent: false, headers, ...tls });
  outgoing.end('{}');
  const [response] = await once(outgoing, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return whoIs(response.statusCode, text);
}

async function askOverHttp2(pair: KeyPair | undefined): Promise<Who> {
  const tls = { ca: cluster?.caPem ?? '', ...(pair === undefined ? {} : { cert: pair.certificate, key: pair.key }) };
  const session = connect(cluster?.url ?? '', tls);
  const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/json' });
  stream.end('{}');
  const [headers] = await once(stream, 'response');
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  session.destroy();
  return whoIs(headers[':status'], text);
}

for (const [protocol, ask] of [
  ['HTTP/1.1', askOverHttp1],
  ['HTTP/2', askOverHttp2],
] as const) {
  test(`over ${protocol} the administrator's certificate opens the API as the administrator`, async () => {
    const groups = ['system:masters', 'system:authenticated'];
    assert.deepEqual(await ask(identity?.admin), { status: 201, user: 'kubernetes-admin', groups });
  });

  test(`over ${protocol} a certificate speaks for its common name and its organizations`, async () => {
    const pair = clientOf({ commonName: 'zoë', organizations: ['team-a', 'team-b'] });
    const groups = ['team-a', 'team-b', 'system:authenticated'];
    assert.deepEqual(await ask(pair), { status: 201, user: 'zoë', groups });
  });

  test(`over ${protocol} a certificate that is not good for this opens nothing`, async () => {
    assert.ok(identity);
    const foreign = makeAuthority(issuer.commonName, new Date(), randomBytes(16));
    const admin = { commonName: 'kubernetes-admin', organizations: ['system:masters'] };
    const old = new Date(Date.now() - 4000 * 24 * 3600 * 1000);
    assert.deepEqual(await ask(clientOf(admin, foreign)), { status: 401 }, 'of another authority');
    assert.deepEqual(await ask(clientOf(admin, undefined, old)), { status: 401 }, 'out of date');
    assert.deepEqual(await ask(identity.server), { status: 401 }, 'of a server');
    assert.deepEqual(await ask(undefined), { status: 403 }, 'none: anonymous');
  });
}
