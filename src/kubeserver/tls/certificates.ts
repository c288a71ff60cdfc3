import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { bits, boolean, integer, octets, oid, sequence, set, tagged, time, utf8 } from './der.ts';

/** A certificate with its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** Who a certificate is for; `organizations` are Kubernetes groups in a client's certificate. */
export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

export interface IssueOptions {
  readonly subject: Subject;
  readonly usage: 'server' | 'client';
  /** Names and addresses the certificate is good for. */
  readonly hosts?: readonly string[];
  readonly now: Date;
  readonly serial: Buffer;
}

const day = 24 * 3600 * 1000;

/** A private key as PEM (EC P-256). */
export function makeKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** A certificate authority that signs itself. */
export function makeAuthority(commonName: string, now: Date, serial: Buffer): KeyPair {
  const key = makeKey();
  const subject = { commonName };
  const identifier = keyIdentifier(key);
  const extensions = [
    extension('2.5.29.19', sequence(boolean(true)), true),
    extension('2.5.29.15', bits(Buffer.from([0x86]), 1), true), // digitalSignature, keyCertSign, cRLSign
    extension('2.5.29.14', octets(identifier)),
  ];
  return { key, certificate: signed({ subject, issuer: subject, key, issuerKey: key, extensions, now, serial }) };
}

/** A certificate signed by an authority, with a new key. */
export function issue(authority: KeyPair, issuer: Subject, options: IssueOptions): KeyPair {
  const key = makeKey();
  const usage = options.usage === 'server' ? '1.3.6.1.5.5.7.3.1' : '1.3.6.1.5.5.7.3.2';
  const extensions = [
    extension('2.5.29.19', sequence(), true),
    extension('2.5.29.15', bits(Buffer.from([0x80]), 7), true), // digitalSignature
    extension('2.5.29.37', sequence(oid(usage))),
    extension('2.5.29.35', sequence(tagged(0, keyIdentifier(authority.key), false))),
  ];
  if (options.hosts !== undefined && options.hosts.length > 0)
    extensions.push(extension('2.5.29.17', sequence(...options.hosts.map(alternativeName))));
  const { subject, now, serial } = options;
  return { key, certificate: signed({ subject, issuer, key, issuerKey: authority.key, extensions, now, serial }) };
}

interface Unsigned {
  readonly subject: Subject;
  readonly issuer: Subject;
  readonly key: string;
  readonly issuerKey: string;
  readonly extensions: readonly Buffer[];
  readonly now: Date;
  readonly serial: Buffer;
}

function signed(wanted: Unsigned): string {
  const algorithm = sequence(oid('1.2.840.10045.4.3.2')); // ecdsa-with-SHA256
  // A day back, so that a client whose clock lags believes it.
  const from = new Date(wanted.now.getTime() - day);
  const body = sequence(
    tagged(0, integer(Buffer.from([2]))), // X.509 v3
    integer(wanted.serial),
    algorithm,
    name(wanted.issuer),
    sequence(time(from), time(new Date(wanted.now.getTime() + 3650 * day))),
    name(wanted.subject),
    publicKey(wanted.key),
    tagged(3, sequence(...wanted.extensions)),
  );
  const signature = sign('sha256', body, createPrivateKey(wanted.issuerKey));
  return pem(sequence(body, algorithm, bits(signature)));
}

function name(subject: Subject): Buffer {
  const attribute = (id: string, value: string): Buffer => set(sequence(oid(id), utf8(value)));
  return sequence(
    ...(subject.organizations ?? []).map((organization) => attribute('2.5.4.10', organization)),
    attribute('2.5.4.3', subject.commonName),
  );
}

function publicKey(key: string): Buffer {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}

function keyIdentifier(key: string): Buffer {
  return createHash('sha1').update(publicKey(key)).digest();
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octets(value));
}

function alternativeName(host: string): Buffer {
  if (isIP(host) === 4) return tagged(7, Buffer.from(host.split('.').map(Number)), false);
  if (isIP(host) === 6) return tagged(7, ipv6(host), false);
  return tagged(2, Buffer.from(host, 'ascii'), false);
}

function ipv6(host: string): Buffer {
  const [head = '', tail] = host.split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((part) => Number.parseInt(part, 16));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const all = [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
