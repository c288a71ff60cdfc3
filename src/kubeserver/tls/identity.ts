import type { Journal } from '../store/journal.ts';
import { issue, type KeyPair, makeAuthority, makeKey } from './certificates.ts';

/** What makes a cluster the same after a restart: its CA, the key of its tokens, the administrator. */
export interface Identity {
  readonly authority: KeyPair;
  readonly server: KeyPair;
  readonly admin: KeyPair;
  readonly tokenKey: string;
  readonly adminToken: string;
}

const authorityName = { commonName: 'argosy-embedded-ca' };

/** Reads the identity kept with the data, or makes a new one and keeps it. */
export function loadIdentity(
  journal: Journal | undefined,
  host: string,
  now: Date,
  random: (bytes: number) => Buffer,
): Identity {
  const kept = journal?.fact('identity');
  const base = kept === undefined ? newBase(now, random) : (JSON.parse(kept) as Base); // written by us
  if (kept === undefined) journal?.setFact('identity', JSON.stringify(base));
  const hosts = [
    '127.0.0.1',
    '::1',
    'localhost',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
    '10.96.0.1',
  ];
  if (!hosts.includes(host) && host !== '0.0.0.0' && host !== '::') hosts.push(host);
  const server = issue(base.authority, authorityName, {
    subject: { commonName: 'kube-apiserver' },
    usage: 'server',
    hosts,
    now,
    serial: random(16),
  });
  return { ...base, server };
}

type Base = Omit<Identity, 'server'>;

function newBase(now: Date, random: (bytes: number) => Buffer): Base {
  const authority = makeAuthority(authorityName.commonName, now, random(16));
  const admin = issue(authority, authorityName, {
    subject: { commonName: 'kubernetes-admin', organizations: ['system:masters'] },
    usage: 'client',
    now,
    serial: random(16),
  });
  return { authority, admin, tokenKey: makeKey(), adminToken: random(24).toString('base64url') };
}
