import assert from 'node:assert/strict';
import { randomBytes, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { connect, createServer } from 'node:tls';
import { issue, makeAuthority } from './certificates.ts';

const now = new Date('2026-01-02T03:04:05Z');
const subject = { commonName: 'test-ca' };
const authority = makeAuthority(subject.commonName, now, randomBytes(16));

test('an authority signs itself and what it issues', () => {
  const server = issue(authority, subject, {
    subject: { commonName: 'kube-apiserver' },
    usage: 'server',
    hosts: ['127.0.0.1', 'localhost', '::1'],
    now,
    serial: randomBytes(16),
  });
  const ca = new X509Certificate(authority.certificate);
  const leaf = new X509Certificate(server.certificate);
  assert.ok(ca.ca);
  assert.ok(ca.verify(ca.publicKey));
  assert.ok(leaf.verify(ca.publicKey));
  assert.ok(leaf.checkIssued(ca));
  assert.equal(leaf.checkIP('127.0.0.1'), '127.0.0.1');
  assert.equal(leaf.checkIP('::1'), '::1');
  assert.equal(leaf.checkHost('localhost'), 'localhost');
  assert.equal(leaf.checkHost('example.com'), undefined);
});

test('a client with an issued certificate is known to the server by name and groups', async () => {
  const issued = { now: new Date(), serial: randomBytes(16) };
  const own = makeAuthority(subject.commonName, new Date(), randomBytes(16));
  const server = issue(own, subject, {
    subject: { commonName: 's' },
    usage: 'server',
    hosts: ['localhost'],
    ...issued,
  });
  const client = issue(own, subject, {
    subject: { commonName: 'jane', organizations: ['devs', 'ops'] },
    usage: 'client',
    ...issued,
  });
  const listener = createServer({
    cert: server.certificate,
    key: server.key,
    ca: own.certificate,
    requestCert: true,
    rejectUnauthorized: true,
  });
  const seen = new Promise((resolve) =>
    listener.on('secureConnection', (s) => resolve(s.getPeerCertificate().subject)),
  );
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const socket = connect({
    port,
    host: '127.0.0.1',
    servername: 'localhost',
    ca: own.certificate,
    cert: client.certificate,
    key: client.key,
  });
  await new Promise<void>((resolve, reject) => socket.on('secureConnect', resolve).on('error', reject));
  const peer = (await seen) as { CN: string; O: string[] };
  assert.deepEqual([peer.CN, peer.O], ['jane', ['devs', 'ops']]);
  socket.destroy();
  listener.close();
});
